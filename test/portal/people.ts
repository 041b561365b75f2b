import type { Key } from '../../src/keys/types.ts'
import type { Account } from '../../src/store/account-types.ts'
import { NEXT_YEAR } from '../http/app-fixture.ts'
import type { AppKind } from '../http/app-kinds.ts'
import {
  openPortal,
  PASSWORD,
  type PortalAnswer,
  type PortalOptions,
  type PortalRequest,
  type TestPortal,
} from './portal-fixture.ts'

type Form = Readonly<Record<string, string>>

/** An account, and its browser. */
export interface Person {
  readonly account: Account
  readonly cookies: ReadonlyMap<string, string>
  get(path: string): Promise<PortalAnswer>
  post(path: string, form?: Form, headers?: PortalRequest['headers']): Promise<PortalAnswer>
  /** The account's keys as the store has them. */
  keys(): Promise<readonly Key[]>
}

/** A portal with people who have no key yet. */
export interface People extends TestPortal {
  /** Creates an account without a key, of the plan `pro` unless another is given, and logs in. */
  createPerson(plan?: string): Promise<Person>
  /** Creates a key of an account, even beyond the limit of its plan. */
  addKey(person: Person, name?: string): Promise<{ readonly key: Key; readonly secret: string }>
}

let count = 0

/** Opens a portal on the stores of a kind. */
export async function openPeople(kind: AppKind, options: PortalOptions = {}): Promise<People> {
  const now = Date.UTC(NEXT_YEAR, 4, 10, 12, 0, 15)
  const portal = await openPortal({ now, ...options, stores: await kind.open() })
  return {
    ...portal,
    createPerson: (plan = 'pro') => createPerson(portal, plan),
    addKey: ({ account }, name = 'Added') =>
      portal.newKey({ name, account: account.id, plan: account.plan, email: account.email }),
  }
}

async function createPerson({ clock, openBrowser, parts, store }: TestPortal, plan: string): Promise<Person> {
  const { accounts } = parts
  if (accounts === null) throw new Error('the portal is off')
  // The rate limits of sign-ups are per address.
  const visitor = {
    cookie: undefined,
    userAgent: 'test',
    address: `198.51.${++count >> 8}.${count & 255}`,
    now: clock.now,
  }
  const form = { name: 'Ann', email: `ann-${count}-${Date.now()}@harbourline.example`, invite: null }
  const login = await accounts.register({ ...form, password: PASSWORD }, visitor)
  if (login === 'mailed') throw new Error('the tests send no e-mail')
  await store.accounts.setAccountPlan(login.account.id, plan)
  const browser = openBrowser()
  for (const cookie of login.cookies) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    browser.cookies.set(name, value)
  }
  return {
    account: { ...login.account, plan },
    cookies: browser.cookies,
    get: (path) => browser.send({ path }),
    post: (path, fields = {}, headers = {}) => browser.send({ path, form: fields, headers }),
    keys: () => store.keys.listAccountKeys(login.account.id),
  }
}

/** The text of a page without tags and charts, with entities decoded and single spaces. */
export function readText(html: string): string {
  return html
    .replace(/<svg.*?<\/svg>/gs, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
}

/** The secrets that a page contains. */
export function findSecrets(html: string): string[] {
  return [...new Set(html.match(/spk_live_[0-9A-Za-z]{38}/g) ?? [])]
}
