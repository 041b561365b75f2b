import { stat } from 'node:fs/promises'
import { UsageError } from './command.ts'

/** Options that name a file which is read. */
const INPUTS = ['batch', 'warc', 'urls'] as const

/** What options name: files that are read, and one that is written. */
type Files = Readonly<Partial<Record<(typeof INPUTS)[number] | 'out', string | undefined>>>

/**
 * Looks at the files that options name, before anything is read or written.
 * @throws UsageError when what is read would be overwritten, under another name or through a link too
 */
export async function checkFiles(files: Files): Promise<void> {
  if (files.out === undefined) return
  const out = await idOf(files.out)
  for (const option of INPUTS) {
    const file = files[option]
    if (file !== undefined && out !== null && out === (await idOf(file)))
      throw new UsageError(`--out would overwrite the file that --${option} reads`)
  }
}

/** What a file is, whatever its name; null for what is not there, or can be read and written at once, as a terminal can. */
async function idOf(file: string): Promise<string | null> {
  try {
    const stats = await stat(file, { bigint: true })
    return stats.isFile() ? `${stats.dev} ${stats.ino}` : null
  } catch {
    return null
  }
}
