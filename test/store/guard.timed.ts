import { join } from 'node:path'
import Database from 'libsql'
import { expect, test } from 'vitest'
import { DATABASE_FILE } from '../../src/store/sqlite/database.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { StoreError } from '../../src/store/types.ts'
import { newFolder } from './open-stores.ts'

/** Longer than that of the product, so that a call that waits differs clearly from one that does not. */
const BUSY_TIMEOUT_MS = 3000

/** Returns the milliseconds until a call fails, which must be with a StoreError. SQLite waits while it is called. */
async function measureFailure(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await expect(call()).rejects.toBeInstanceOf(StoreError)
  return performance.now() - start
}

test('a probe does not wait for the lock of another process, so that the event loop is not blocked', async () => {
  const folder = newFolder()
  const store = await openSqlite({ folder, role: 'server' })
  const { authDatabase } = store
  if (authDatabase.kind !== 'sqlite') throw new Error('not SQLite')
  authDatabase.db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  const other = new Database(join(folder, DATABASE_FILE))
  other.exec('BEGIN IMMEDIATE')
  // Measured: 1 ms.
  expect(await measureFailure(() => store.ping())).toBeLessThan(BUSY_TIMEOUT_MS / 3)
  const waited = await measureFailure(() => store.settings.setSwitches({ apiOff: true }))
  expect(waited, 'other writes do wait').toBeGreaterThan(BUSY_TIMEOUT_MS * 0.9)
  other.exec('ROLLBACK')
  other.close()
  await store.ping()
  await store.close()
})
