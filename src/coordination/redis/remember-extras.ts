import { LRUCache } from 'lru-cache'
import type { CacheEntry, LimitQuery, LimitResult } from '../types.ts'

/** Size limit of all entries that are remembered, in characters, and the size that each has at least. */
const MAX_CHARACTERS = 16 * 1024 * 1024
const MIN_CHARACTERS = 512

type CountRequest = (query: LimitQuery) => Promise<LimitResult>

/**
 * Remembers entries that were read with their extras in this process, so that Redis sends them once and not with each request: extras
 * can have 100 KB. Redis still decides which entry is current: the remembered one is used only if Redis has the same result of the same scan.
 */
export function rememberExtras(countRequest: CountRequest): CountRequest {
  const remembered = new LRUCache<string, CacheEntry>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ result, extras = '' }) => MIN_CHARACTERS + result.length + extras.length,
  })

  const read = async (query: LimitQuery, name: string): Promise<LimitResult> => {
    const found = await countRequest(query)
    if (found.entry?.extras === undefined) remembered.delete(name)
    else remembered.set(name, found.entry)
    return found
  }

  return async (query) => {
    const { entry: name, extras = false } = query
    if (name === undefined || !extras) return await countRequest(query)
    const known = remembered.get(name)
    if (known === undefined) return await read(query, name)
    const found = await countRequest({ ...query, extras: false })
    if (found.entry === null) return found
    if (isSameScan(known, found.entry)) return { ...found, entry: known }
    // Another scan has replaced the entry. The request was counted above.
    return { ...found, entry: (await read({ ...query, cost: 0 }, name)).entry }
  }
}

/** Two scans of one entry that end in the same millisecond with the same result describe the same state of the site. */
function isSameScan(one: CacheEntry, other: CacheEntry): boolean {
  return one.at === other.at && one.lifeMs === other.lifeMs && one.result === other.result
}
