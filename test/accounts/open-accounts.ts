import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { AccountError, type Accounts } from '../../src/accounts/accounts.ts'
import { type OpenAccountsOptions, openAccounts } from '../../src/accounts/open.ts'
import type { Visitor } from '../../src/accounts/types.ts'
import { type GuardedStore, guardStore } from '../../src/store/guard.ts'
import { openMongo } from '../../src/store/mongo/mongo.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { newFolder } from '../store/open-stores.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { mongoUrl } from '../support/services.ts'
import { chooseStores } from '../support/stores.ts'
import { openCheapHasher } from './cheap-hasher.ts'

export const PASSWORD = 'correct horse battery'
export const SECRET = 'a secret of the tests, at least 32'

/** A kind of store. */
export interface AccountStoreKind {
  readonly name: string
  readonly isMissing: boolean
  readonly open: () => Promise<GuardedStore>
}

/** SQLite with new data. */
export const EMBEDDED: AccountStoreKind = {
  name: 'SQLite',
  isMissing: false,
  open: async () =>
    guardStore(await openSqlite({ folder: join(newFolder(), 'data'), role: 'server' }), { timeoutMs: null }),
}

function findMongo(suite: string): AccountStoreKind {
  const url = mongoUrl(suite)
  const open = async (): Promise<GuardedStore> =>
    guardStore(await openMongo({ url: url ?? '', queueMs: 60_000 }), { timeoutMs: 10_000 })
  return { name: 'MongoDB', isMissing: url === null, open }
}

/** Returns the kind that this project of Vitest tries. */
export function findAccountStores(suite: string): AccountStoreKind {
  return chooseStores({ embedded: () => EMBEDDED, servers: () => findMongo(suite) })
}

/** Opens accounts with cheap hashes, in which everyone may sign up and log in without limits, unless the options say otherwise. */
export async function openTestAccounts(
  store: OpenAccountsOptions['store'],
  options: Partial<OpenAccountsOptions> = {},
): Promise<Accounts> {
  const accounts = await openAccounts({
    store,
    shared: { countRequest: () => Promise.resolve({ count: 0, entry: null }) },
    secret: SECRET,
    publicUrl: 'http://siteprint.example',
    log: pino({ level: 'silent' }) as Logger,
    signUp: 'open',
    adminEmails: [],
    smtpUrl: null,
    mailFrom: options.smtpUrl === undefined ? null : 'Siteprint <siteprint@a.example>',
    hasher: openCheapHasher(),
    ...options,
  })
  onFileEnd(() => accounts.close())
  return accounts
}

let count = 0

/** A browser: it keeps the cookies of responses, and has an address of its own. */
export class Browser {
  readonly #cookies = new Map<string, string>()
  readonly address: string

  constructor(address = `192.0.2.${count++ % 250}`) {
    this.address = address
  }

  get visitor(): Visitor {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return { cookie: cookie || undefined, userAgent: 'Browser of the tests', address: this.address, now: Date.now() }
  }

  /** Applies values of `Set-Cookie`. */
  keep(cookies: readonly string[]): void {
    for (const cookie of cookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (/max-age=0/i.test(cookie)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
  }
}

/** The code of the AccountError with which a call fails; `none` if it succeeds. Other errors are thrown. */
export async function readCode(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'none'
  } catch (error) {
    if (!(error instanceof AccountError)) throw error
    return error.code
  }
}

/** A new address for each call. */
export function newEmail(): string {
  return `person-${randomUUID()}@a.example`
}
