import type { FastifyReply } from 'fastify'
import type { SharedState } from '../coordination/types.ts'
import { ApiError } from '../errors.ts'
import { planOf } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import { addressCounter, UNKNOWN_KEYS_A_MINUTE } from './auth.ts'
import { nextMinute, secondsUntil } from './calendar.ts'
import type { HostSettings, Revision } from './parts.ts'
import type { Call, Window } from './request-state.ts'

/** Requests a minute in revision 1, whatever the plan. */
const REVISION_1_A_MINUTE = 30

/** The revision that a key speaks. */
export function revisionOf(key: Key, settings: HostSettings): Revision {
  return key.revision ?? settings.apiRevision
}

/** Requests a minute that a key may make. */
function limitOf(key: Key, settings: HostSettings): number {
  return revisionOf(key, settings) === 1 ? REVISION_1_A_MINUTE : planOf(settings.plans, key.plan).perMinute
}

/** What to look for in the cache while the request is counted. */
interface Wanted {
  readonly entry?: string
  readonly extras?: boolean
}

/**
 * Counts a request of a key, and brings the cached entry in the same round trip.
 * @throws ApiError `rate_limited`
 */
export async function takeMinute(
  call: Call,
  key: Key,
  {
    settings,
    shared,
    wanted,
  }: { readonly settings: HostSettings; readonly shared: SharedState; readonly wanted: Wanted },
): Promise<void> {
  const limit = limitOf(key, settings)
  const { count, entry } = await shared.countRequest({ counter: `key:${key.id}`, now: call.now, cost: 1, ...wanted })
  call.window = { limit, count }
  call.entry = entry
  if (count > limit) throw new ApiError('rate_limited', { retryAfter: secondsUntil(nextMinute(call.now), call.now) })
}

/** Sets the rate headers. Without a key they tell of the address. */
export function setRateHeaders(reply: FastifyReply, { now }: { readonly now: number }, window: Window): void {
  reply.headers(rateHeaders(now, window))
}

/** The window of an address nobody has counted yet. */
export const UNCOUNTED: Window = { limit: UNKNOWN_KEYS_A_MINUTE, count: 0 }

/** Where an address stands; nothing is counted. */
export async function windowOf(client: string, now: number, shared: SharedState): Promise<Window> {
  const { count } = await shared.countRequest({ counter: addressCounter(client), now, cost: 0 })
  return { limit: UNKNOWN_KEYS_A_MINUTE, count }
}

/** `X-RateLimit-*`; the reset is Unix time in seconds. */
export function rateHeaders(now: number, { limit, count }: Window): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(0, limit - count)),
    'x-ratelimit-reset': String(nextMinute(now) / 1000),
  }
}
