import { createHook } from 'node:async_hooks'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { openOperator } from '../../src/accounts/open.ts'
import type { GuardedStore } from '../../src/store/guard.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { Browser, findAccountStores, newEmail, openTestAccounts, PASSWORD, readCode, SECRET } from './open-accounts.ts'

let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
})
afterAll(() => server.stop())

const HOUR_MS = 3_600_000

interface SignedUp {
  readonly browser: Browser
  readonly email: string
  readonly id: string
}

const kind = findAccountStores('accounts with e-mail')
describe.skipIf(kind.isMissing).each([kind])('accounts on $name, with e-mail', ({ open }) => {
  let store: GuardedStore
  let accounts: Accounts
  beforeAll(async () => {
    store = await open()
    accounts = await openTestAccounts(store, { smtpUrl: server.url })
  })
  afterAll(() => store.close())

  async function register(email: string, password = PASSWORD): Promise<unknown> {
    return accounts.register({ name: 'Ann Ö', email, password, invite: null }, new Browser().visitor)
  }

  /** Signs up and opens the link of the e-mail. */
  async function signUp(email = newEmail()): Promise<SignedUp> {
    const browser = new Browser()
    await register(email)
    const { account, cookies } = await accounts.verify(
      { token: await server.nextToken(email), password: PASSWORD },
      browser.visitor,
    )
    browser.keep(cookies)
    return { browser, email, id: account.id }
  }
  /** Requests a change of the address. Returns the token of the link, after the notice to the current address. */
  async function requestAddress({ browser, email }: SignedUp, wanted = newEmail()): Promise<string> {
    expect(await accounts.changeEmail({ email: wanted, password: PASSWORD }, browser.visitor)).toBe('mailed')
    expect((await server.next(email)).text).toMatch(/was requested(?:.|\s)*change your password/)
    return server.nextToken(wanted)
  }
  const logIn = (email: string, password = PASSWORD): Promise<string> =>
    readCode(accounts.logIn({ email, password }, new Browser().visitor))
  const requestReset = (email: string): Promise<void> => accounts.requestReset(email, new Browser().visitor)
  const verify = (token: string, password = PASSWORD, browser = new Browser()): Promise<string> =>
    readCode(accounts.verify({ token, password }, browser.visitor))
  const reset = (token: string, password: string): Promise<string> =>
    readCode(accounts.resetPassword({ token, password }, new Browser().visitor))

  test('the account is created when the link is opened, and logged in', async () => {
    const email = newEmail()
    expect(await register(email)).toBe('mailed')
    const mail = await server.next(email)
    expect(mail).toMatchObject({ from: 'siteprint@a.example', to: [email] })
    expect(mail.text).toContain('http://siteprint.example/verify?token=')
    expect(mail.text).not.toContain('Ann')
    expect(await store.accounts.findAccount(email)).toBeNull()
    expect(await logIn(email)).toBe('wrong_login')
    const token = /token=([\w-]+)/.exec(mail.text)?.[1] ?? ''
    const { account, cookies } = await accounts.verify({ token, password: PASSWORD }, new Browser().visitor)
    expect(account).toMatchObject({ email, name: 'Ann Ö', isVerified: true, plan: 'free' })
    expect(cookies).toHaveLength(2)
    expect(await logIn(email)).toBe('none')
    expect(await verify(token)).toBe('invalid_token')
  })

  test('pending sign-ups store neither address, name nor token readably', async () => {
    const email = newEmail()
    await register(email)
    const token = await server.nextToken(email)
    const rows = JSON.stringify(await readVerifications(store))
    expect(rows.length).toBeGreaterThan(100)
    for (const secret of [email, 'Ann', token]) expect(rows).not.toContain(secret)
  })

  test('a sign-up looks the same whether the address has an account or not', async () => {
    const { email } = await signUp()
    const hashes = countHashes()
    expect(await register(email, 'another password')).toBe('mailed')
    expect(hashes.take()).toBe(1)
    expect(await register(newEmail(), 'another password')).toBe('mailed')
    expect(hashes.take()).toBe(1)
    const { text } = await server.next(email)
    expect(text).toContain('already has an account')
    expect(text).not.toContain('token=')
    expect([await logIn(email), await logIn(email, 'another password')]).toEqual(['none', 'wrong_login'])
  })

  test('a log-in costs one hash whether the address has an account or not', async () => {
    const { email, id } = await signUp()
    const hashes = countHashes()
    const costs = []
    for (const [address, password] of [
      [email, PASSWORD],
      [email, 'another password'],
      [newEmail(), PASSWORD],
    ]) {
      await logIn(address, password)
      costs.push(hashes.take())
    }
    await store.accounts.suspendAccount(id, new Date())
    await logIn(email)
    expect([...costs, hashes.take()]).toEqual([1, 1, 1, 1])
  })

  test('a sign-up of another person with the address cannot be completed without its password', async () => {
    const email = newEmail()
    await register(email, 'the password of another person')
    const foreign = await server.nextToken(email)
    await register(email)
    expect([await verify(foreign), await verify(foreign, '')]).toEqual(['wrong_password', 'no_password'])
    expect(await store.accounts.findAccount(email)).toBeNull()
    expect(await verify(await server.nextToken(email))).toBe('none')
    expect(await verify(foreign, 'the password of another person')).toBe('invalid_token')
    expect([await logIn(email), await logIn(email, 'the password of another person')]).toEqual(['none', 'wrong_login'])
  })

  test('after a wrong password the link stays usable; the recipient can void it without one', async () => {
    const email = newEmail()
    await register(email)
    const token = await server.nextToken(email)
    expect(await verify(token, 'another password')).toBe('wrong_password')
    expect(await verify(token)).toBe('none')
    const other = newEmail()
    await register(other)
    const unwanted = await server.nextToken(other)
    await accounts.discard(unwanted, new Browser().visitor)
    expect(await verify(unwanted)).toBe('invalid_token')
  })

  test('the link of a new address needs the session of its account, or its password', async () => {
    const [person, { browser: other }] = [await signUp(), await signUp()]
    const token = await requestAddress(person)
    expect(await verify(token, '')).toBe('no_password')
    expect(await verify(token, '', other)).toBe('no_password')
    expect(await verify(token, 'another password')).toBe('wrong_password')
    expect((await store.accounts.getAccount(person.id))?.email).toBe(person.email)
    expect(await verify(token, '', person.browser)).toBe('none')
  })

  test('of simultaneous uses of one link exactly one succeeds', async () => {
    const email = newEmail()
    await register(email)
    const token = await server.nextToken(email)
    const codes = await Promise.all(Array.from({ length: 5 }, () => verify(token)))
    expect(codes.sort()).toEqual([...Array(4).fill('invalid_token'), 'none'])
  })

  test('a reset sets the password once and ends all sessions', async () => {
    const { browser, email } = await signUp()
    await requestReset(email)
    const token = await server.nextToken(email)
    await requestReset(email)
    const second = await server.nextToken(email)
    expect(await reset(token, 'short')).toBe('short_password')
    expect(await reset(token, email)).toBe('personal_password')
    const codes = await Promise.all(['a new pass phrase', 'a new pass word'].map((password) => reset(token, password)))
    expect(codes.toSorted()).toEqual(['invalid_token', 'none'])
    const password = codes[0] === 'none' ? 'a new pass phrase' : 'a new pass word'
    expect(await accounts.findSession(browser.visitor)).toBeNull()
    expect([await logIn(email), await logIn(email, password)]).toEqual(['wrong_login', 'none'])
    expect([await reset(token, PASSWORD), await reset(second, PASSWORD)]).toEqual(['invalid_token', 'invalid_token'])
  })

  test('of simultaneous resets with two links exactly one succeeds', async () => {
    const { email } = await signUp()
    const tokens = []
    for (let i = 0; i < 2; i++) {
      await requestReset(email)
      tokens.push(await server.nextToken(email))
    }
    const codes = await Promise.all(tokens.map((token, i) => reset(token, `a new pass phrase ${i}`)))
    expect(codes.toSorted()).toEqual(['invalid_token', 'none'])
    expect(await logIn(email, `a new pass phrase ${codes.indexOf('none')}`)).toBe('none')
  })

  test.each<[string, (person: SignedUp) => Promise<unknown>]>([
    [
      'a new password',
      ({ browser }) => accounts.changePassword({ current: PASSWORD, password: 'a new pass phrase' }, browser.visitor),
    ],
    [
      'a reset',
      async ({ email }) => {
        await requestReset(email)
        expect(await reset(await server.nextToken(email), 'a new pass phrase')).toBe('none')
      },
    ],
    ['a new address', async (person) => expect(await verify(await requestAddress(person))).toBe('none')],
  ])('all links of an account are void after %s', async (_, change) => {
    const person = await signUp()
    const address = await requestAddress(person)
    await requestReset(person.email)
    const resets = [await server.nextToken(person.email), await makeOperatorLink(store, person.id)]
    await change(person)
    const changed = await store.accounts.getAccount(person.id)
    expect(await verify(address)).toBe('invalid_token')
    for (const token of resets) expect(await reset(token, 'the pass phrase of a thief')).toBe('invalid_token')
    expect(await store.accounts.getAccount(person.id)).toEqual(changed)
  })

  test('a reset of an address without an account sends nothing and looks the same', async () => {
    const { email } = await signUp()
    const unknown = newEmail()
    expect(await requestReset(unknown)).toBeUndefined()
    expect(await requestReset(email)).toBeUndefined()
    await server.next(email)
    expect(server.mails.filter(({ to }) => to.includes(unknown))).toEqual([])
  })

  test('a reset repairs an account whose sign-up was interrupted', async () => {
    const { email, id } = await signUp()
    await deletePassword(store, id)
    expect(await logIn(email)).toBe('wrong_login')
    await requestReset(email)
    expect(await reset(await server.nextToken(email), 'a new pass phrase')).toBe('none')
    expect(await logIn(email, 'a new pass phrase')).toBe('none')
  })

  test.each<[string, number, string]>([
    ['a sign-up', 25 * HOUR_MS, 'verify'],
    ['a reset', 1.1 * HOUR_MS, 'reset'],
  ])('the link of %s expires', async (_, ms, kind) => {
    const email = kind === 'reset' ? (await signUp()).email : newEmail()
    await (kind === 'reset' ? requestReset(email) : register(email))
    const token = await server.nextToken(email)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
    try {
      expect(await (kind === 'reset' ? reset(token, PASSWORD) : verify(token))).toBe('invalid_token')
    } finally {
      vi.useRealTimers()
    }
  })

  test('a session expires after 30 days without use, and is extended once a day', async () => {
    const { browser } = await signUp()
    const find = async (days: number): Promise<number | null> => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 24 * HOUR_MS })
      try {
        const session = await accounts.findSession(browser.visitor)
        return session === null ? null : session.cookies.length
      } finally {
        vi.useRealTimers()
      }
    }
    expect(await find(0.9)).toBe(0)
    expect(await find(29)).toBe(1)
    expect(await find(29)).toBe(0)
    expect(await find(58)).toBe(1)
    expect(await find(89)).toBeNull()
  })

  test('a new address takes effect when its link is opened; the former address gets an e-mail', async () => {
    const person = await signUp()
    const { email, id } = person
    const wanted = newEmail()
    const token = await requestAddress(person, wanted)
    expect(await store.accounts.getAccount(id)).toMatchObject({ email })
    const other = new Browser()
    other.keep((await accounts.logIn({ email, password: PASSWORD }, other.visitor)).cookies)
    const opening = new Browser()
    opening.keep((await accounts.verify({ token, password: PASSWORD }, opening.visitor)).cookies)
    const sessions = [person.browser, other, opening].map((one) => accounts.findSession(one.visitor))
    expect((await Promise.all(sessions)).map((session) => session?.account.email)).toEqual([
      undefined,
      undefined,
      wanted,
    ])
    expect(await store.accounts.getAccount(id)).toMatchObject({ email: wanted, isVerified: true })
    expect((await server.next(email)).text).toContain('is no longer used for it')
    expect(await verify(token)).toBe('invalid_token')
  })

  test('an address that has an account cannot be taken over, and its owner gets an e-mail', async () => {
    const [{ browser, email }, { email: other }] = [await signUp(), await signUp()]
    expect(await accounts.changeEmail({ email: other, password: PASSWORD }, browser.visitor)).toBe('mailed')
    expect((await server.next(other)).text).toContain('already has an account')
    const wanted = newEmail()
    await accounts.changeEmail({ email: wanted, password: PASSWORD }, browser.visitor)
    const token = await server.nextToken(wanted)
    await signUp(wanted)
    expect(await verify(token)).toBe('address_taken')
    expect(await logIn(email)).toBe('none')
  })

  test('the link of a new address is void after another change, a deletion or a suspension', async () => {
    const { browser, id } = await signUp()
    const request = async (): Promise<string> => {
      const wanted = newEmail()
      await accounts.changeEmail({ email: wanted, password: PASSWORD }, browser.visitor)
      return server.nextToken(wanted)
    }
    const [first, second] = [await request(), await request()]
    browser.keep((await accounts.verify({ token: first, password: '' }, browser.visitor)).cookies)
    expect(await verify(second)).toBe('invalid_token')
    const third = await request()
    await store.accounts.suspendAccount(id, new Date())
    expect(await verify(third)).toBe('suspended')
    await store.accounts.deleteAccount(id, new Date())
    expect(await verify(third)).toBe('invalid_token')
  })

  test('a mail server that is away is not noticed by the client', async () => {
    const away = await openTestAccounts(store, { smtpUrl: 'smtp://127.0.0.1:9' })
    const form = { name: 'Ann', email: newEmail(), password: PASSWORD, invite: null }
    expect(await away.register(form, new Browser().visitor)).toBe('mailed')
    expect(await away.requestReset(form.email, new Browser().visitor)).toBeUndefined()
  })
})

