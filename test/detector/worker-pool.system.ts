import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MatchPool, openPool } from '../../src/detector/worker-pool.ts'
import { buildPage, detect, type PageInput, type Ruleset } from '../../src/index.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'
import { builtWorker } from './built-worker.ts'
import { expectMatch, findOutcome, LOOP, pageAt, useTrapPools } from './trap-pools.ts'
import { trapRules } from './trap-rules.ts'

// No page reaches this time limit. The tests of the limit are in worker-pool.timed.ts.
const { open, openReady, findSurvivor } = useTrapPools({ threads: 1, matchMs: 600_000, maxWaitMs: 600_000 })

/** Starts a match that ends when `stop` is called, with the outcome `stopped`. */
function startEndless(pool: MatchPool): { readonly outcome: Promise<unknown>; readonly stop: () => void } {
  const controller = new AbortController()
  const outcome = findOutcome(pool.match(LOOP, { signal: controller.signal }))
  return { outcome, stop: () => controller.abort('stopped') }
}

test('20 pages next to a hostile one are all matched', async () => {
  const pool = await openReady({ threads: 2 })
  const hostile = startEndless(pool)
  const paths = Array.from({ length: 20 }, (_, i) => `page-${i}`)
  const answers = await Promise.all(paths.map((path) => pool.match(pageAt(path))))
  expect(answers.map(({ verdict }) => verdict.url)).toEqual(paths.map((path) => `https://acme.com/${path}`))
  hostile.stop()
  expect(await hostile.outcome).toBe('stopped')
})

test('a page whose worker exits fails alone', async () => {
  const pool = findSurvivor()
  const error = { reason: 'internal', cause: { message: 'worker exited with code: 7' } }
  await expect(pool.match({ html: '<p>leave' })).rejects.toMatchObject(error)
  await expectMatch(pool)
})

test('an invalid input is reported, and the worker continues', async () => {
  const pool = findSurvivor()
  const error = { reason: 'internal', cause: { message: 'url must be an absolute http or https URL' } }
  await expect(pool.match({ url: 'ftp://acme.com/' })).rejects.toMatchObject(error)
  const uncloneable = { html: (() => {}) as unknown as string }
  await expect(pool.match(uncloneable)).rejects.toMatchObject({ reason: 'internal' })
  await expectMatch(pool)
})

describe('waiting', () => {
  test('pages are matched in FIFO order', async () => {
    const pool = findSurvivor()
    const matched: number[] = []
    const pages = Array.from({ length: 30 }, (_, i) => pool.match(pageAt(`${i}`)).then(() => matched.push(i)))
    expect([pool.running, pool.waiting]).toEqual([1, 29])
    await Promise.all(pages)
    expect(matched).toEqual(pages.map((_, i) => i))
    expect([pool.running, pool.waiting]).toEqual([0, 0])
  })

  test.each([0, 2])('with %i waiting pages as the limit, the next one fails immediately', async (maxWaiting) => {
    const pool = await openReady({ maxWaiting })
    const running = startEndless(pool)
    const waiting = Array.from({ length: maxWaiting }, () => findOutcome(pool.match(pageAt(''))))
    expect(await findOutcome(pool.match(pageAt('')))).toBe('busy')
    expect([pool.running, pool.waiting]).toEqual([1, maxWaiting])
    running.stop()
    expect(await Promise.all([running.outcome, ...waiting])).toEqual(['stopped', ...waiting.map(() => 'matched')])
  })

  test.each([
    ['a ready pool', openReady],
    ['a pool that is still loading, which does not count as waiting', open],
  ])('in %s, a page that waits too long fails; the running one does not', async (_, openIt) => {
    const pool = await openIt({ ...trapRules(500), maxWaitMs: 200 }) // Loading takes longer.
    const events: unknown[] = []
    const running = startEndless(pool)
    const loading = pool.ready.then(() => events.push('ready'))
    events.push(await findOutcome(pool.match(pageAt(''))))
    await loading
    expect(events).toEqual(['ready', 'busy'])
    expect([pool.running, pool.waiting]).toEqual([1, 0])
    running.stop()
    expect(await running.outcome).toBe('stopped')
  })
})

describe('an aborted signal', () => {
  test.each<[when: string, before: readonly PageInput[], page: PageInput]>([
    ['runs', [], LOOP],
    ['waits', [LOOP], pageAt('')],
  ])('ends a page that %s', async (_, before, page) => {
    const pool = findSurvivor()
    const others = before.map(() => startEndless(pool))
    const controller = new AbortController()
    const match = findOutcome(pool.match(page, { signal: controller.signal }))
    controller.abort('enough')
    expect(await match).toBe('enough')
    for (const { stop } of others) stop()
    for (const { outcome } of others) expect(await outcome).toBe('stopped')
    await expectMatch(pool)
  })

  test('rejects a new page', async () => {
    const pool = findSurvivor()
    const match = pool.match(pageAt(''), { signal: AbortSignal.abort('enough') })
    expect([pool.running, await findOutcome(match)]).toEqual([0, 'enough'])
  })

  test('has no effect after the match', async () => {
    const pool = findSurvivor()
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
    pool = openPool({ worker: builtWorker(), threads: 1, spares: 0 })
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
