import { pino } from 'pino'
import { openAccounts } from '../../src/accounts/open.ts'
import type { Account } from '../../src/accounts/types.ts'
import type { Key } from '../../src/keys/types.ts'
import { type AppOptions, openApp, type TestApp } from '../http/app-fixture.ts'
import type { AppKind } from '../http/app-kinds.ts'

export interface PageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  readonly html: string
}

/** A browser that is logged in. */
export interface Person {
  readonly account: Account
  get(path: string): Promise<PageAnswer>
  post(
    path: string,
    form?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<PageAnswer>
  /** The account's keys as the store has them. */
  keys(): Promise<readonly Key[]>
}

export interface PortalApp {
  readonly app: TestApp
  /** Creates an account without a key, of the plan `pro` unless another is given, and logs in. */
  readonly signUp: (plan?: string) => Promise<Person>
  /** Creates a key of an account directly in the store. */
  readonly addKey: (person: Person, name?: string) => Promise<{ readonly key: Key; readonly secret: string }>
  /** Sends a request of a browser that is not logged in, unless it has a cookie. */
  readonly send: (request: PageRequest) => Promise<PageAnswer>
}

interface PageRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly cookie?: string
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

let people = 0

/** Opens an app with the portal. */
export async function openPortal(kind: AppKind, options: AppOptions = {}): Promise<PortalApp> {
  const stores = await kind.open()
  const accounts = await openAccounts({
    ...stores,
    secret: 'a secret of the tests, which is long enough',
    publicUrl: 'http://localhost',
    log: pino({ level: 'silent' }),
    signUp: 'open',
    smtpUrl: null,
    mailFrom: null,
  })
  const app = await openApp({ ...options, stores, parts: { ...options.parts, accounts } })
  const send = async ({ method, path, cookie, form, headers }: PageRequest): Promise<PageAnswer> => {
    const reply = await app.fastify.inject({
      method,
      url: path,
      headers: {
        ...(cookie !== undefined && { cookie }),
        ...(method === 'POST' && { origin: 'http://localhost' }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(form !== undefined && { payload: new URLSearchParams(form).toString() }),
    })
    return { status: reply.statusCode, headers: reply.headers, html: reply.payload }
  }
  const signUp = async (plan = 'pro'): Promise<Person> => {
    const number = ++people
    // Rate limits of sign-ups are per address.
    const visitor = { cookie: undefined, userAgent: 'test', address: `192.0.2.${number}`, now: app.clock.now }
    const form = { name: 'Ann', email: `ann-${number}-${Date.now()}@harbourline.example`, invite: null }
    const login = await accounts.register({ ...form, password: 'a ferry to the far shore' }, visitor)
    if (login === 'mailed') throw new Error('e-mail is off in these tests')
    await stores.store.accounts.setAccountPlan(login.account.id, plan)
    const cookie = login.cookies.map((one) => one.split(';')[0]).join('; ')
    return {
      account: { ...login.account, plan },
      get: (path) => send({ method: 'GET', path, cookie }),
      post: (path, fields = {}, headers = {}) => send({ method: 'POST', path, cookie, form: fields, headers }),
      keys: () => stores.store.keys.listAccountKeys(login.account.id),
    }
  }
  const addKey: PortalApp['addKey'] = async ({ account }, name = 'Added') => {
    const { key, secret } = await app.newKey({ name, account: account.id, plan: account.plan, email: account.email })
    return { key, secret }
  }
  return { app, signUp, addKey, send }
}

/** The text of a page without tags and with entities decoded, with single spaces. */
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
