import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { SetupError } from '../../errors.ts'
import { createFolder } from '../create-folder.ts'
import { readFirstRow, SqliteConnection } from './connection.ts'
import { createFile } from './create-file.ts'
import { SqliteDisk } from './disk.ts'
import { enableErasing, eraseFormerRows, tryToEmptyLog } from './erase.ts'
import { isBusy, toSetupError } from './errors.ts'
import { backUpFormerVersion } from './former-version.ts'
import { migrate } from './schema.ts'

export interface SqliteFolder {
  /** Created with mode 0700 if it is missing. */
  readonly folder: string
  /** A folder has one server at a time. Tools may read and write while the server runs. */
  readonly role: 'server' | 'tool'
  /** Advice in the error if another server uses the folder. */
  readonly lockedAdvice?: string
}

/** Name of the database file in its folder. */
export const DATABASE_FILE = 'siteprint.db'
const LOCK_FILE = 'server.lock'
/** Advice to a second server. */
const SERVER_ADVICE =
  'stop it, set DATA_DIR to another folder, or set MONGODB_URL so that several servers share one store'

/** How long opening waits for other processes, in milliseconds. */
const OPEN_TIMEOUT_MS = 5000
/**
 * How long a write waits for another process, in milliseconds. Shorter for a server, because the wait blocks its event
 * loop.
 */
const BUSY_TIMEOUT_MS = { server: 500, tool: 5000 } as const

/** Whether a folder contains a database. */
export function hasDatabase(folder: string): boolean {
  return existsSync(join(folder, DATABASE_FILE))
}

/** @throws SetupError if the folder does not contain a database, as with a mistyped `DATA_DIR` */
export function requireDatabase(folder: string): void {
  if (hasDatabase(folder)) return
  throw new SetupError(
    `${folder} does not contain a database: set DATA_DIR to the data folder of the server, whose first start creates it`,
  )
}

/**
 * Opens the database of a folder and upgrades its tables. Before an upgrade, the database is copied to a file next to it.
 * @throws SetupError if the file is damaged, unreadable, of a later version, or used by another server
 */
export function openDatabase({ folder, role, lockedAdvice = SERVER_ADVICE }: SqliteFolder): SqliteConnection {
  const file = join(folder, DATABASE_FILE)
  let lock: Database.Database | undefined
  let db: Database.Database | undefined
  try {
    createFolder(folder)
    if (role === 'server') lock = lockFolder(folder, lockedAdvice)
    createFile(file)
    db = new Database(file, { timeout: OPEN_TIMEOUT_MS })
    enableWal(db)
    db.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON')
    enableErasing(db)
    const disk = new SqliteDisk(`${file}-wal`)
    const connection = new SqliteConnection({ file, db, disk, lock })
    if (role === 'server') checkIntegrity(db)
    backUpFormerVersion(db, file)
    migrate(db, connection.writer)
    if (role === 'server') {
      eraseFormerRows(db)
      tryToEmptyLog(db) // A process that was killed may have left it.
    }
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS[role]}`)
    return connection
  } catch (error) {
    db?.close()
    lock?.close()
    throw toSetupError(error, file)
  }
}

/**
 * Switches the database to a write-ahead log (WAL), which is a permanent property of the file. If several processes do so at
 * the same time, SQLite rejects all except one, and ignores the busy timeout because they would block each other.
 */
function enableWal(db: Database.Database): void {
  const until = performance.now() + OPEN_TIMEOUT_MS
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

/** Takes a lock of the operating system on a small file. The lock ends with the process, even after a crash. */
function lockFolder(folder: string, advice: string): Database.Database {
  const file = join(folder, LOCK_FILE)
  createFile(file)
  const lock = new Database(file)
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw toSetupError(error, file)
    throw new SetupError(`another server runs on ${folder}: ${advice}`)
  }
}

function checkIntegrity(db: Database.Database): void {
  const found = readFirstRow<{ readonly quick_check: string }>(db.prepare('PRAGMA quick_check(1)'))
  if (found?.quick_check !== 'ok') throw Object.assign(new Error('damaged'), { code: 'SQLITE_CORRUPT' })
}
