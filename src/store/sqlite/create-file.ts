import { closeSync, openSync } from 'node:fs'

/**
 * Creates a file that only its owner can read; SQLite would make it readable to all. An existing file is not opened, because
 * closing it would release the locks of this process on it.
 */
export function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
