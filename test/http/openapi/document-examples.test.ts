import { beforeAll, describe, expect, test } from 'vitest'
import { API_ERRORS, type ApiErrorCode, ScanError } from '../../../src/errors.ts'
import { EXAMPLE_ENTRY, EXAMPLE_REQUEST_ID, EXAMPLE_RESPONSES } from '../../../src/http/v1/example-responses.ts'
import { COMMON_ERRORS, type Operation } from '../../../src/http/v1/operation.ts'
import { OPERATIONS } from '../../../src/http/v1/operations.ts'
import { CurrentRules } from '../../../src/scan/current-rules.ts'
import type { LiveScan } from '../../../src/scan/scanner.ts'
import type { KeyInfo } from '../../../src/service/response-schemas.ts'
import { StoreError } from '../../../src/store/types.ts'
import { SAMPLE_RULES } from '../../support/sample-scan.ts'
import { onePlan, openApp, type TestApp, type TestRequest } from '../app-fixture.ts'
import { openEmbedded, overrideStore } from '../app-kinds.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document.
type Json = any

const KEY = EXAMPLE_RESPONSES.KeyInfo as KeyInfo
const NOW = Date.parse(KEY.last_used_at)

/** The scan of the examples. The first label of any other host is the reason why its scan fails. */
async function scan(url: string): Promise<LiveScan> {
  const [label] = new URL(url).hostname.split('.')
  if (label === 'unreachable' || label === 'deadline') throw new ScanError(label)
  const { evidence, versions, warnings, page, ...live } = JSON.parse(EXAMPLE_ENTRY.extras ?? '')
  const verdict = { ...JSON.parse(EXAMPLE_ENTRY.result), evidence, versions, warnings, page }
  return { verdict, ...live, isLate: false }
}

type Revision = 1 | 2
/** An app and a key for which one error, or none, is the outcome of requests. */
interface Scene {
  readonly app: TestApp
  readonly secret: string
}

async function openScene(revision: Revision, options: Parameters<typeof openApp>[0] = {}): Promise<Scene> {
  const settings = { ...onePlan(10, 100), apiRevision: revision, ...options.settings }
  const { ruleset: version, entries: catalogue } = EXAMPLE_RESPONSES.Catalogue as Json
  const rules = new CurrentRules({ ...SAMPLE_RULES, version, catalogue })
  const app = await openApp({ now: NOW, scan, parts: { rules }, ...options, settings })
  const { secret, key } = await app.newKey({ ...KEY, now: new Date(KEY.created_at) })
  for (const day of ['2026-05-01', '2026-05-01', '2026-05-03'])
    if (options.settings === undefined)
      await app.store.usage.charge({ counter: key.id, day, quota: 100, at: new Date(NOW) })
  return { app, secret }
}

async function openBroken(revision: Revision, error: Error): Promise<Scene> {
  const stores = await openEmbedded()
  const store = overrideStore(stores.store, { method: 'findKey', run: () => Promise.reject(error) })
  return openScene(revision, { stores: { ...stores, store } })
}

/** Code → how to open an app in which a valid request gets this error. */
const SCENES: Partial<Record<ApiErrorCode, (revision: Revision) => Promise<Scene>>> = {
  rate_limited: async (revision) => {
    const scene = await openScene(revision)
    const left = async (): Promise<string | undefined> =>
      (await scene.app.call({ url: '/api/v1/me', secret: scene.secret })).headers['x-ratelimit-remaining']
    while ((await left()) !== '0');
    return scene
  },
  quota_exceeded: (revision) => openScene(revision, { settings: onePlan(10, 0) }),
  internal: (revision) => openBroken(revision, new TypeError('x is not a function')),
  unavailable: (revision) => openBroken(revision, new StoreError('away')),
  maintenance: async (revision) => {
    const stores = await openEmbedded()
    await stores.store.settings.setSwitches({ maintenance: true })
    return openScene(revision, { stores })
  },
}

/** Builds a valid request to an operation, with additional parameters. */
function buildRequest({ method, path, ok }: Operation, more: Readonly<Record<string, unknown>> = {}): TestRequest {
  const parameters = { ...(ok === 'ScanResult' && { url: 'https://example.org' }), ...more }
  const headers = { 'x-request-id': EXAMPLE_REQUEST_ID }
  if (method === 'post') return { method: 'POST', url: `/api/v1${path}`, headers, body: parameters }
  const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
  return { url: `/api/v1${path}?${query}`, headers }
}

