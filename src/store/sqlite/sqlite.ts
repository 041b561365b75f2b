import type { Store } from '../types.ts'
import { SqliteAccounts } from './accounts.ts'
import { SqliteAudit } from './audit.ts'
import { SqliteBatches } from './batches.ts'
import type { SqliteConnection } from './connection.ts'
import { openDatabase, type SqliteFolder } from './database.ts'
import { toSetupError } from './errors.ts'
import { fillSlots, hasKeysWithoutSlots } from './fill-slots.ts'
import { SqliteKeyCache } from './key-cache.ts'
import { SqliteKeys } from './keys.ts'
import { SqliteSettings } from './settings.ts'
import { SqliteUsage } from './usage.ts'

/**
 * Opens the store of a single machine, in the file `siteprint.db` of a folder. Calls are answered in the turn of the event
 * loop in which they are made, except charges and touches, which wait for its end to share one commit.
 * @throws SetupError if another server uses the folder, or if its database is damaged, unreadable or of a later version
 */
export async function openSqlite(options: SqliteFolder): Promise<Store> {
  const connection = openDatabase(options)
  try {
    if (options.role === 'server') {
      assignSlots(connection)
      deleteExpired(connection)
    }
    return buildStore(connection)
  } catch (error) {
    connection.close()
    throw toSetupError(error, options.folder)
  }
}

/** Upgrades keys that a server of an earlier version, or an import, has written after the tables were upgraded. */
function assignSlots({ db, writer }: SqliteConnection): void {
  // A server must also start where the database cannot be written.
  if (hasKeysWithoutSlots(db)) writer.runNow(() => fillSlots(db))
}

/** Deletes what MongoDB's indexes delete by themselves. Where the database cannot be written it stays until the next start. */
function deleteExpired({ db, writer }: SqliteConnection): void {
  const now = new Date()
  try {
    writer.runNow(() => {
      for (const table of ['sessions', 'verifications'])
        db.prepare(`DELETE FROM ${table} WHERE expiresAt < ?`).run(now.toISOString())
      db.prepare('DELETE FROM invites WHERE expires_at < ?').run(now.getTime())
    })
  } catch {
    // The writes that follow report the reason.
  }
}

function buildStore(connection: SqliteConnection): Store {
  const { db, writer } = connection
  // Writes a page without changing its content.
  const probe = db.prepare('UPDATE switches SET maintenance = maintenance')
  const keyCache = new SqliteKeyCache(db)
  const keys = new SqliteKeys(connection, keyCache)
  const usage = new SqliteUsage(connection)
  return {
    keys,
    usage,
    accounts: new SqliteAccounts(connection, keyCache, { keys, usage }),
    audit: new SqliteAudit(connection),
    batches: new SqliteBatches(connection),
    settings: new SqliteSettings(connection),
    authDatabase: { kind: 'sqlite', db, write: (work) => writer.runNow(work) },
    ping: async () => {
      await connection.read(() => writer.probe(() => void probe.run()))
    },
    readClock: async () => null,
    close: async () => {
      if (db.open) await writer.end()
      connection.close()
    },
  }
}
