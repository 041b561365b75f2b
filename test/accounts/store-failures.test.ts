import { join } from 'node:path'
import { Writable } from 'node:stream'
import Database from 'libsql'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { guardStore } from '../../src/store/guard.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { StoreError } from '../../src/store/types.ts'
import { newFolder } from '../store/open-stores.ts'
import { until } from '../support/until.ts'
import { Browser, EMBEDDED, newEmail, openTestAccounts, PASSWORD, readCode } from './open-accounts.ts'
import { CALLS, form, signUp } from './store-calls.ts'

test('a closed store gives a StoreError', async () => {
  const store = await EMBEDDED.open()
  const accounts = await openTestAccounts(store)
  const browser = await signUp(accounts)
  await store.close()
  for (const [name, call] of CALLS) await expect(call(accounts, browser), name).rejects.toBeInstanceOf(StoreError)
})

test('a failure of an embedded store that cannot be written is reported like that of a charge', async () => {
  const folder = newFolder()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const sqlite = await openSqlite({ folder, role: 'server' })
  // Writes do not wait for the lock of another process.
  if (sqlite.authDatabase.kind === 'sqlite') sqlite.authDatabase.db.exec('PRAGMA busy_timeout = 0')
  const store = guardStore(sqlite, { timeoutMs: null })
  const accounts = await openTestAccounts(store)
  const other = new Database(join(folder, DATABASE_FILE))
  other.exec('BEGIN IMMEDIATE')
  await expect(signUp(accounts)).rejects.toBeInstanceOf(StoreError)
  expect(store.isUp).toBe(false)
  other.exec('ROLLBACK')
  other.close()
  await vi.advanceTimersByTimeAsync(1000)
  await until(() => store.isUp, true)
  vi.useRealTimers()
  await signUp(accounts)
  await store.close()
})

test('the log contains no address, password or cookie', async () => {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const store = await EMBEDDED.open()
  const options = { smtpUrl: 'smtp://127.0.0.1:9', log: pino({ level: 'trace' }, sink), secret: 'a'.repeat(32) }
  const accounts = await openTestAccounts(store, options)
  const email = newEmail()
  await accounts.register(form(email), new Browser().visitor)
  await readCode(accounts.logIn(form(email), new Browser().visitor))
  await accounts.close()
  await store.close()
  const text = lines.join('')
  expect(text).toContain('an e-mail could not be sent')
  expect(text).not.toContain(email)
  expect(text).not.toContain(PASSWORD)
})