/** Code → how to change a valid request so that it gets this error. */
const REQUESTS: Partial<Record<ApiErrorCode, (operation: Operation, sentence: string) => TestRequest>> = {
  invalid_request: (operation, sentence) => buildRequest(operation, { [`${/"(\w+)"/.exec(sentence)?.[1]}`]: 1 }),
  invalid_url: (operation) => buildRequest(operation, { url: 'example' }),
  blocked_target: (operation) => buildRequest(operation, { url: 'http://printer.lan/' }),
  scan_failed: (operation) => buildRequest(operation, { url: 'https://unreachable.example.org' }),
  scan_timeout: (operation) => buildRequest(operation, { url: 'https://deadline.example.org' }),
  misdirected_request: (operation) => {
    const request = buildRequest(operation)
    return { ...request, headers: { ...request.headers, host: 'rebound.example' } }
  },
  method_not_allowed: (operation) => ({ ...buildRequest(operation), method: 'DELETE', body: undefined }),
}

describe.each([[1], [2]] as const)('revision %d', (revision) => {
  const operations = OPERATIONS.filter(({ since }) => since <= revision)
  // Batches are tried in test/http/batches.stores.test.ts: their examples need a batch, and its id and times are never the same.
  const examined = operations.filter(({ path }) => !path.startsWith('/batches'))
  const scenes = new Map<string, Promise<Scene>>()
  const openOnce = (
    name: ApiErrorCode | 'usual' | 'requests',
    open = SCENES[name as ApiErrorCode] ?? openScene,
  ): Promise<Scene> => {
    const scene = scenes.get(name) ?? open(revision)
    scenes.set(name, scene)
    return scene
  }
  let document: Json
  beforeAll(async () => {
    const { app } = await openOnce('usual')
    document = (await app.call({ url: revision === 2 ? '/openapi.json' : '/openapi-1.json' })).body
  })
  const responsesOf = ({ path, method }: Operation): Json => document.paths[`/api/v1${path}`][method].responses
  const examplesOf = (operation: Operation, status: number): Json =>
    responsesOf(operation)[status].content['application/json'].examples

  const failures = examined.flatMap((operation) =>
    [...COMMON_ERRORS, ...(operation.errors ?? [])].map((code) => [operation.operationId, code, operation] as const),
  )
  test.each(failures)('%s: the example of %s is the response', async (_, code, operation) => {
    const { app, secret } = await openOnce(code)
    const [status] = API_ERRORS[code]
    const { value } = examplesOf(operation, status)[code]
    const request = REQUESTS[code]?.(operation, value.error) ?? buildRequest(operation)
    const answer = await app.call({ ...request, ...(code !== 'unauthorized' && { secret }) })
    expect([answer.status, answer.body]).toEqual([status, value])
  })

  test('there is no example of another error', () => {
    for (const operation of operations) {
      const names = Object.keys(responsesOf(operation)).flatMap((status) =>
        Number(status) >= 400 ? Object.keys(examplesOf(operation, Number(status))) : [],
      )
      expect(names.sort()).toEqual([...COMMON_ERRORS, ...(operation.errors ?? [])].sort())
    }
  })

  test.each(examined.map((operation) => [operation.operationId, operation] as const))(
    '%s: each example of 200 is the response',
    async (_, operation) => {
      const { app, secret } = await openScene(revision)
      const include = document.components.schemas.Extra.enum
      const parameters: Readonly<Record<string, Record<string, unknown>>> = { extras: { include, fresh: true } }
      const examples = Object.entries<Json>(examplesOf(operation, 200))
      for (const [name, { value }] of examples) {
        const { status, body, text } = await app.call({ ...buildRequest(operation, parameters[name]), secret })
        expect([name, status, body]).toEqual([name, 200, value])
        expect(text, 'the order of the fields').toBe(JSON.stringify(value))
      }
      expect(examples.length).toBe(operation.ok === 'ScanResult' ? 3 : 1)
    },
  )

  test.each(examined.map((operation) => [operation.operationId, operation] as const))(
    '%s: a request of all examples is answered with 200, and so is each example of a body',
    async (_, { path, method }) => {
      const { app } = await openOnce('requests', () =>
        openScene(revision, { settings: { chromium: '/usr/bin/chromium' } }),
      )
      const { secret } = await app.newKey({ plan: KEY.plan })
      const { parameters = [], requestBody } = document.paths[`/api/v1${path}`][method]
      const { ScanRequest } = document.components.schemas
      const query = parameters.filter((one: Json) => one.in === 'query')
      const named = Object.values<Json>(requestBody?.content['application/json'].examples ?? {})
      const fields = Object.entries<Json>(ScanRequest.properties).map(([name, { examples }]) => [name, examples[0]])
      const bodies = requestBody
        ? [...named.map(({ value }) => value), ...ScanRequest.examples, Object.fromEntries(fields)]
        : [undefined]
      // Only the kind of the catalogue has no example: its values are a list.
      expect(query.filter((one: Json) => one.example === undefined && !one.schema.enum)).toEqual([])
      const examples = query.map((one: Json): [string, string] => [one.name, String(one.example ?? one.schema.enum[0])])
      const url = `/api/v1${path}?${new URLSearchParams(examples)}`
      for (const body of bodies) {
        const answer = await app.call({ method: method.toUpperCase(), url, body, secret })
        expect([url, body, answer.status]).toEqual([url, body, 200])
      }
    },
  )
})
