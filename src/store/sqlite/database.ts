import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { SetupError } from '../../errors.ts'
import { makeFolder } from '../make-folder.ts'
import { SqliteDisk } from './disk.ts'
import { isBusy, setupFault } from './errors.ts'
import { firstRow } from './row.ts'
import { migrate } from './schema.ts'
import { SqliteWriter } from './writer.ts'

export interface SqliteFolder {
  /** Made with mode 0700 where it is missing. */
  readonly folder: string
  /** One server at a time; tools may read and write beside it. */
  readonly role: 'server' | 'tool'
}

export interface SqliteConnection {
  readonly db: Database.Database
  readonly writer: SqliteWriter
  close(): void
}

/** The database's file in its folder. */
export const DATABASE_FILE = 'siteprint.db'
const LOCK_FILE = 'server.lock'

/** Milliseconds that opening waits for other processes. */
const OPEN_MS = 5000
/** Milliseconds that a write waits for another process: a server, whose event loop stands still meanwhile, waits less. */
const BUSY_MS = { server: 500, tool: 5000 } as const

/**
 * Opens the database of a folder, with its tables up to date.
 * @throws SetupError when the file is damaged, unreadable, of a later version, or served by another server
 */
export function openDatabase({ folder, role }: SqliteFolder): SqliteConnection {
  const file = join(folder, DATABASE_FILE)
  let lock: Database.Database | undefined
  let db: Database.Database | undefined
  try {
    makeFolder(folder)
    if (role === 'server') lock = lockFolder(folder)
    makeFile(file)
    db = new Database(file, { timeout: OPEN_MS })
    switchToLog(db)
    db.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON')
    const disk = new SqliteDisk(`${file}-wal`)
    const writer = new SqliteWriter(db, disk)
    if (role === 'server') check(db)
    migrate(db, writer)
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS[role]}`)
    return { db, writer, close: buildClose({ db, lock, disk }) }
  } catch (error) {
    db?.close()
    lock?.close()
    throw setupFault(error, file)
  }
}

/**
 * Has the database write to a log (WAL), which its file keeps in mind. Of several processes that switch a new file at once,
 * SQLite refuses all but one, and none of them waits, whatever the timeout: each would hold up the other.
 */
function switchToLog(db: Database.Database): void {
  const until = performance.now() + OPEN_MS
  for (;;) {
    try {
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + 20 * Math.random())
    }
  }
}

/** SQLite would make it readable to all. Never opens one that is there: closing it would end this process's locks on it. */
export function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Holds a lock of the operating system on a little file: it goes with the process, however that ends. */
function lockFolder(folder: string): Database.Database {
  const file = join(folder, LOCK_FILE)
  makeFile(file)
  const lock = new Database(file)
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw setupFault(error, file)
    throw new SetupError(
      `another server runs on ${folder}: stop it, set DATA_DIR to another folder, or set MONGODB_URL so that several servers share one store`,
    )
  }
}

function check(db: Database.Database): void {
  const found = firstRow<{ readonly quick_check: string }>(db.prepare('PRAGMA quick_check(1)'))
  if (found?.quick_check !== 'ok') throw Object.assign(new Error('damaged'), { code: 'SQLITE_CORRUPT' })
}

interface Closing {
  readonly db: Database.Database
  /** Of a server, which alone tidies up. */
  readonly lock: Database.Database | undefined
  readonly disk: SqliteDisk
}

function buildClose({ db, lock, disk }: Closing): () => void {
  return () => {
    if (!db.open) return
    try {
      // Whoever copies the file of a server that was stopped has all of it.
      if (lock) db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
    } catch {
      // Nothing is lost without it.
    }
    disk.close()
    db.close()
    lock?.close()
  }
}
