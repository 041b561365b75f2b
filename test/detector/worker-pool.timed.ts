import { renameSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { expectMatch, findOutcome, LOOP, pageAt, useTrapPools } from './trap-pools.ts'
import { trapRules } from './trap-rules.ts'

const MATCH_MS = 300
const { openReady, findSurvivor } = useTrapPools({ threads: 1, matchMs: MATCH_MS, maxWaitMs: 60_000 })

test('the worker is killed at the time limit of a page, and not before', async () => {
  const pool = findSurvivor()
  const started = performance.now()
  expect(await findOutcome(pool.match(LOOP))).toBe('worker_killed')
  expect(performance.now() - started).toBeGreaterThan(MATCH_MS - 10)
  expect(performance.now() - started).toBeLessThan(10 * MATCH_MS) // Usually 15 ms after the limit.
  await expectMatch(pool)
})

test('a regular expression without end is killed at the time limit too', async () => {
  const pool = findSurvivor()
  expect(await findOutcome(pool.match({ html: '<p>backtrack for ever' }))).toBe('worker_killed')
  await expectMatch(pool)
})

describe('a page that needs too much memory fails alone', () => {
  test.each(['eat arrays', 'eat texts', 'eat maps'])('%s', async (trap) => {
    const pool = await openReady({ matchMs: 60_000, maxOldMb: 64 })
    const error = { reason: 'worker_killed', cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' } }
    await expect(pool.match({ html: `<p>${trap}` })).rejects.toMatchObject(error)
    await expectMatch(pool)
  })
})

test('loading the rules does not count towards the time limit of a page', async () => {
  const pool = await openReady({ ...trapRules(300), matchMs: 60 }) // Loading takes longer.
  for (let round = 0; round < 2; round++) {
    expect(await findOutcome(pool.match(LOOP))).toBe('worker_killed')
    await expectMatch(pool)
  }
})

test('pages report that no worker can be replaced; then the pool recovers', async () => {
  const rules = trapRules()
  // The wait is short, because until a worker can be replaced the pool starts one after another.
  const pool = await openReady({ ...rules, maxWaitMs: 500, spares: 0 })
  const [module] = rules.detectors
  renameSync(module, `${module}.away`)
  expect(await findOutcome(pool.match(LOOP))).toBe('worker_killed')
  const cause = { message: expect.stringContaining('the module could not be loaded') }
  const isReported = (): Promise<unknown> => pool.match(pageAt('')).catch((error: unknown) => error)
  // On a slow machine the first replacement fails after the wait of the first page.
  await expect.poll(isReported, { timeout: 30_000 }).toMatchObject({ reason: 'busy', cause })
  renameSync(`${module}.away`, module)
  await until(() => findOutcome(pool.match(pageAt(''))), 'matched')
  await expectMatch(pool)
})
