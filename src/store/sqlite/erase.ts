import { createReadStream } from 'node:fs'
import type Database from 'libsql'

/** The `application_id` of a database in which every deleted row has been overwritten. */
const ERASING_ID = 1
const PIECE_BYTES = 256 * 1024

/** Overwrites deleted and replaced values in the database file. A setting of the connection. */
export function enableErasing(db: Database.Database): void {
  db.exec('PRAGMA secure_delete = ON')
}

/** Marks a database that has been erasing deleted rows since it was created. */
export function markErasing(db: Database.Database): void {
  db.exec(`PRAGMA application_id = ${ERASING_ID}`)
}

/**
 * Removes what earlier versions have deleted without overwriting it, once. Takes as much time and free space as a copy of the
 * database.
 */
export function eraseFormerRows(db: Database.Database): void {
  if (readNumber(db, 'PRAGMA application_id') === ERASING_ID) return
  try {
    db.exec('VACUUM')
    markErasing(db)
  } catch {
    // On a full disk, for example. The next start tries again.
  }
}

/**
 * Removes what is left of deleted rows in the free space of the file. SQLite overwrites a row when it is deleted, but not the copies
 * that remain where it was when a page was split or merged: with 300 accounts, one in 3,000 deletions leaves one. Takes as much
 * time as `eraseFormerRows`; if that fails, the next start does it.
 */
export function eraseRemains(db: Database.Database): void {
  try {
    db.exec('PRAGMA application_id = 0')
  } catch {
    return // Neither would a VACUUM work. The rows themselves are deleted.
  }
  eraseFormerRows(db)
}

/** Whether a file contains one of the texts. Reads it in pieces, so that other work continues. */
export async function containsAny(file: string, texts: readonly string[]): Promise<boolean> {
  const needles = texts.map((text) => Buffer.from(text))
  const overlap = Math.max(0, ...needles.map(({ length }) => length - 1))
  let before = Buffer.alloc(0)
  for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
    const part = Buffer.concat([before, piece])
    if (needles.some((needle) => part.includes(needle))) return true
    before = part.subarray(Math.max(0, part.length - overlap))
  }
  return false
}

/**
 * Copies the write-ahead log into the database and empties it: the log contains earlier versions of changed pages. Does not
 * wait for other processes, which would block the event loop.
 * @returns false if another process reads or writes, or if the disk failed
 */
export function tryToEmptyLog(db: Database.Database): boolean {
  const timeout = readNumber(db, 'PRAGMA busy_timeout')
  db.exec('PRAGMA busy_timeout = 0')
  try {
    return readNumber(db, 'PRAGMA wal_checkpoint(TRUNCATE)') === 0 // The first column is 1 if another process blocks it.
  } catch {
    return false
  } finally {
    db.exec(`PRAGMA busy_timeout = ${timeout}`)
  }
}

/** Runs a PRAGMA. @returns the first column of its row */
function readNumber(db: Database.Database, pragma: string): number | undefined {
  const [row] = db.prepare(pragma).all() as readonly Readonly<Record<string, number>>[]
  return Object.values(row)[0]
}
