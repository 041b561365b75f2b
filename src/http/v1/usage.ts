import type { Static } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../errors.ts'
import type { Key } from '../../keys/types.ts'
import { invalid } from '../body.ts'
import { formatDay, formatMonth, listDaysOfMonth } from '../calendar.ts'
import type { AppParts } from '../parts.ts'
import { findRevision } from '../rate-limit.ts'
import { getRequestState } from '../request-state.ts'
import { allowOnly, buildOperation, keepValidationError, type ReadRequest } from './route.ts'
import { type KeyUsage, USAGE_QUERY } from './schemas.ts'

type Query = Static<typeof USAGE_QUERY>

/**
 * Registers `GET /usage`: the charged scans of the key by day. It counts against the rate limit, but not against the quota. Keys of
 * revision 1 get 404 for every method, as for a path that does not exist.
 */
export async function registerUsage(v1: FastifyInstance, { store, settings }: AppParts): Promise<void> {
  const isHidden = (key: Key): boolean => findRevision(key, settings) === 1
  const options = {
    attachValidation: true,
    schema: buildOperation({
      operationId: 'getUsage',
      summary: 'Usage by day',
      description: 'Counts against the rate limit, but not against the quota. Exists in revision 2 only.',
      querystring: USAGE_QUERY,
      ok: 'KeyUsage',
      failures: { 404: 'not_found: the key is of revision 1' },
    }),
    config: { read: buildReader(isHidden) },
  }
  await v1.register(async (scope) => {
    scope.addHook('preHandler', async (request) => {
      const { key } = getRequestState(request)
      if (key !== undefined && isHidden(key)) throw new ApiError('not_found')
    })
    scope.get('/usage', options, async (request): Promise<KeyUsage> => {
      const { key, now } = getRequestState(request) as { key: Key; now: number }
      const { month = formatMonth(now) } = request.query as Query
      return await readUsage(store, key.id, { month, today: formatDay(now) })
    })
    allowOnly(scope, '/usage', ['GET'])
  })
}

/** Builds the function that checks the month. An error of a hidden request must not show that the path exists. */
function buildReader(isHidden: (key: Key) => boolean): ReadRequest {
  return (request, state) => {
    if (state.key !== undefined && isHidden(state.key)) state.error = new ApiError('not_found')
    keepValidationError(request, state)
    const { month = '' } = request.query as Query
    if (state.error === undefined && month > formatMonth(state.now)) state.error = invalid('month is in the future.')
    return {}
  }
}

async function readUsage(
  store: AppParts['store'],
  key: string,
  { month, today }: { readonly month: string; readonly today: string },
): Promise<KeyUsage> {
  const [used, charged] = await Promise.all([store.usage.usedBy(key, month), store.usage.listDays([key], month)])
  const requests = new Map(charged.map((one) => [one.day, one.used]))
  const dates = listDaysOfMonth(month).filter((date) => date <= today)
  return { month, requests_used: used, days: dates.map((date) => ({ date, requests: requests.get(date) ?? 0 })) }
}
