import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type MatchPool, openPool, type PoolOptions } from '../../src/detector/worker-pool.ts'
import { ScanError } from '../../src/errors.ts'
import type { PageInput } from '../../src/index.ts'
import { trapRules, trapWorker } from './trap-rules.ts'

/** Pools with the trap rules. */
export interface TrapPools {
  /** Opens a pool that is closed after the test. */
  readonly open: (options: PoolOptions) => MatchPool
  /** Opens a ready pool that is closed after the test. */
  readonly openReady: (options: PoolOptions) => Promise<MatchPool>
  /** A ready pool with the usual options, for all tests that need no others: it must survive them all. */
  readonly findSurvivor: () => MatchPool
}

/** Opens pools with the trap rules for the tests of a file. */
export function useTrapPools(usual: PoolOptions): TrapPools {
  let parts: PoolOptions
  let survivor: MatchPool
  const opened: MatchPool[] = []
  const open = (options: PoolOptions): MatchPool => openPool({ ...parts, ...usual, ...options })
  beforeAll(async () => {
    parts = { worker: await trapWorker(), ...trapRules() }
    survivor = open({})
    await survivor.ready
  })
  afterEach(async () => {
    for (const pool of opened.splice(0)) await pool.close()
  })
  afterAll(() => survivor.close())
  const openForTest = (options: PoolOptions): MatchPool => {
    const pool = open(options)
    opened.push(pool)
    return pool
  }
  const openReady = async (options: PoolOptions): Promise<MatchPool> => {
    const pool = openForTest(options)
    await pool.ready
    return pool
  }
  return { open: openForTest, openReady, findSurvivor: () => survivor }
}

export const LOOP: PageInput = { html: '<p>loop for ever' }
export const pageAt = (path: string): PageInput => ({
  url: `https://acme.com/${path}`,
  status: 200,
  html: '<p>harmless',
})

export async function expectMatch(pool: MatchPool): Promise<void> {
  const { verdict, buildMs, detectMs } = await pool.match(pageAt('good'))
  expect(verdict).toMatchObject({ url: 'https://acme.com/good', technologies: ['Acme'] })
  expect(Math.min(buildMs, detectMs)).toBeGreaterThanOrEqual(0)
}

/** Returns `matched`, the reason of a ScanError, or another error. */
export function findOutcome(match: Promise<unknown>): Promise<unknown> {
  return match.then(
    () => 'matched',
    (error) => (error instanceof ScanError ? error.reason : error),
  )
}
