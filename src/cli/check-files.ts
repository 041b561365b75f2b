import { type BigIntStats, constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { UsageError } from './command.ts'

/** Options that name a file which is read. */
const INPUTS = ['html', 'headers', 'har', 'batch', 'warc', 'urls'] as const

/** What options name: files that are read, and one that is written. */
type Files = Readonly<Partial<Record<(typeof INPUTS)[number] | 'out', string | undefined>>>

/**
 * Looks at the files that options name, before anything is read or written.
 * @throws UsageError when one cannot be read, or would be overwritten, under another name or through a link too
 */
export async function checkFiles(files: Files): Promise<void> {
  const out = files.out === undefined ? null : await stat(files.out, { bigint: true }).catch(() => null)
  if (out?.isDirectory()) throw new UsageError(`--out: "${files.out}" is a folder: name a file`)
  for (const option of INPUTS) {
    const file = files[option]
    if (file === undefined) continue
    const input = await lookAt(option, file)
    // A terminal and its like are read and written at once.
    if (out?.isFile() && out.dev === input.dev && out.ino === input.ino)
      throw new UsageError(`--out would overwrite the file that --${option} reads`)
  }
}

async function lookAt(option: string, file: string): Promise<BigIntStats> {
  let stats: BigIntStats
  try {
    await access(file, constants.R_OK)
    stats = await stat(file, { bigint: true })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(
      code === 'ENOENT'
        ? `--${option}: there is no file "${file}"`
        : `--${option}: "${file}" cannot be read: ${message}`,
    )
  }
  if (stats.isDirectory()) throw new UsageError(`--${option}: "${file}" is a folder: name a file`)
  return stats
}
