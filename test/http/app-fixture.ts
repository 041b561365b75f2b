import { Writable } from 'node:stream'
import { type Logger, pino } from 'pino'
import { expect } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { DEFAULT_POLICY, type Policy } from '../../src/fetch/policy.ts'
import { UNKNOWN_KEYS_A_MINUTE } from '../../src/http/auth.ts'
import type { AppParts, AppSettings } from '../../src/http/parts.ts'
import { buildKey, type KeyParts } from '../../src/keys/key.ts'
import { loadPlans } from '../../src/keys/plans.ts'
import type { Key } from '../../src/keys/types.ts'
import { CurrentRules } from '../../src/scan/current-rules.ts'
import type { LiveScan } from '../../src/scan/scanner.ts'
import { Metrics } from '../../src/service/metrics.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { SAMPLE_RULES, sampleScan } from '../support/sample-scan.ts'
import { type AppStores, openEmbedded } from './app-kinds.ts'
import { type Answer, checkAnswer, findSchemaCheck } from './check-response.ts'

/** Redis expires entries by its own clock, so a test's clock must not be behind it. */
export const NEXT_YEAR = new Date().getUTCFullYear() + 1
const PEPPER = 'a pepper of the tests, long enough'

export interface TestRequest {
  readonly method?: string
  readonly url: string
  /** API key, sent as a bearer token. */
  readonly secret?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent unchanged; an object is sent as JSON. */
  readonly body?: string | Buffer | object
  readonly address?: string
}

export interface TestKey {
  readonly key: Key
  readonly secret: string
}

export interface TestApp extends AppStores, App {
  /** The app's clock; tests may change it. */
  readonly clock: { now: number }
  readonly parts: AppParts
  /** The URLs that were scanned. */
  readonly scanned: string[]
  /** Returns the complete log. */
  readonly log: () => string
  readonly newKey: (change?: Partial<KeyParts>) => Promise<TestKey>
  /** Sends a request and checks the properties of every response. */
  readonly call: (request: TestRequest) => Promise<Answer>
}

export interface AppOptions {
  readonly stores?: AppStores
  readonly settings?: Partial<AppSettings>
  readonly policy?: Partial<Policy>
  readonly now?: number
  readonly scan?: (url: string) => Promise<LiveScan>
  readonly parts?: Partial<AppParts>
}

/** Builds an app that does not listen, with its own stores. It is closed after the test file, and its log must contain no secret. */
export async function openApp(options: AppOptions = {}): Promise<TestApp> {
  const { stores = await openEmbedded(), scan = async (url) => sampleScan(url) } = options
  const clock = { now: options.now ?? Date.UTC(NEXT_YEAR, 4, 10, 12, 0, 15) }
  const lines: string[] = []
  const scanned: string[] = []
  const parts = buildParts(options, {
    ...stores,
    clock: () => clock.now,
    log: logTo(lines),
    scan: ({ url }) => {
      scanned.push(url.href)
      return scan(url.href)
    },
  })
  const app = await buildApp(parts)
  const read = async (path: string) => findSchemaCheck((await app.fastify.inject(path)).payload)
  const checks = { 1: await read('/openapi-1.json'), 2: await read('/openapi.json') }
  const secrets: string[] = []
  const revisions = new Map<string, 1 | 2>()
  const log = (): string => lines.join('')
  onFileEnd(async () => {
    await app.close()
    await stores.shared.close()
    await stores.store.close()
    for (const secret of secrets) expect(log()).not.toContain(secret)
  })
  return {
    ...stores,
    ...app,
    clock,
    parts,
    scanned,
    log,
    newKey: async (change) => {
      const made = await createKey(parts, change)
      revisions.set(made.secret, made.key.revision ?? parts.settings.apiRevision)
      secrets.push(made.secret, ...made.key.secrets.map(({ hash }) => hash))
      return made
    },
    call: async (request) => {
      const answer = await sendRequest(app, request)
      // A request whose key was not accepted has the revision of the service.
      const isAnonymous = answer.status === 401 || answer.headers['x-ratelimit-limit'] === String(UNKNOWN_KEYS_A_MINUTE)
      const sent = [request.secret ?? '', ...Object.values(request.headers ?? {})].join(' ')
      const [, own] = [...revisions].find(([secret]) => sent.includes(secret)) ?? []
      const revision = (!isAnonymous && own) || parts.settings.apiRevision
      checkAnswer(request.url, answer, { checkSchema: checks[revision], revision })
      const whole = answer.text + JSON.stringify(answer.headers)
      for (const secret of secrets) if (whole.includes(secret)) expect.fail(`the response contains a secret: ${whole}`)
      return answer
    },
  }
}

