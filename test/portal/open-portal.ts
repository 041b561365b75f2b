import { expect } from 'vitest'
import { openAccounts } from '../../src/accounts/open.ts'
import type { Account } from '../../src/accounts/types.ts'
import { type AppOptions, openApp, type TestApp } from '../http/app-fixture.ts'
import { type AppStores, openEmbedded } from '../http/app-kinds.ts'
import { Person } from './person.ts'

export const PASSWORD = 'plum orchard in the rain'
export const ADMIN_EMAIL = 'operator@harbourline.example'

/** A person who is logged in. */
export interface Member {
  readonly person: Person
  readonly account: Account
}

export interface TestPortal extends TestApp {
  /** Signs up through the page. The address is unique unless it is given. */
  readonly join: (change?: { readonly name?: string; readonly email?: string }) => Promise<Member>
  /** Signs up an operator, whose address is verified. */
  readonly joinAsAdmin: () => Promise<Member>
  /** Logs in with another browser. */
  readonly logIn: (email: string, password?: string, userAgent?: string) => Promise<Person>
}

let count = 0

/** Opens an app with a portal in which everyone may sign up, and which sends no e-mail. */
export async function openPortal({ stores, settings, ...options }: AppOptions = {}): Promise<TestPortal> {
  const opened: AppStores = stores ?? (await openEmbedded())
  const now = options.now ?? Date.now()
  const adminEmails = [ADMIN_EMAIL, 'second@harbourline.example']
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const accounts = await openAccounts({
    store: opened.store,
    shared: opened.shared,
    secret: 'a secret of the tests, long enough to sign cookies',
    publicUrl: 'http://siteprint.test',
    log,
    signUp: 'open',
    smtpUrl: null,
    mailFrom: null,
  })
  const app = await openApp({
    ...options,
    now,
    stores: opened,
    settings: { publicUrl: null, adminEmails, ...settings },
    parts: { accounts, ...options.parts },
  })

  async function findAccount(email: string): Promise<Account> {
    const account = await opened.store.accounts.findAccount(email)
    if (account === null) throw new Error(`${email} has no account`)
    return account
  }

  const join: TestPortal['join'] = async (change = {}) => {
    const form = { name: 'Anna Ruiz', email: `person-${++count}@example.org`, ...change }
    const person = new Person(app)
    const answer = await person.post('/signup', { ...form, password: PASSWORD })
    expect(answer.status, answer.text).toBe(200)
    return { person, account: await findAccount(form.email) }
  }

  return {
    ...app,
    join,
    joinAsAdmin: async () => {
      const { person, account } = await join({ name: 'Olga Operator', email: ADMIN_EMAIL })
      await opened.store.accounts.verifyAccount(account.id)
      return { person, account: await findAccount(ADMIN_EMAIL) }
    },
    logIn: async (email, password = PASSWORD, userAgent = 'curl/8.14.1') => {
      const person = new Person(app, { userAgent })
      expect((await person.post('/login', { email, password })).status).toBe(303)
      return person
    },
  }
}
