import { withFallback } from '../../src/coordination/fallback.ts'
import { openMemory } from '../../src/coordination/memory.ts'
import { openRedis } from '../../src/coordination/redis/redis.ts'
import type { SharedState } from '../../src/coordination/types.ts'

/** Returns the first millisecond of the next minute. Entries with this time do not expire by the clock of Redis. */
export function nextMinute(): number {
  return Math.ceil(Date.now() / 60_000) * 60_000
}

export function openTestMemory(): SharedState {
  return openMemory({ maxBytes: 100 * 1024 * 1024 })
}

/** Redis with and without the fallback, as `[name, open]`. */
export function listRedisStates(url: string): [string, () => Promise<SharedState>][] {
  return [
    ['Redis', () => openRedis({ url })],
    // Tests share their cores with other processes, so these do not depend on the speed of Redis.
    ['Redis with fallback', async () => withFallback(await openRedis({ url }), openTestMemory(), { timeoutMs: 5000 })],
  ]
}
