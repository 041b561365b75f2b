import { renameSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { buildPage, detect, type PageInput, type Ruleset } from '../../src/index.ts'
import { type MatchPool, openPool, type PoolOptions } from '../../src/scan/worker-pool.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'
import { builtWorker } from './built-worker.ts'
import { trapRules, trapWorker } from './trap-rules.ts'

let worker: string
let withTraps: string
let traps: Pick<PoolOptions, 'folders' | 'detectors'>
beforeAll(async () => {
  worker = builtWorker()
  withTraps = await trapWorker()
  traps = trapRules()
})

const open: MatchPool[] = []
afterEach(async () => {
  for (const pool of open.splice(0)) await pool.close()
})

/** A ready pool with the trap rules, for all tests that need no options: it must survive them all. */
let survivor: MatchPool
beforeAll(async () => {
  survivor = openPool({ worker: withTraps, ...traps, ...USUAL })
  await survivor.ready
})
afterAll(() => survivor.close())

/** The wait limit is long enough for the start of a replacement worker. */
const USUAL: PoolOptions = { threads: 1, matchMs: 300, maxWaitMs: 60_000 }

/** A ready pool with the trap rules; `survivor` if no options are given. */
async function trapPool(options?: PoolOptions): Promise<MatchPool> {
  if (options === undefined) return survivor
  const pool = coldPool(options)
  await pool.ready
  return pool
}

function coldPool(options: PoolOptions): MatchPool {
  const pool = openPool({ worker: withTraps, ...traps, ...USUAL, ...options })
  open.push(pool)
  return pool
}

const LOOP: PageInput = { html: '<p>loop for ever' }
const pageAt = (path: string): PageInput => ({ url: `https://acme.com/${path}`, status: 200, html: '<p>harmless' })
const expectMatch = async (pool: MatchPool): Promise<void> => {
  const { verdict, buildMs, detectMs } = await pool.match(pageAt('good'))
  expect(verdict).toMatchObject({ url: 'https://acme.com/good', technologies: ['Acme'] })
  expect([buildMs, detectMs].every((ms) => ms >= 0 && ms < 300)).toBe(true)
}
const findOutcome = (match: Promise<unknown>): Promise<unknown> =>
  match.then(
    () => 'matched',
    (error) => (error instanceof ScanError ? error.reason : error),
  )

describe('a page that harms its worker fails alone', () => {
  /** A pool whose time limit is too long for pages that need too much memory. */
  let patient: MatchPool
  beforeAll(async () => {
    patient = openPool({ worker: withTraps, ...traps, ...USUAL, matchMs: 60_000, maxOldMb: 64 })
    await patient.ready
  })
  afterAll(() => patient.close())

  const inTime = (): MatchPool => patient
  const usual = (): MatchPool => survivor
  test.each<[trap: string, findPool: () => MatchPool, reason: string, cause: object | undefined]>([
    ['loop for ever', usual, 'worker_killed', undefined],
    ['backtrack for ever', usual, 'worker_killed', undefined],
    ['eat arrays', inTime, 'worker_killed', { code: 'ERR_WORKER_OUT_OF_MEMORY' }],
    ['eat texts', inTime, 'worker_killed', { code: 'ERR_WORKER_OUT_OF_MEMORY' }],
    ['eat maps', inTime, 'worker_killed', { code: 'ERR_WORKER_OUT_OF_MEMORY' }],
    ['leave', usual, 'internal', { message: 'worker exited with code: 7' }],
  ])('%s', async (trap, findPool, reason, cause) => {
    const pool = findPool()
    await expect(pool.match({ html: `<p>${trap}` })).rejects.toMatchObject({ reason, ...(cause && { cause }) })
    await expectMatch(pool)
  })

  test('the worker is killed at the time limit', async () => {
    const pool = await trapPool()
    const started = performance.now()
    expect(await findOutcome(pool.match(LOOP))).toBe('worker_killed')
    expect(performance.now() - started).toBeGreaterThan(290)
    expect(performance.now() - started).toBeLessThan(1300)
  })

  test('loading the rules does not count towards the time limit of a page', async () => {
    const pool = await trapPool({ ...trapRules(300), matchMs: 60 }) // Loading takes longer.
    for (let round = 0; round < 2; round++) {
      expect(await findOutcome(pool.match(LOOP))).toBe('worker_killed')
      await expectMatch(pool)
    }
  })

  test('20 pages next to a hostile one are all matched', async () => {
    const pool = await trapPool({ threads: 2 })
    const hostile = findOutcome(pool.match(LOOP))
    const paths = Array.from({ length: 20 }, (_, i) => `page-${i}`)
    const answers = await Promise.all(paths.map((path) => pool.match(pageAt(path))))
    expect(answers.map(({ verdict }) => verdict.url)).toEqual(paths.map((path) => `https://acme.com/${path}`))
    expect(await hostile).toBe('worker_killed')
  })

  test('an invalid input is reported, and the worker continues', async () => {
    const pool = await trapPool()
    const error = { reason: 'internal', cause: { message: 'url must be an absolute http or https URL' } }
    await expect(pool.match({ url: 'ftp://acme.com/' })).rejects.toMatchObject(error)
    const uncloneable = { html: (() => {}) as unknown as string }
    await expect(pool.match(uncloneable)).rejects.toMatchObject({ reason: 'internal' })
    await expectMatch(pool)
  })
})

describe('waiting', () => {
  test('pages are matched in FIFO order', async () => {
    const pool = await trapPool()
    const matched: number[] = []
    const pages = Array.from({ length: 30 }, (_, i) => pool.match(pageAt(`${i}`)).then(() => matched.push(i)))
    expect([pool.running, pool.waiting]).toEqual([1, 29])
    await Promise.all(pages)
    expect(matched).toEqual(pages.map((_, i) => i))
    expect([pool.running, pool.waiting]).toEqual([0, 0])
  })

  test.each([0, 2])('with %i waiting pages as the limit, the next one fails immediately', async (maxWaiting) => {
    const pool = await trapPool({ maxWaiting })
    const running = findOutcome(pool.match(LOOP))
    const waiting = Array.from({ length: maxWaiting }, () => findOutcome(pool.match(pageAt(''))))
    expect(await findOutcome(pool.match(pageAt('')))).toBe('busy')
    expect([pool.running, pool.waiting]).toEqual([1, maxWaiting])
    expect(await Promise.all([running, ...waiting])).toEqual(['worker_killed', ...waiting.map(() => 'matched')])
  })

  test.each([
    ['a ready pool', trapPool],
    ['a pool that is still loading, which does not count as waiting', coldPool],
  ])('in %s, a page that waits too long fails', async (_, openIt) => {
    const pool = await openIt({ ...trapRules(500), matchMs: 1000, maxWaitMs: 200 }) // Loading takes longer.
    const ready = pool.ready.then(() => performance.now())
    const running = findOutcome(pool.match(LOOP))
    expect(await findOutcome(pool.match(pageAt('')))).toBe('busy')
    expect(performance.now() - (await ready)).toBeLessThan(900)
    expect([pool.running, pool.waiting]).toEqual([1, 0])
    expect(await running).toBe('worker_killed') // The wait limit does not apply to a running page.
  })
})

test('pages report that no worker can be replaced; then the pool recovers', async () => {
  const rules = trapRules()
  // The wait is short, because until a worker can be replaced the pool starts one after another.
  const pool = await trapPool({ ...rules, maxWaitMs: 500, spares: 0 })
  const [module] = rules.detectors
  renameSync(module, `${module}.away`)
  expect(await findOutcome(pool.match(LOOP))).toBe('worker_killed')
  const cause = { message: expect.stringContaining('the module could not be loaded') }
  const isReported = (): Promise<unknown> => pool.match(pageAt('')).catch((error: unknown) => error)
  // On a slow machine the first replacement fails after the wait of the first page.
  await expect.poll(isReported, { timeout: 30_000 }).toMatchObject({ reason: 'busy', cause })
  renameSync(`${module}.away`, module)
  await expect.poll(() => findOutcome(pool.match(pageAt(''))), { timeout: 30_000 }).toBe('matched')
  await expectMatch(pool)
})

describe('an aborted signal', () => {
  test.each<[when: string, before: readonly PageInput[], page: PageInput]>([
    ['runs', [], LOOP],
    ['waits', [LOOP], pageAt('')],
  ])('ends a page that %s', async (_, before, page) => {
    const pool = await trapPool()
    const others = before.map((one) => findOutcome(pool.match(one)))
    const controller = new AbortController()
    const match = findOutcome(pool.match(page, { signal: controller.signal }))
    controller.abort('enough')
    expect(await match).toBe('enough')
    expect(await Promise.all(others)).toEqual(others.map(() => 'worker_killed'))
    await expectMatch(pool)
  })

  test('rejects a new page', async () => {
    const pool = await trapPool()
    const match = pool.match(pageAt(''), { signal: AbortSignal.abort('enough') })
    expect([pool.running, await findOutcome(match)]).toEqual([0, 'enough'])
  })

  test('has no effect after the match', async () => {
    const pool = await trapPool()
    const controller = new AbortController()
    await pool.match(pageAt(''), { signal: controller.signal })
    const next = pool.match(pageAt(''))
    controller.abort()
    expect(await findOutcome(next)).toBe('matched')
  })
})

describe('the transfer to the worker', () => {
  const html = '<title>Größe</title><script src="https://cdn.shopify.com/s/files/1/a.js"></script>'
  const bytes = new TextEncoder().encode(html)
  const buffer = new Uint8Array(1000)
  buffer.set(bytes, 100)
  const answer = { url: 'https://acme.com/', status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } }

  let pool: MatchPool
  let ruleset: Ruleset
  beforeAll(() => {
    pool = openPool({ worker, threads: 1, spares: 0 })
    ruleset = openOwnRuleset()
  })
  afterAll(() => pool.close())

  test.each<[name: string, html: string | Uint8Array, left: number]>([
    ['a text', html, html.length],
    ['bytes, which are transferred', bytes.slice(), 0],
    ['a view of a buffer, which is copied', buffer.subarray(100, 100 + bytes.length), bytes.length],
    ['a pooled Buffer', Buffer.from(html), bytes.length],
    ['no bytes', new Uint8Array(), 0],
  ])('%s: the verdict is equal to that of the main thread', async (_, given, left) => {
    const page = { ...answer, html: given.length === 0 ? '' : html }
    const { verdict } = await pool.match({ ...answer, html: given })
    expect(given.length).toBe(left)
    expect(verdict).toEqual(JSON.parse(JSON.stringify(detect(ruleset, buildPage(page)))))
  })
})
