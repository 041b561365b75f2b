import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { type GuardedStore, guardStore } from '../../src/store/guard.ts'
import { openMongo } from '../../src/store/mongo/mongo.ts'
import { StoreError } from '../../src/store/types.ts'
import { type OwnServer, startMongo } from '../support/services.ts'
import { Browser, newEmail, openTestAccounts, readCode } from './open-accounts.ts'
import { CALLS, form, signUp } from './store-calls.ts'

describe('MongoDB', () => {
  let server: OwnServer | null
  let store: GuardedStore
  let accounts: Accounts
  beforeAll(async () => {
    server = await startMongo('accounts while MongoDB hangs')
    if (server === null) return
    store = guardStore(await openMongo({ url: server.url }), { timeoutMs: 800 })
    accounts = await openTestAccounts(store)
  })
  afterAll(async () => {
    await store?.close()
    await server?.stop()
  })

  test('while it hangs, every call gives a StoreError; afterwards they work again', async (context) => {
    if (server === null) return context.skip()
    const email = newEmail()
    const browser = await signUp(accounts, email)
    for (const [name, call] of CALLS) {
      server.pause()
      await expect(call(accounts, browser), name).rejects.toBeInstanceOf(StoreError)
      server.resume() // Until then, it answers nothing.
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
