import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { openOperator } from '../../src/accounts/open.ts'
import type { GuardedStore } from '../../src/store/guard.ts'
import { hashSessionToken } from '../../src/store/session-token.ts'
import { openCheapHasher } from './cheap-hasher.ts'
import { Browser, findAccountStores, newEmail, openTestAccounts, PASSWORD, SECRET } from './open-accounts.ts'

const COOKIE = 'siteprint.session_token'
const TABLES = ['accounts', 'sessions', 'credentials', 'verifications', 'invites']

/** Everything that the tables of accounts contain, as a text. */
async function dumpTables({ authDatabase }: GuardedStore): Promise<string> {
  const rows =
    authDatabase.kind === 'sqlite'
      ? TABLES.map((table) => authDatabase.db.prepare(`SELECT * FROM ${table}`).all())
      : await Promise.all(TABLES.map((table) => authDatabase.get().db.collection(table).find().toArray()))
  return JSON.stringify(rows)
}

/** The token in the cookie of a session. */
function readToken(browser: Browser): string {
  const [, value = ''] = /session_token=([^;]+)/.exec(browser.visitor.cookie ?? '') ?? []
  const signed = decodeURIComponent(value)
  return signed.slice(0, signed.lastIndexOf('.'))
}

const kind = findAccountStores('tokens of sessions')
describe.skipIf(kind.isMissing).each([kind])('what opens a session is not in $name', ({ open }) => {
  let store: GuardedStore
  let accounts: Accounts
  beforeAll(async () => {
    store = await open()
    accounts = await openTestAccounts(store)
  })
  afterAll(() => store.close())

  async function logInTwice(): Promise<readonly [Browser, Browser, string]> {
    const email = newEmail()
    const [first, second] = [new Browser(), new Browser()]
    const form = { name: 'Ann', email, password: PASSWORD, invite: null }
    const signedUp = await accounts.register(form, first.visitor)
    if (signedUp === 'mailed') throw new Error('these accounts send no e-mail')
    first.keep(signedUp.cookies)
    second.keep((await accounts.logIn({ email, password: PASSWORD }, second.visitor)).cookies)
    return [first, second, email]
  }

  test('tokens of sessions, reset links and invitations are stored as hashes', async () => {
    const [first, second, email] = await logInTwice()
    const parts = { store, secret: SECRET, publicUrl: 'http://siteprint.example', hasher: openCheapHasher() }
    const operator = await openOperator({ ...parts, log: { warn: () => {}, error: () => {} } as never })
    const account = await store.accounts.findAccount(email)
    if (account === null) throw new Error('there is no account')
    const links = [await operator.reset(account), await operator.invite(new Date(Date.now() + 60_000))]
    const tokens = links.map((link) => link.slice(link.lastIndexOf('=') + 1))
    const dump = await dumpTables(store)
    for (const token of [readToken(first), readToken(second), ...tokens]) {
      expect(token.length).toBeGreaterThan(30)
      expect(dump).not.toContain(token)
    }
    expect(dump).toContain(hashSessionToken(readToken(first)))
  })

  test('what is stored does not open a session, even with the secret of the cookies', async () => {
    const [browser] = await logInTwice()
    const open = async (token: string): Promise<boolean> => {
      const signature = createHmac('sha256', SECRET).update(token).digest('base64')
      const cookie = `${COOKIE}=${encodeURIComponent(`${token}.${signature}`)}`
      return (await accounts.findSession({ ...browser.visitor, cookie })) !== null
    }
    expect(await open(readToken(browser))).toBe(true)
    expect(await open(hashSessionToken(readToken(browser)))).toBe(false)
  })

  test('sessions are listed and ended one by one, all others, and by logging out', async () => {
    const [first, second, email] = await logInTwice()
    const third = new Browser()
    third.keep((await accounts.logIn({ email, password: PASSWORD }, third.visitor)).cookies)
    const isOpen = async (browser: Browser): Promise<boolean> => (await accounts.findSession(browser.visitor)) !== null
    const current = await accounts.findSession(first.visitor)
    const other = await accounts.findSession(second.visitor)
    if (current === null || other === null) throw new Error('there is no session')
    expect(await accounts.listSessions(current)).toHaveLength(3)
    await accounts.endSession(other.sessionId, first.visitor)
    expect(await Promise.all([first, second, third].map(isOpen))).toEqual([true, false, true])
    await accounts.endOtherSessions(first.visitor)
    expect(await Promise.all([first, third].map(isOpen))).toEqual([true, false])
    await accounts.logOut(first.visitor)
    expect(await isOpen(first)).toBe(false)
    expect(await dumpTables(store)).not.toContain(current.sessionId)
  })
})
