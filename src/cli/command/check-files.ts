import { type BigIntStats, constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { UsageError } from './command.ts'

/** Options that name an input file. */
const INPUTS = ['html', 'headers', 'har', 'batch', 'warc', 'urls', 'pages', 'compare'] as const

/** Options that name an output file. */
const OUTPUTS = ['out', 'technologies-out'] as const

/** Values of the options that name files. */
type NamedFiles = Readonly<Partial<Record<(typeof INPUTS)[number] | (typeof OUTPUTS)[number], string | undefined>>> & {
  /** Input files that are positional arguments. */
  readonly results?: readonly string[]
}

/**
 * Checks the files that options name, before anything is read or written.
 * @throws UsageError when an input cannot be read, the folder of an output does not exist, or an output would overwrite
 * it or another output, even by another name or a link
 */
export async function checkFiles(files: NamedFiles): Promise<void> {
  const outputs = await Promise.all(OUTPUTS.map((option) => statOutput(option, files[option])))
  const [out, table] = outputs
  const isSameName = files.out !== undefined && resolve(files.out) === resolve(files['technologies-out'] ?? '')
  if (isSameName || (out && table && isSameFile(out.stats, table.stats)))
    throw new UsageError('--technologies-out and --out must be different files')
  const options = INPUTS.map((option) => [`--${option}`, files[option]] as const)
  for (const [name, file] of [...options, ...(files.results ?? []).map((file) => ['results', file] as const)]) {
    if (file === undefined) continue
    const input = await statInput(name, file)
    for (const output of outputs)
      if (output && isSameFile(output.stats, input))
        throw new UsageError(
          name === 'results'
            ? `--${output.option} would overwrite the results "${file}"`
            : `--${output.option} would overwrite the file that ${name} reads`,
        )
  }
}

/**
 * Protects results: an output that is not empty is overwritten only on request. Devices and pipes are no files of results.
 * @param canContinue whether the command can continue a file
 * @throws UsageError naming the output
 */
export async function checkOverwrite(
  files: NamedFiles & { readonly overwrite?: boolean | undefined },
  { canContinue }: { readonly canContinue: boolean },
): Promise<void> {
  if (files.overwrite) return
  for (const option of OUTPUTS) {
    const file = files[option]
    const stats = file === undefined ? null : await stat(file).catch(() => null)
    if (stats === null || !stats.isFile() || stats.size === 0) continue
    const how = canContinue ? 'continue it with --resume or --retry-failed, or replace' : 'replace'
    throw new UsageError(`--${option}: "${file}" already exists: ${how} it with --overwrite`)
  }
}

async function statOutput(
  option: string,
  file: string | undefined,
): Promise<{ readonly option: string; readonly stats: BigIntStats } | null> {
  const stats = file === undefined ? null : await stat(file, { bigint: true }).catch(() => null)
  if (stats?.isDirectory()) throw new UsageError(`--${option}: "${file}" is a folder, not a file`)
  if (file !== undefined && stats === null) await checkFolder(option, dirname(file))
  return stats && { option, stats }
}

async function checkFolder(option: string, folder: string): Promise<void> {
  if ((await stat(folder).catch(() => null))?.isDirectory()) return
  throw new UsageError(`--${option}: there is no folder "${folder}": create it first`)
}

/** Only regular files are compared: a terminal can be input and output at the same time. */
function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.isFile() && one.dev === other.dev && one.ino === other.ino
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
