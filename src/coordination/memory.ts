import { LRUCache } from 'lru-cache'
import { nanoid } from 'nanoid'
import { type CacheEntry, computeExpiry, isCacheable, type LimitResult, type SharedState, WINDOW_MS } from './types.ts'

/** Maximum number of counters of minutes, and of counters of days, about 10 MB each. Beyond it, the least recently used counters are dropped. */
const MAX_COUNTERS = 100_000
/** Estimated memory of an entry in addition to its texts: objects, list nodes and string headers. Errs on the high side. */
const ENTRY_OVERHEAD_BYTES = 512
const CHARACTER_BYTES = 2

/**
 * Keeps counts and results in this process only. The time is passed in by callers, so nothing expires by itself: entries of
 * past minutes and old results are evicted when newer ones need the room. Scans within one process are already joined by
 * `SingleFlight`, so every acquisition gets the lock.
 * @param maxBytes size limit of all results together, at 2 bytes a character; a positive integer
 */
export function openMemory({ maxBytes }: { readonly maxBytes: number }): SharedState {
  // With `max` instead, the cache would allocate all counters at once: 7 ms and several megabytes at each start.
  const openCounts = () => new LRUCache<string, number>({ maxSize: MAX_COUNTERS, sizeCalculation: () => 1 })
  // Counts of days have room of their own, because a flood of counters of minutes would drop them.
  const counts = { minute: openCounts(), day: openCounts() }
  const entries = new LRUCache<string, CacheEntry>({ maxSize: maxBytes, sizeCalculation: estimateBytes })

  const findEntry = (key: string, now: number): CacheEntry | null => {
    const entry = entries.get(key)
    return entry !== undefined && now < computeExpiry(entry) ? entry : null
  }

  return {
    isUp: true,

    async countRequest({ counter, now, window = 'minute', cost, entry, extras }): Promise<LimitResult> {
      const name = `${Math.floor(now / WINDOW_MS[window])} ${counter}`
      const count = (counts[window].get(name) ?? 0) + cost
      if (cost > 0) counts[window].set(name, count)
      const found = entry === undefined ? null : findEntry(entry, now)
      return { count, entry: extras === true ? found : omitExtras(found) }
    },

    async acquire(key, { fresh, now }) {
      const entry = fresh ? null : findEntry(key, now)
      return entry === null ? { role: 'lead', token: nanoid() } : { role: 'done', entry }
    },

    async renew() {},

    async readOutcome() {
      return 'gone'
    },

    async complete(key, _token, { result }) {
      if (result !== null && isCacheable(result)) entries.set(key, result)
    },

    async close() {
      counts.minute.clear()
      counts.day.clear()
      entries.clear()
    },
  }
}

function omitExtras(entry: CacheEntry | null): CacheEntry | null {
  return entry && { at: entry.at, result: entry.result }
}

function estimateBytes({ result, extras = '' }: CacheEntry, key: string): number {
  return CHARACTER_BYTES * (key.length + result.length + extras.length) + ENTRY_OVERHEAD_BYTES
}
