import { readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'libsql'
import { readFirstRow } from './connection.ts'
import { copyDatabase } from './copy-database.ts'
import { createFile } from './create-file.ts'
import { findFormerVersion, readVersion } from './schema.ts'

/** The first version with accounts and their sessions. */
const FIRST_WITH_ACCOUNTS = 2

/** How long the deletion of an account waits for a program that reads a copy, in milliseconds. */
const BUSY_TIMEOUT_MS = 500

/**
 * Copies a database that is about to be upgraded to a file next to it, named after its version, so that the operator can return to
 * the former version of Siteprint. The copy contains nothing that opens sessions. Does nothing if the database is new or current.
 */
export function backUpFormerVersion(db: Database.Database, file: string): void {
  const version = findFormerVersion(db)
  if (version === null) return
  const target = `${file}.version-${version}`
  // Several processes may upgrade a database at the same time.
  const part = `${target}.${process.pid}.part`
  rmSync(part, { force: true })
  createFile(part)
  try {
    copyDatabase(file, part)
    const copiedVersion = changeCopy(part, (copy) => copy.exec('DELETE FROM sessions; DELETE FROM verifications'))
    // If another process has upgraded the database meanwhile, it has made the copy.
    if (copiedVersion === version) renameSync(part, target)
  } finally {
    rmSync(part, { force: true })
  }
}

/**
 * Deletes an account from the copies that upgrades have made of a database, and the name and address from its keys.
 * @param keys ids of its keys; they may have been attached after the upgrade
 */
export function eraseFromCopies(db: Database.Database, account: string, keys: readonly string[]): void {
  const { file } = readFirstRow<{ readonly file: string }>(db.prepare('PRAGMA database_list')) ?? { file: '' }
  const isCopy = (name: string): boolean => name.startsWith(`${basename(file)}.version-`)
  for (const name of readdirSync(dirname(file)).filter(isCopy)) {
    const path = join(dirname(file), name)
    // The rest of a copy that was interrupted.
    if (name.endsWith('.part')) rmSync(path, { force: true })
    else
      changeCopy(path, (copy) => {
        const ids = JSON.stringify(keys)
        const isOwn = 'account = ? OR id IN (SELECT value FROM json_each(?))'
        copy.prepare(`UPDATE keys SET name = '', email = '' WHERE ${isOwn}`).run(account, ids)
        // Deletes its credentials and scans too: their tables refer to it.
        copy.prepare('DELETE FROM accounts WHERE id = ?').run(account)
      })
  }
}

/** Changes a copy if its version has accounts. What is deleted is overwritten. @returns the version of the copy */
function changeCopy(file: string, change: (copy: Database.Database) => void): number {
  const copy = new Database(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    const version = readVersion(copy)
    copy.exec('PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON')
    if (version >= FIRST_WITH_ACCOUNTS) change(copy)
    return version
  } finally {
    copy.close()
  }
}
