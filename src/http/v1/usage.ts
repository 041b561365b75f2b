import type { Static } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { buildInvalidRequest } from '../../errors.ts'
import { formatDay, formatMonth, listDaysOfMonth } from '../../keys/calendar.ts'
import type { KeyUsage } from '../../service/response-schemas.ts'
import type { AppParts } from '../parts.ts'
import type { Operation } from './operation.ts'
import { USAGE_QUERY } from './request-schemas.ts'
import { registerGet2 } from './revision-2.ts'
import { type ReadRequest, readValidated } from './route.ts'

type UsageQuery = Static<typeof USAGE_QUERY>

/** `GET /usage` in the OpenAPI documents. */
export const GET_USAGE: Operation = {
  method: 'get',
  path: '/usage',
  operationId: 'getUsage',
  summary: 'Usage by day',
  description: 'Counts against the rate limit, but not against the quota. Exists in revision 2 only.',
  query: () => USAGE_QUERY,
  ok: 'KeyUsage',
  since: 2,
}

/**
 * Registers `GET /usage`: the charged scans of the key by day. It counts against the rate limit, but not against the quota.
 */
export async function registerUsage(v1: FastifyInstance, { store }: AppParts): Promise<void> {
  await registerGet2(v1, {
    operation: GET_USAGE,
    read: readMonth,
    handle: (request, _, { key, now }): Promise<KeyUsage> => {
      const { month = formatMonth(now) } = request.query as UsageQuery
      return readUsage(store, key.counter, { month, today: formatDay(now) })
    },
  })
}

/** Checks the month. */
const readMonth: ReadRequest = (request, state) => {
  const outcome = readValidated(request, state)
  const { month = '' } = request.query as UsageQuery
  const isFuture = outcome.error === undefined && month > formatMonth(state.now)
  return isFuture ? { error: buildInvalidRequest('month is in the future.') } : outcome
}

async function readUsage(
  store: AppParts['store'],
  counter: string,
  { month, today }: { readonly month: string; readonly today: string },
): Promise<KeyUsage> {
  const [used, charged] = await Promise.all([
    store.usage.usedBy(counter, month),
    store.usage.listDays([counter], month),
  ])
  const requests = new Map(charged.map((one) => [one.day, one.used]))
  const dates = listDaysOfMonth(month).filter((date) => date <= today)
  return { month, requests_used: used, days: dates.map((date) => ({ date, requests: requests.get(date) ?? 0 })) }
}
