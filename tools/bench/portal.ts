import { spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildKey } from '../../src/keys/key.ts'
import { openStore } from '../../src/store/open/open-store.ts'
import type { Store } from '../../src/store/types.ts'
import { createOperator, type Env } from '../create-operator.ts'
import { servicesStatus } from '../services-status.ts'
import { median, quantile } from '../statistics/quantile.ts'

const ACCOUNTS = 10_000
const USED = 500
/** Path → its route in the log. */
const PAGES = {
  '/': '/',
  '/account': '/account',
  '/account/keys': '/account/keys',
  '/account/settings': '/account/settings',
  '/scan': '/scan',
  '/admin': '/admin',
  '/admin/audit': '/admin/audit',
  '/admin/service': '/admin/service',
  '/catalogue': '/catalogue',
  '/catalogue?q=analytics': '/catalogue',
  '/catalogue?q=webfolw': '/catalogue',
  '/catalogue/technology': '/catalogue/:kind',
  '/catalogue/technology?category=analytics': '/catalogue/:kind',
  '/catalogue/builder/wordpress': '/catalogue/:kind/:slug',
} as const
const EMAIL = 'operator@a.example'
const PEPPER = 'one pepper for all that is measured'
const DATABASE = 'siteprint_bench_portal'

type PageTimes = Readonly<Record<string, { readonly medianMs: number; readonly p95Ms: number }>>

/**
 * Measures the pages of the portal one after another, as an operator with a session, while the store contains 10,000 accounts
 * with a key each: with the embedded store and, if tools/services.sh has started the servers, with Redis and MongoDB.
 * The times are those that the server logs for its responses: from the arrival of a request to the end of its response.
 * @param rounds requests for each page, in tens
 */
export async function measurePortal(
  rounds: number,
): Promise<Readonly<Record<'embedded' | 'servers', PageTimes | null>>> {
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-bench-'))
  try {
    const embedded = await measureStore({ DATA_DIR: folder }, rounds)
    const { REDIS_URL, MONGODB_URL } = servicesStatus()
    if (REDIS_URL === undefined || MONGODB_URL === undefined) return { embedded, servers: null }
    const servers = { REDIS_URL, MONGODB_URL: `${MONGODB_URL}/${DATABASE}`, AUTH_SECRET: PEPPER.repeat(2) }
    return { embedded, servers: await measureStore(servers, rounds) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureStore(env: Env, rounds: number): Promise<PageTimes> {
  const { store } = await openStore(
    { dataDir: env.DATA_DIR ?? '', mongodbUrl: env.MONGODB_URL ?? null, keyPepper: PEPPER },
    { role: 'tool' },
  )
  try {
    await fill(store)
    const settings = { ...env, KEY_PEPPER: PEPPER, PORT: '0', SIGNUP: 'open', ADMIN_EMAILS: EMAIL, PORTAL: 'on' }
    return await measureServer(settings, rounds)
  } finally {
    const { authDatabase } = store
    if (authDatabase.kind === 'mongodb') await authDatabase.get().db.dropDatabase()
    await store.close()
  }
}

/** Creates the accounts, each with a key. The keys of the newest ones were used today. */
async function fill({ authDatabase, keys, usage }: Store): Promise<void> {
  const now = new Date()
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => ({
    id: `a${i}`,
    name: `Owner ${i}`,
    email: `a${i}@b.example`,
  }))
  if (authDatabase.kind === 'mongodb') {
    const dates = { createdAt: now, updatedAt: now, emailVerified: false, plan: 'free', suspendedAt: null }
    const documents = accounts.map(({ id, ...account }) => ({ _id: id, ...account, ...dates }))
    await authDatabase.get().db.collection<{ _id: string }>('accounts').insertMany(documents)
  } else {
    const insert = authDatabase.db.prepare(
      'INSERT INTO accounts (id, name, email, emailVerified, plan, createdAt, updatedAt) VALUES (?, ?, ?, 0, ?, ?, ?)',
    )
    const time = now.toISOString()
    authDatabase.db.exec('BEGIN')
    for (const { id, name, email } of accounts) insert.run(id, name, email, 'free', time, time)
    authDatabase.db.exec('COMMIT')
  }
  const day = now.toISOString().slice(0, 10)
  const used = new Set(accounts.slice(-USED).map(({ id }) => id))
  await inBatches(accounts, async ({ id, name, email }) => {
    const { key } = buildKey({ name, email, plan: 'free', revision: null, account: id, now, pepper: PEPPER })
    await keys.createAccountKey(key, 1)
    if (used.has(id)) await usage.charge({ counter: key.id, day, quota: 100, at: now })
  })
}

async function inBatches<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < all.length; i += 100) await Promise.all(all.slice(i, i + 100).map(work))
}

