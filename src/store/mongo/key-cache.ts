import { LRUCache } from 'lru-cache'
import { isUsable } from '../../keys/key.ts'
import type { Key } from '../../keys/types.ts'
import type { GuardedStore } from '../guard.ts'
import type { KeyStore } from '../types.ts'

/** How long a key is cached, in milliseconds, so that a revocation takes effect on every node within 5 s. */
const MAX_AGE_MS = 4000
const MAX_CACHED_KEYS = 10_000

interface CachedLookup {
  readonly since: number
  readonly key: Promise<Key | null>
  /** The result, once the lookup has settled. */
  found?: Key
}

/**
 * Caches the keys that `findKey` returns. Usable keys are also found while the store is down, for as long as they are cached.
 * The cache wraps the guard, so that metrics count the lookups that reach the store.
 */
export function withKeyCache(store: GuardedStore): GuardedStore {
  return {
    get isUp() {
      return store.isUp
    },
    keys: { ...store.keys, findKey: cacheLookups(store.keys) },
    usage: store.usage,
    accounts: store.accounts,
    audit: store.audit,
    batches: store.batches,
    settings: store.settings,
    authDatabase: store.authDatabase,
    reportFailure: (error) => store.reportFailure(error),
    ping: () => store.ping(),
    readClock: () => store.readClock(),
    close: () => store.close(),
  }
}

/**
 * A lookup is cached from its start, so that concurrent requests with one key share one call of the store. Unknown keys are not
 * cached, so that a new key works immediately. Revoked and expired secrets are not cached either: neither the time of a
 * response nor an outage of the store reveals that they were once valid.
 */
function cacheLookups(keys: KeyStore): KeyStore['findKey'] {
  const lookups = new LRUCache<string, CachedLookup>({ max: MAX_CACHED_KEYS })
  return (hash) => {
    const cached = lookups.get(hash)
    if (cached !== undefined && isCurrent(cached, hash)) return cached.key
    const lookup: CachedLookup = { since: performance.now(), key: keys.findKey(hash) }
    lookups.set(hash, lookup)
    const forget = (): void => {
      if (lookups.peek(hash) === lookup) lookups.delete(hash)
    }
    lookup.key.then((found) => {
      if (found === null || !isUsable(found, hash, Date.now())) forget()
      else lookup.found = found
    }, forget)
    return lookup.key
  }
}

function isCurrent({ since, found }: CachedLookup, hash: string): boolean {
  if (performance.now() - since >= MAX_AGE_MS) return false
  return found === undefined || isUsable(found, hash, Date.now())
}
