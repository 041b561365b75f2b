import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { SetupError } from '../../errors.ts'
import { makeFolder } from '../make-folder.ts'
import { DATABASE_FILE, makeFile } from './database.ts'
import { setupFault } from './errors.ts'

/**
 * Copies the database of `folder` to `target`, consistent although a server writes meanwhile.
 * @param target a folder, made with mode 0700 where it is missing
 * @throws SetupError when there is no database to copy, when `target` holds one, or when either cannot be read or written
 */
export async function backupSqlite(folder: string, target: string): Promise<void> {
  const from = join(folder, DATABASE_FILE)
  const to = join(target, DATABASE_FILE)
  if (!existsSync(from))
    throw new SetupError(`there is no database in ${folder}: set DATA_DIR to the folder of the server`)
  if (existsSync(to)) throw new SetupError(`${target} holds a database already: name another folder`)
  // Under the real name there is never half a copy.
  const part = `${to}.part`
  try {
    makeFolder(target)
    rmSync(part, { force: true })
    makeFile(part)
  } catch (error) {
    throw setupFault(error, to)
  }
  try {
    copyDatabase(from, part)
    renameSync(part, to)
  } catch (error) {
    rmSync(part, { force: true })
    throw setupFault(error, from)
  }
}

function copyDatabase(from: string, to: string): void {
  const db = new Database(from, { timeout: 5000 })
  try {
    db.prepare('VACUUM INTO ?').run(to)
  } finally {
    db.close()
  }
  const copy = openSync(to, 'r+')
  fsyncSync(copy) // VACUUM INTO leaves that to whoever asks for it.
  closeSync(copy)
}