async function measureServer(env: Env, rounds: number): Promise<PageTimes> {
  const main = fileURLToPath(new URL('../../src/main.js', import.meta.url))
  const server = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    let printed = ''
    while (!/listens on \S+ /.test(printed)) printed += (await once(server.stdout, 'data'))[0]
    const [, url = ''] = /listens on (\S+) /.exec(printed) ?? []
    const log = on(createInterface({ input: server.stderr }), 'line')
    const cookie = await logIn(url, await createOperator(EMAIL, env))
    const times: Record<string, PageTimes[string]> = {}
    for (const [path, route] of Object.entries(PAGES))
      times[path] = await measurePage({ url, path, route, cookie, log }, rounds)
    return times
  } finally {
    server.kill('SIGKILL')
  }
}

/** Chooses the password of the operator, logs in and creates a key. @returns the cookie of the session */
async function logIn(url: string, resetPath: string): Promise<string> {
  const password = 'a long and unusual password'
  const send = async (path: string, form: Readonly<Record<string, string>>, cookie = ''): Promise<Response> => {
    const request = { method: 'POST', body: new URLSearchParams(form), headers: { origin: url, cookie } }
    const response = await fetch(url + path, { ...request, redirect: 'manual' })
    if (response.status >= 400) throw new Error(`${path} failed with status ${response.status}`)
    return response
  }
  await send('/reset', { token: new URL(resetPath, url).searchParams.get('token') ?? '', password })
  const cookies = (await send('/login', { email: EMAIL, password })).headers.getSetCookie()
  const cookie = cookies.map((one) => one.split(';', 1)[0]).join('; ')
  await send('/account/keys', { action: 'default' }, cookie)
  return cookie
}

interface PageRequest {
  readonly url: string
  readonly path: string
  readonly route: string
  readonly cookie: string
  /** Lines of the server's log. */
  readonly log: AsyncIterator<readonly string[]>
}

async function measurePage({ url, path, route, cookie, log }: PageRequest, rounds: number): Promise<PageTimes[string]> {
  const times: number[] = []
  for (let i = -10; i < rounds * 10; i++) {
    const response = await fetch(url + path, { headers: { cookie }, redirect: 'manual' })
    await response.text()
    if (response.status !== 200) throw new Error(`${path} was answered with status ${response.status}`)
    const ms = await readTime(log, route)
    if (i >= 0) times.push(ms) // The first requests are warm-ups.
  }
  return { medianMs: roundToTenth(median(times)), p95Ms: roundToTenth(quantile(times, 0.95)) }
}

/** Reads the log up to the next response of a route. @returns its time in milliseconds */
async function readTime(log: AsyncIterator<readonly string[]>, wanted: string): Promise<number> {
  for (;;) {
    const [line] = (await log.next()).value
    const { route, ms } = JSON.parse(line) as { readonly route?: string; readonly ms?: number }
    if (route === wanted && ms !== undefined) return ms
  }
}

const roundToTenth = (ms: number): number => Math.round(ms * 10) / 10
