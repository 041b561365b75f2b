import { expect } from 'vitest'
import { createDefaultKey } from '../../src/portal/default-key.ts'
import type { Account } from '../../src/store/account-types.ts'
import { Person } from './person.ts'
import { openPortal, PASSWORD, type PortalOptions, type TestPortal } from './portal-fixture.ts'

export const ADMIN_EMAIL = 'operator@harbourline.example'
/** Another address in ADMIN_EMAILS. */
export const SECOND_ADMIN_EMAIL = 'second@harbourline.example'

/** A person who is logged in. */
export interface Member {
  readonly person: Person
  readonly account: Account
}

export interface MembersPortal extends TestPortal {
  /** A person without a session. */
  readonly visit: () => Person
  /** Signs up through the page. The address is unique unless it is given. */
  readonly join: (change?: { readonly name?: string; readonly email?: string }) => Promise<Member>
  /** Logs in to an account that the operator has created. Its address is not verified. */
  readonly joinByCommand: (email: string) => Promise<Member>
  /** Logs in as an operator, whose address is verified. */
  readonly joinAsAdmin: () => Promise<Member>
  /** Logs in with another browser. */
  readonly logIn: (email: string, password?: string, userAgent?: string) => Promise<Person>
}

let count = 0

/** Opens a portal that members of these tests use, whose operators are those above. */
export async function openPortalForMembers({ settings, ...options }: PortalOptions = {}): Promise<MembersPortal> {
  const adminEmails = [ADMIN_EMAIL, SECOND_ADMIN_EMAIL]
  const portal = await openPortal({ ...options, settings: { adminEmails, ...settings } })
  const { accounts } = portal.store

  async function findAccount(email: string): Promise<Account> {
    const account = await accounts.findAccount(email)
    if (account === null) throw new Error(`${email} has no account`)
    return account
  }

  async function join(change: { readonly name?: string; readonly email?: string } = {}): Promise<Member> {
    const form = { name: 'Anna Ruiz', email: `person-${++count}@example.org`, ...change }
    const person = new Person(portal.openBrowser())
    const answer = await person.post('/signup', { ...form, password: PASSWORD })
    expect(answer.status, answer.text).toBe(200)
    return { person, account: await findAccount(form.email) }
  }

  async function joinByCommand(email: string): Promise<Member> {
    const { account, link } = await portal.operator.create({ name: 'Olga Operator', email })
    const token = new URL(link).searchParams.get('token') ?? ''
    const answer = await new Person(portal.openBrowser()).post('/reset', { token, password: PASSWORD })
    expect(answer.text).toContain('Your password is changed')
    await createDefaultKey(account, portal.parts, portal.clock.now)
    return { person: await logIn(email), account }
  }

  async function logIn(email: string, password = PASSWORD, userAgent = 'curl/8.14.1'): Promise<Person> {
    const person = new Person(portal.openBrowser(), userAgent)
    expect((await person.post('/login', { email, password })).status).toBe(303)
    return person
  }

  return {
    ...portal,
    visit: () => new Person(portal.openBrowser()),
    join,
    joinByCommand,
    joinAsAdmin: async () => {
      const { account } = await joinByCommand(ADMIN_EMAIL)
      expect(await accounts.verifyAccount(account.id, ADMIN_EMAIL)).toBe(true)
      return { person: await logIn(ADMIN_EMAIL), account: await findAccount(ADMIN_EMAIL) }
    },
    logIn,
  }
}
