import { openAccounts, openOperator } from '../../src/accounts/open.ts'
import type { AccountOperator } from '../../src/accounts/operator.ts'
import type { PasswordHasher } from '../../src/accounts/password-hasher.ts'
import { openCheapHasher } from '../accounts/cheap-hasher.ts'
import { type AppOptions, openApp, type TestApp } from '../http/app-fixture.ts'
import { openEmbedded } from '../http/app-kinds.ts'
import { onFileEnd } from '../support/on-file-end.ts'

const SECRET = 'a secret of the tests, long enough for it'
/** The host of the requests. */
export const HOST = 'portal.example'
export const PASSWORD = 'seven boats on a quiet lake'

export interface PortalRequest {
  readonly method?: 'GET' | 'POST' | 'HEAD' | 'PUT'
  readonly path: string
  /** Fields of the form; a text and bytes are sent unchanged. */
  readonly form?: Readonly<Record<string, string>> | string | Buffer
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export interface PortalAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly html: string
}

/** A browser without JavaScript: it keeps cookies and sends the header Origin with forms. */
export interface TestBrowser {
  /** Name → value. */
  readonly cookies: Map<string, string>
  send(request: PortalRequest): Promise<PortalAnswer>
}

export interface TestPortal extends TestApp {
  /** What the operator's commands do. */
  readonly operator: AccountOperator
  openBrowser(): TestBrowser
  /** Signs up and stays logged in. */
  signUp(
    email: string,
    browser?: TestBrowser,
  ): Promise<{ readonly browser: TestBrowser; readonly answer: PortalAnswer }>
}

export interface PortalOptions extends AppOptions {
  readonly signUp?: 'open' | 'invite' | 'off'
  /** The URL of a mail server. Without it the service sends no e-mail. */
  readonly smtpUrl?: string
  /** By default hashes cost almost nothing. */
  readonly hasher?: PasswordHasher
}

/** Builds an app with the portal and cheap password hashes on an embedded store. It is closed after the test file. */
export async function openPortal({
  signUp = 'open',
  smtpUrl,
  hasher,
  ...options
}: PortalOptions = {}): Promise<TestPortal> {
  const stores = options.stores ?? (await openEmbedded())
  const common = {
    ...stores,
    secret: SECRET,
    publicUrl: `http://${HOST}`,
    log: { warn: () => {}, error: () => {} } as never,
    hasher: hasher ?? openCheapHasher(),
  }
  const accounts = await openAccounts({
    ...common,
    signUp,
    adminEmails: options.settings?.adminEmails ?? [],
    smtpUrl: smtpUrl ?? null,
    mailFrom: smtpUrl === undefined ? null : 'siteprint@a.example',
  })
  onFileEnd(() => accounts.close())
  const settings = { allowedHosts: [HOST], ...options.settings }
  const app = await openApp({ now: Date.now(), ...options, settings, stores, parts: { accounts, ...options.parts } })
  const openBrowser = (): TestBrowser => buildBrowser(app)
  return {
    ...app,
    operator: await openOperator(common),
    openBrowser,
    async signUp(email, browser = openBrowser()) {
      const form = { name: 'Ida Holm', email, password: PASSWORD }
      return { browser, answer: await browser.send({ path: '/signup', form }) }
    },
  }
}

let browsers = 0

/** Each browser has an address of its own, because attempts to log in are limited by address. */
function buildBrowser({ fastify }: TestApp): TestBrowser {
  const remoteAddress = `198.18.${++browsers >> 8}.${browsers & 255}`
  const cookies = new Map<string, string>()
  return {
    cookies,
    async send({ form, path, method = form === undefined ? 'GET' : 'POST', headers }) {
      const sent = {
        host: HOST,
        accept: 'text/html,*/*;q=0.8',
        ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(form !== undefined && { origin: `http://${HOST}`, 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      }
      const reply = await fastify.inject({
        method,
        url: path,
        remoteAddress,
        headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
        ...(form !== undefined && {
          payload: typeof form === 'string' || Buffer.isBuffer(form) ? form : new URLSearchParams(form).toString(),
        }),
      })
      for (const { name, value, maxAge } of reply.cookies)
        if (maxAge === 0 || value === '') cookies.delete(name)
        else cookies.set(name, encodeURIComponent(value))
      return { status: reply.statusCode, headers: reply.headers as PortalAnswer['headers'], html: reply.payload }
    },
  }
}