/** Counts the hashes that scrypt computes on the thread pool. */
function countHashes(): { take(): number } {
  let count = 0
  const init = (_id: number, type: string): void => {
    if (type === 'SCRYPTREQUEST') count++
  }
  const hook = createHook({ init }).enable()
  onTestFinished(() => void hook.disable())
  return {
    take() {
      const taken = count
      count = 0
      return taken
    },
  }
}

/** Returns the token of the link that the operator makes for an account. */
async function makeOperatorLink(store: GuardedStore, id: string): Promise<string> {
  const account = await store.accounts.getAccount(id)
  if (account === null) throw new Error('there is no such account')
  const log = pino({ level: 'silent' })
  const operator = await openOperator({ store, secret: SECRET, publicUrl: 'http://siteprint.example', log })
  return /token=([\w-]+)/.exec(await operator.reset(account))?.[1] ?? ''
}

async function readVerifications({ authDatabase }: GuardedStore): Promise<readonly unknown[]> {
  if (authDatabase.kind === 'sqlite') return authDatabase.db.prepare('SELECT * FROM verifications').all()
  return authDatabase.get().db.collection('verifications').find().toArray()
}

async function deletePassword({ authDatabase }: GuardedStore, account: string): Promise<void> {
  if (authDatabase.kind === 'sqlite') authDatabase.db.prepare('DELETE FROM credentials WHERE userId = ?').run(account)
  else await authDatabase.get().db.collection('credentials').deleteMany({ userId: account })
}
