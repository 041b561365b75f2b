import { withFallback } from '../../src/coordination/fallback.ts'
import { openMemory } from '../../src/coordination/memory.ts'
import { openRedis } from '../../src/coordination/redis/redis.ts'
import type { SharedState } from '../../src/coordination/types.ts'
import { redisUrl } from '../support/services.ts'
import { chooseStores } from '../support/stores.ts'

/** Tests share their cores with other processes, so none depends on the speed of Redis or of this process. */
const WAIT_MS = 60_000

/** Returns the first millisecond of the next minute. Entries with this time do not expire by the clock of Redis. */
export function nextMinute(): number {
  return Math.ceil(Date.now() / 60_000) * 60_000
}

export function openTestMemory(): SharedState {
  return openMemory({ maxBytes: 100 * 1024 * 1024 })
}

/** A kind of shared state. */
export type StateKind = readonly [name: string, open: () => Promise<SharedState>]

interface FoundStates {
  readonly isMissing: boolean
  readonly states: readonly StateKind[]
}

/** Returns the kinds that this project of Vitest tries: memory, or Redis with and without the fallback. */
export function findStates(suite: string): Promise<FoundStates> {
  return chooseStores<Promise<FoundStates>>({
    embedded: async () => ({ isMissing: false, states: [['memory', async () => openTestMemory()]] }),
    servers: async () => {
      const url = await redisUrl(suite)
      return { isMissing: url === null, states: listRedisStates(url ?? '') }
    },
  })
}

/** Redis with and without the fallback, as `[name, open]`. */
export function listRedisStates(url: string): readonly StateKind[] {
  const openPatiently = (): Promise<SharedState> => openRedis({ url, silentMs: WAIT_MS })
  return [
    ['Redis', openPatiently],
    ['Redis with fallback', async () => withFallback(await openPatiently(), openTestMemory(), { timeoutMs: WAIT_MS })],
  ]
}
