import { closeSync, fsyncSync, openSync } from 'node:fs'
import Database from 'libsql'

/**
 * Copies a database to an existing, empty file. The copy is consistent even while a server writes. Only the complete copy should get
 * its final name.
 */
export function copyDatabase(from: string, to: string): void {
  const db = new Database(from, { timeout: 5000 })
  try {
    db.prepare('VACUUM INTO ?').run(to)
  } finally {
    db.close()
  }
  const copy = openSync(to, 'r+')
  fsyncSync(copy) // VACUUM INTO does not sync the new file.
  closeSync(copy)
}
