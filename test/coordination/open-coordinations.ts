import { withFallback } from '../../src/coordination/fallback.ts'
import { openMemory } from '../../src/coordination/memory.ts'
import { openRedis } from '../../src/coordination/redis/redis.ts'
import type { SharedState } from '../../src/coordination/types.ts'

/** The first millisecond of a minute to come: entries of that time do not expire by Redis's own clock. */
export const MINUTE = Math.ceil(Date.now() / 60_000) * 60_000

export function stateInMemory(): SharedState {
  return openMemory({ maxBytes: 100 * 1024 * 1024 })
}

/** Redis, bare and behind the fallback: `[name, open]`. */
export function statesOnRedis(url: string): [string, () => Promise<SharedState>][] {
  return [
    ['Redis', () => openRedis({ url })],
    // Tests share their cores with others: how fast Redis answers is not tried here.
    ['Redis with fallback', async () => withFallback(await openRedis({ url }), stateInMemory(), { timeoutMs: 5000 })],
  ]
}
