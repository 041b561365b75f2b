import { createHash } from 'node:crypto'
import { CACHE_MS, type CacheEntry } from '../types.ts'
import type { Reply } from './connection.ts'

/** Key of a minute's count. Counters are ids and addresses, never secrets. */
export function minuteKey(counter: string, now: number): string {
  return `siteprint:minute:${counter}:${Math.floor(now / 60_000)}`
}

/** Key of a result. Which sites are scanned cannot be read from it. */
export function entryKey(entry: string): string {
  return `siteprint:entry:${digest(entry)}`
}

/** Key of the lock of a flight. */
export function flightKey(entry: string): string {
  return `siteprint:flight:${digest(entry)}`
}

/** Key of what a flight left to those who wait. */
export function outcomeKey(token: string): string {
  return `siteprint:outcome:${token}`
}

/** Fields and values of an entry, in turn. */
export function fieldsOf({ at, result, extras }: CacheEntry): string[] {
  const fields = ['at', `${at}`, 'result', result]
  return extras === undefined ? fields : [...fields, 'extras', extras]
}

/** @returns the entry of a reply `[at, result, extras?]`; null for one that is not there or too old at that time */
export function entryOf(reply: Reply, now: number): CacheEntry | null {
  if (!Array.isArray(reply)) return null
  const [at, result, extras] = reply as readonly Reply[]
  if (typeof at !== 'string' || typeof result !== 'string' || now >= Number(at) + CACHE_MS) return null
  return { at: Number(at), result, ...(typeof extras === 'string' && { extras }) }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
