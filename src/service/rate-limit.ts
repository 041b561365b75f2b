import type { SharedState } from '../coordination/types.ts'
import { ApiError } from '../errors.ts'
import { computeNextMinute, countSecondsUntil } from '../keys/calendar.ts'
import type { Plan } from '../keys/plans.ts'
import { findLimits } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import type { RequestState, Revision } from './request-state.ts'

/** Requests per minute in revision 1, for every plan. */
export const REVISION_1_PER_MINUTE = 30

interface LimitSettings {
  readonly plans: ReadonlyMap<string, Plan>
  /** API revision of keys that are not pinned to one. */
  readonly apiRevision: Revision
}

/** Finds the API revision of a key: its own if it is pinned to one, otherwise the service's. */
export function findRevision(key: Key, settings: Pick<LimitSettings, 'apiRevision'>): Revision {
  return key.revision ?? settings.apiRevision
}

/** Finds how many requests per minute a key may make. A limit of its own also applies in revision 1. */
function findMinuteLimit(key: Key, settings: LimitSettings): number {
  if (findRevision(key, settings) === 1) return key.perMinute ?? REVISION_1_PER_MINUTE
  return findLimits(settings.plans, key).perMinute
}

/** The cache lookup that shares a round trip with counting the request. */
interface CacheLookup {
  /** Cache key; absent for no lookup. */
  readonly entry?: string
  readonly extras?: boolean
}

interface CountOptions {
  readonly settings: LimitSettings
  readonly shared: SharedState
  readonly lookup: CacheLookup
}

/**
 * Counts a request against the rate limit of a key, or of its slot, and reads the cached result in the same round trip.
 * @throws ApiError `rate_limited`
 */
export async function countKeyRequest(
  state: RequestState,
  key: Key,
  { settings, shared, lookup }: CountOptions,
): Promise<void> {
  const limit = findMinuteLimit(key, settings)
  const { count, entry } = await shared.countRequest({
    counter: `key:${key.counter}`,
    now: state.now,
    cost: 1,
    ...lookup,
  })
  state.window = { limit, count }
  state.entry = entry
  if (count <= limit) return
  throw new ApiError('rate_limited', { retryAfter: countSecondsUntil(computeNextMinute(state.now), state.now) })
}