/**
 * Returns a function that opens one app for each of different settings. For tests of one file that only send requests with keys
 * of their own.
 */
export function shareApps(): (settings?: Partial<AppSettings>) => Promise<TestApp> {
  const apps = new Map<string, Promise<TestApp>>()
  return (settings = {}) => {
    const name = JSON.stringify(settings)
    const app = apps.get(name) ?? openApp({ settings })
    apps.set(name, app)
    return app
  }
}

function buildParts(options: AppOptions, parts: AppStores & Pick<AppParts, 'clock' | 'log' | 'scan'>): AppParts {
  return {
    ...parts,
    settings: {
      plans: loadPlans(),
      apiRevision: 2,
      corsOrigins: [],
      trustProxy: null,
      scanConcurrency: 64,
      workerConcurrency: 16,
      batchDays: 7,
      host: '127.0.0.1',
      publicUrl: null,
      // Requests without a socket name this host.
      allowedHosts: ['localhost'],
      contactUrl: null,
      adminEmails: [],
      auditDays: 400,
      ...options.settings,
    },
    pepper: PEPPER,
    accounts: null,
    workers: () => ({ waiting: 0, running: 0 }),
    policy: { ...DEFAULT_POLICY, ...options.policy },
    rules: new CurrentRules(SAMPLE_RULES),
    metrics: new Metrics(),
    version: '1.2.3',
    ...options.parts,
  }
}

async function createKey({ clock, store, pepper }: AppParts, change: Partial<KeyParts> = {}): Promise<TestKey> {
  const usual = { name: 'Harbour Line', email: 'dev@harbourline.example', plan: 'advanced', revision: null }
  const made = buildKey({ ...usual, now: new Date(clock()), pepper, ...change })
  if (change.account === undefined) await store.keys.createKey(made.key)
  else expect(await store.keys.createAccountKey(made.key, Number.MAX_SAFE_INTEGER)).toBe(true)
  return { ...made, key: (await store.keys.getKey(made.key.id)) ?? made.key }
}

async function sendRequest(
  { fastify }: App,
  { method = 'GET', url, secret, headers, body, address }: TestRequest,
): Promise<Answer> {
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body)
  const reply = await fastify.inject({
    method: method as 'GET',
    url,
    headers: {
      ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
      ...(isJson && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: isJson ? JSON.stringify(body) : body }),
    ...(address !== undefined && { remoteAddress: address }),
  })
  const text = reply.payload
  return {
    status: reply.statusCode,
    headers: reply.headers as Answer['headers'],
    text,
    body:
      /^application\/(?:\S+\+)?json/.test(`${reply.headers['content-type']}`) && text !== '' ? JSON.parse(text) : null,
  }
}

function logTo(lines: string[]): Logger {
  const write = (line: unknown, _: unknown, next: () => void): void => {
    lines.push(`${line}`)
    next()
  }
  return pino({ level: 'trace' }, new Writable({ write }))
}

/** Settings with one plan, `free`, that has these limits. */
export function onePlan(perMinute: number, perMonth: number): Pick<AppSettings, 'plans'> {
  return { plans: new Map([['free', { name: 'free', perMinute, perMonth, keys: 1 }]]) }
}

let sites = 0
/** Returns a URL that no other test uses: results cached in Redis outlive an app. */
export function newSite(): string {
  return `https://new-${++sites}.example.org/`
}

/** Builds the path `/api/v1/scan?url=…` with additional parameters. */
export function scanOf(url: string, more = ''): string {
  return `/api/v1/scan?url=${encodeURIComponent(url)}${more}`
}
