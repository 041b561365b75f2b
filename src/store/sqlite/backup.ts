import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../../errors.ts'
import { createFolder } from '../create-folder.ts'
import { copyDatabase } from './copy-database.ts'
import { createFile } from './create-file.ts'
import { DATABASE_FILE, requireDatabase } from './database.ts'
import { toSetupError } from './errors.ts'

/**
 * Copies the database of `folder` to `target`. The copy is consistent even while a server writes.
 * @param target a folder, created with mode 0700 if it is missing
 * @throws SetupError if there is no database to copy, `target` already contains one, or either cannot be read or written
 */
export async function backupSqlite(folder: string, target: string): Promise<void> {
  const from = join(folder, DATABASE_FILE)
  const to = join(target, DATABASE_FILE)
  requireDatabase(folder)
  if (existsSync(to)) throw new SetupError(`${target} already contains a database: choose another folder`)
  // The final name never refers to an incomplete copy.
  const part = `${to}.part`
  try {
    createFolder(target)
    rmSync(part, { force: true })
    createFile(part)
  } catch (error) {
    throw toSetupError(error, to)
  }
  try {
    copyDatabase(from, part)
    renameSync(part, to)
  } catch (error) {
    rmSync(part, { force: true })
    throw toSetupError(error, from)
  }
}
