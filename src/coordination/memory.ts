import { LRUCache } from 'lru-cache'
import { nanoid } from 'nanoid'
import { CACHE_MS, type CacheEntry, isCacheable, type SharedState, type Taken } from './types.ts'

/** Counters that are kept, some 10 MB; of more, those that were asked for longest ago are forgotten. */
const MAX_COUNTERS = 100_000
/** What an entry takes beside its texts: objects, places in the list, headers of strings. A guess, on the safe side. */
const ENTRY_BYTES = 512
const CHARACTER_BYTES = 2

/**
 * Keeps counts and results in this process alone. Its time is what callers say, so that nothing expires by itself: old
 * minutes and results go when newer ones need the place. Flights are the host's, which joins
 * them within one process, so that everybody here leads.
 * @param maxBytes of all results together, 2 a character; a positive integer
 */
export function openMemory({ maxBytes }: { readonly maxBytes: number }): SharedState {
  const counts = new LRUCache<string, number>({ max: MAX_COUNTERS })
  const entries = new LRUCache<string, CacheEntry>({ maxSize: maxBytes, sizeCalculation: bytesOf })

  const lookUp = (key: string, now: number): CacheEntry | null => {
    const entry = entries.get(key)
    return entry !== undefined && now < entry.at + CACHE_MS ? entry : null
  }

  return {
    isUp: true,

    async take({ counter, now, cost, entry, extras }): Promise<Taken> {
      const name = `${Math.floor(now / 60_000)} ${counter}`
      const count = (counts.get(name) ?? 0) + cost
      if (cost > 0) counts.set(name, count)
      const found = entry === undefined ? null : lookUp(entry, now)
      return { count, entry: extras === true ? found : withoutExtras(found) }
    },

    async board(key, { fresh, now }) {
      const entry = fresh ? null : lookUp(key, now)
      return entry === null ? { role: 'lead', token: nanoid() } : { role: 'done', entry }
    },

    async renew() {},

    async outcomeOf() {
      return 'gone'
    },

    async land(key, _token, { result }) {
      if (result !== null && isCacheable(result)) entries.set(key, result)
    },

    async close() {
      counts.clear()
      entries.clear()
    },
  }
}

function withoutExtras(entry: CacheEntry | null): CacheEntry | null {
  return entry && { at: entry.at, result: entry.result }
}

function bytesOf({ result, extras = '' }: CacheEntry, key: string): number {
  return CHARACTER_BYTES * (key.length + result.length + extras.length) + ENTRY_BYTES
}
