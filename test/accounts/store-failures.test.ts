import { join } from 'node:path'
import { Writable } from 'node:stream'
import Database from 'libsql'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { PasswordHasher } from '../../src/accounts/password-hasher.ts'
import { type GuardedStore, guardStore } from '../../src/store/guard.ts'
import { openMongo } from '../../src/store/mongo/mongo.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { StoreError } from '../../src/store/types.ts'
import { newFolder } from '../store/open-stores.ts'
import { type OwnServer, startMongo } from '../support/services.ts'
import { accountStoreKinds, Browser, newEmail, openTestAccounts, PASSWORD, readCode } from './open-accounts.ts'

const [embedded] = accountStoreKinds('failures of the store')

/** Every method that reads or writes the store. */
const CALLS: readonly [string, (accounts: Accounts, browser: Browser) => Promise<unknown>][] = [
  ['findSession', (accounts, { visitor }) => accounts.findSession(visitor)],
  ['register', (accounts, { visitor }) => accounts.register(form(), visitor)],
  ['verify', (accounts, { visitor }) => accounts.verify({ token: 'x', password: PASSWORD }, visitor)],
  ['discard', (accounts, { visitor }) => accounts.discard('x', visitor)],
  ['logIn', (accounts, { visitor }) => accounts.logIn(form(), visitor)],
  ['logOut', (accounts, { visitor }) => accounts.logOut(visitor)],
  ['resetPassword', (accounts, { visitor }) => accounts.resetPassword({ token: 'x', password: PASSWORD }, visitor)],
  ['rename', (accounts, { visitor }) => accounts.rename('Bea', visitor)],
  ['changeEmail', (accounts, { visitor }) => accounts.changeEmail({ email: newEmail(), password: PASSWORD }, visitor)],
  [
    'changePassword',
    (accounts, { visitor }) => accounts.changePassword({ current: PASSWORD, password: PASSWORD }, visitor),
  ],
  ['listSessions', (accounts) => accounts.listSessions({ account: { id: 'x' }, sessionId: 'x' })],
  ['endSession', (accounts, { visitor }) => accounts.endSession('x', visitor)],
  ['endOtherSessions', (accounts, { visitor }) => accounts.endOtherSessions(visitor)],
  ['remove', (accounts, { visitor }) => accounts.remove(PASSWORD, visitor)],
]

function form(email = newEmail()) {
  return { name: 'Ann', email, password: PASSWORD, invite: null }
}

async function signUp(accounts: Accounts, email = newEmail()): Promise<Browser> {
  const browser = new Browser()
  browser.keep(Object(await accounts.register(form(email), browser.visitor)).cookies)
  return browser
}

test('a closed store gives a StoreError', async () => {
  const store = await embedded.open()
  const accounts = await openTestAccounts(store)
  const browser = await signUp(accounts)
  await store.close()
  for (const [name, call] of CALLS) await expect(call(accounts, browser), name).rejects.toBeInstanceOf(StoreError)
})

test('a failure of an embedded store that cannot be written is reported like that of a charge', async () => {
  const folder = newFolder()
  const store = guardStore(await openSqlite({ folder, role: 'server' }), { timeoutMs: null })
  const accounts = await openTestAccounts(store)
  const other = new Database(join(folder, DATABASE_FILE))
  other.exec('BEGIN IMMEDIATE')
  await expect(signUp(accounts)).rejects.toBeInstanceOf(StoreError)
  expect(store.isUp).toBe(false)
  other.exec('ROLLBACK')
  other.close()
  await expect.poll(() => store.isUp, { timeout: 5000 }).toBe(true)
  await signUp(accounts)
  await store.close()
})

describe('MongoDB', () => {
  let server: OwnServer | null
  let store: GuardedStore
  let accounts: Accounts
  beforeAll(async () => {
    server = await startMongo('accounts while MongoDB hangs')
    if (server === null) return
    store = guardStore(await openMongo({ url: server.url }), { timeoutMs: 800 })
    accounts = await openTestAccounts(store, { hasher: new PasswordHasher() }) // Calls are timed.
  })
  afterAll(async () => {
    await store?.close()
    await server?.stop()
  })

  test('while it hangs, every call gives a StoreError in time; afterwards they work again', async (context) => {
    if (server === null) return context.skip()
    const email = newEmail()
    const browser = await signUp(accounts, email)
    for (const [name, call] of CALLS) {
      server.pause()
      const start = performance.now()
      await expect(call(accounts, browser), name).rejects.toBeInstanceOf(StoreError)
      // One timeout of 800 ms and at most two hashes, on a machine that does other work too.
      expect(performance.now() - start, name).toBeLessThan(2500)
      server.resume()
      await expect.poll(() => isLoggedIn(accounts, browser), { timeout: 30_000, message: name }).toBe(true)
    }
    expect(await readCode(accounts.logIn(form(email), new Browser().visitor))).toBe('none')
  })
})

async function isLoggedIn(accounts: Accounts, { visitor }: Browser): Promise<boolean> {
  try {
    return (await accounts.findSession(visitor)) !== null
  } catch (error) {
    if (error instanceof StoreError) return false
    throw error
  }
}

test('the log contains no address, password or cookie', async () => {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const store = await embedded.open()
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
