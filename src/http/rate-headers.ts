import type { FastifyReply } from 'fastify'
import type { SharedState } from '../coordination/types.ts'
import { computeNextMinute } from '../keys/calendar.ts'
import type { RateLimitWindow } from '../service/request-state.ts'
import { buildAddressCounter, UNKNOWN_KEYS_A_MINUTE } from './auth.ts'

/** Sets the `X-RateLimit-*` headers. Without a valid key they describe the window of the client's address. */
export function setRateHeaders(reply: FastifyReply, { now }: { readonly now: number }, window: RateLimitWindow): void {
  reply.headers(buildRateHeaders(now, window))
}

/** The window of an address that has sent no invalid key in this minute. */
export const UNCOUNTED: RateLimitWindow = { limit: UNKNOWN_KEYS_A_MINUTE, count: 0 }

/** Reads the window of a client address without counting. */
export async function readAddressWindow(client: string, now: number, shared: SharedState): Promise<RateLimitWindow> {
  const { count } = await shared.countRequest({ counter: buildAddressCounter(client), now, cost: 0 })
  return { limit: UNKNOWN_KEYS_A_MINUTE, count }
}

/** Builds the `X-RateLimit-*` headers. The reset is a Unix time in seconds. */
export function buildRateHeaders(now: number, { limit, count }: RateLimitWindow): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(0, limit - count)),
    'x-ratelimit-reset': String(computeNextMinute(now) / 1000),
  }
}
