import { withFallback } from '../../src/coordination/fallback.ts'
import { openMemory } from '../../src/coordination/memory.ts'
import { openRedis } from '../../src/coordination/redis/redis.ts'
import type { SharedState } from '../../src/coordination/types.ts'
import { type GuardedStore, guardStore } from '../../src/store/guard.ts'
import { withKeyCache } from '../../src/store/mongo/key-cache.ts'
import { openMongo } from '../../src/store/mongo/mongo.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { newFolder } from '../store/open-stores.ts'
import { mongoUrl, redisUrl } from '../support/services.ts'
import { chooseStores } from '../support/stores.ts'

export interface AppStores {
  readonly store: GuardedStore
  readonly shared: SharedState
  /** Number of completed calls to the store or to Redis, by operation. */
  readonly answered: (operation: string) => number
}

/** One kind of stores for an app. */
export interface AppKind {
  readonly name: string
  readonly isMissing: boolean
  /** Whether several nodes share the store, each with a key cache of at most 4 s. */
  readonly isShared: boolean
  /** Opens the stores: embedded ones with new data, servers with the same data each time, as nodes do. */
  readonly open: () => Promise<AppStores>
}

// Long enough for thousands of concurrent requests on a slow machine: none may be counted by the fallback.
const SERVER_TIMEOUT_MS = 60_000

/** Opens memory and SQLite. */
export async function openEmbedded(): Promise<AppStores> {
  const { observe, answered } = countCalls()
  const store = guardStore(await openSqlite({ folder: newFolder(), role: 'server' }), { timeoutMs: null, observe })
  return { store, shared: openMemory({ maxBytes: 16 * 1024 * 1024 }), answered }
}

/** Opens Redis and MongoDB, which several nodes share. */
export async function openServers(urls: { readonly mongodb: string; readonly redis: string }): Promise<AppStores> {
  const mongo = await openMongo({ url: urls.mongodb, queueMs: SERVER_TIMEOUT_MS })
  const memory = openMemory({ maxBytes: 16 * 1024 * 1024 })
  const { observe, answered } = countCalls()
  const guard = { timeoutMs: SERVER_TIMEOUT_MS, observe }
  const shared = withFallback(await openRedis({ url: urls.redis, silentMs: SERVER_TIMEOUT_MS }), memory, guard)
  return { store: withKeyCache(guardStore(mongo, guard)), shared, answered }
}

function countCalls(): { observe: (operation: string) => void } & Pick<AppStores, 'answered'> {
  const counts = new Map<string, number>()
  const answered = (operation: string): number => counts.get(operation) ?? 0
  return { answered, observe: (operation) => void counts.set(operation, answered(operation) + 1) }
}

/** A store in which one method runs another function. `isUp` is that of the store unless it is given. */
export function overrideStore(
  store: GuardedStore,
  { method, run, isUp }: { readonly method: string; readonly run: () => Promise<unknown>; readonly isUp?: boolean },
): GuardedStore {
  const override = <T extends object>(part: T): T => (method in part ? { ...part, [method]: run } : part)
  const { ping, close } = override({ ping: () => store.ping(), close: () => store.close() })
  return {
    get isUp() {
      return isUp ?? store.isUp
    },
    keys: override(store.keys),
    usage: override(store.usage),
    accounts: override(store.accounts),
    audit: override(store.audit),
    batches: override(store.batches),
    settings: override(store.settings),
    authDatabase: store.authDatabase,
    reportFailure: (error) => store.reportFailure(error),
    ping,
    readClock: () => store.readClock(),
    close,
  }
}

/** Memory and SQLite. */
export const EMBEDDED: AppKind = { name: 'memory and SQLite', isMissing: false, isShared: false, open: openEmbedded }

/** Finds Redis and MongoDB. */
export async function findServers(suite: string): Promise<AppKind> {
  const redis = await redisUrl(suite)
  const mongodb = mongoUrl(suite)
  return {
    name: 'Redis and MongoDB',
    isMissing: redis === null || mongodb === null,
    isShared: true,
    open: () => openServers({ redis: redis ?? '', mongodb: mongodb ?? '' }),
  }
}

/** Returns the kind that this project of Vitest tries. */
export function findAppKind(suite: string): Promise<AppKind> {
  return chooseStores({ embedded: async () => EMBEDDED, servers: () => findServers(suite) })
}
