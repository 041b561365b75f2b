import { createHash } from 'node:crypto'
import { type CacheEntry, computeExpiry, type LimitWindow, WINDOW_MS } from '../types.ts'
import type { Reply } from './connection.ts'

/** Redis key of the count of one minute or day. Counters are ids, addresses and hashes, never secrets. */
export function buildCountKey(counter: string, now: number, window: LimitWindow): string {
  return `siteprint:${window}:${counter}:${Math.floor(now / WINDOW_MS[window])}`
}

/** Redis key of a cached result. It contains a hash, so that key names do not reveal which sites are scanned. */
export function buildEntryKey(entry: string): string {
  return `siteprint:entry:${digest(entry)}`
}

/** Redis key of a single-flight lock. */
export function buildLockKey(entry: string): string {
  return `siteprint:flight:${digest(entry)}`
}

/** Redis key of a published outcome. */
export function buildOutcomeKey(token: string): string {
  return `siteprint:outcome:${token}`
}

/** Fields and values of an entry, alternating, as `HSET` expects them. */
export function formatFields({ at, lifeMs, result, extras }: CacheEntry): string[] {
  const fields = { at: `${at}`, ...(lifeMs !== undefined && { life: `${lifeMs}` }), result, extras }
  return Object.entries(fields).flatMap(([field, value]) => (value === undefined ? [] : [field, value]))
}

/** @returns the entry of a reply `[at, life, result, extras?]`; null if it is missing or has expired */
export function parseEntry(reply: Reply, now: number): CacheEntry | null {
  if (!Array.isArray(reply)) return null
  const [at, life, result, extras] = reply as readonly Reply[]
  if (typeof at !== 'string' || typeof result !== 'string') return null
  const times = { at: Number(at), ...(typeof life === 'string' && { lifeMs: Number(life) }) }
  if (now >= computeExpiry(times)) return null
  return { ...times, result, ...(typeof extras === 'string' && { extras }) }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
