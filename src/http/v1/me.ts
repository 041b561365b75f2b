import type { FastifyInstance } from 'fastify'
import { computeNextMonth, formatDay } from '../../keys/calendar.ts'
import { findLimits } from '../../keys/plans.ts'
import type { Key } from '../../keys/types.ts'
import { getRequestState } from '../../service/request-state.ts'
import type { KeyInfo } from '../../service/response-schemas.ts'
import { allowOnly } from '../../web/allowed-methods.ts'
import type { AppParts } from '../parts.ts'
import type { Operation } from './operation.ts'
import { NO_QUERY } from './request-schemas.ts'
import { buildRoute } from './route.ts'

/** `GET /me` in the OpenAPI documents. */
export const GET_KEY_INFO: Operation = {
  method: 'get',
  path: '/me',
  operationId: 'getKeyInfo',
  summary: 'Key info and usage',
  description: 'Counts against the rate limit, but not against the quota.',
  query: () => NO_QUERY,
  ok: 'KeyInfo',
  since: 1,
}

/** Registers `GET /me`: details and usage of the key. It counts against the rate limit but not against the quota. */
export function registerMe(v1: FastifyInstance, { store, settings }: AppParts): void {
  v1.get('/me', buildRoute(GET_KEY_INFO), async (request): Promise<KeyInfo> => {
    const { key, now } = getRequestState(request) as { key: Key; now: number }
    const used = await store.usage.touch({ counter: key.counter, day: formatDay(now), at: new Date(now) })
    const limit = findLimits(settings.plans, key).perMonth
    return {
      name: key.name,
      email: key.email,
      plan: key.plan,
      requests_used: used,
      requests_limit: limit,
      requests_remaining: Math.max(0, limit - used),
      resets_on: new Date(computeNextMonth(now)).toISOString().slice(0, 10),
      last_used_at: new Date(now).toISOString(),
      created_at: key.createdAt.toISOString(),
    }
  })
  allowOnly(v1, '/me', ['GET'])
}
