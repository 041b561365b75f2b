import { type BigIntStats, constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { UsageError } from './command.ts'

/** Options that name an input file. */
const INPUTS = ['html', 'headers', 'har', 'batch', 'warc', 'urls', 'pages', 'compare'] as const

/** Values of the options that name files: inputs, and one output. */
type Files = Readonly<Partial<Record<(typeof INPUTS)[number] | 'out', string | undefined>>> & {
  /** Inputs that are arguments without an option. */
  readonly results?: readonly string[]
}

/**
 * Checks the files that options name, before anything is read or written.
 * @throws UsageError when an input cannot be read, or the output would overwrite it, also by another name or a link
 */
export async function checkFiles(files: Files): Promise<void> {
  const out = files.out === undefined ? null : await stat(files.out, { bigint: true }).catch(() => null)
  if (out?.isDirectory()) throw new UsageError(`--out: "${files.out}" is a folder, not a file`)
  const options = INPUTS.map((option) => [`--${option}`, files[option]] as const)
  for (const [name, file] of [...options, ...(files.results ?? []).map((file) => ['results', file] as const)]) {
    if (file === undefined) continue
    const input = await statInput(name, file)
    // Only regular files are compared: a terminal can be input and output at the same time.
    if (out?.isFile() && out.dev === input.dev && out.ino === input.ino)
      throw new UsageError(
        name === 'results'
          ? `--out would overwrite the results "${file}"`
          : `--out would overwrite the file that ${name} reads`,
      )
  }
}

async function statInput(name: string, file: string): Promise<BigIntStats> {
  let stats: BigIntStats
  try {
    await access(file, constants.R_OK)
    stats = await stat(file, { bigint: true })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(
      code === 'ENOENT' ? `${name}: there is no file "${file}"` : `${name}: "${file}" cannot be read: ${message}`,
    )
  }
  if (stats.isDirectory()) throw new UsageError(`${name}: "${file}" is a folder, not a file`)
  return stats
}
