import type { FastifyInstance } from 'fastify'
import { planOf } from '../../keys/plans.ts'
import type { Key } from '../../keys/types.ts'
import { monthOf, nextMonth } from '../calendar.ts'
import type { HostParts } from '../parts.ts'
import { callOf } from '../request-state.ts'
import { allowOnly, holdFault, operation } from './route.ts'
import { NO_QUERY } from './schemas.ts'

/** `GET /me`: the key's own details and usage. It counts against the minute and costs no quota. */
export function registerMe(v1: FastifyInstance, { store, settings }: HostParts): void {
  v1.get(
    '/me',
    {
      attachValidation: true,
      schema: operation({
        operationId: 'getKeyInfo',
        summary: 'Key info and usage',
        description: 'Counts against the minute, costs no quota.',
        querystring: NO_QUERY,
        ok: 'KeyInfo',
      }),
      config: { read: holdFault },
    },
    async (request) => {
      const { key, now } = callOf(request) as { key: Key; now: number }
      const used = await store.usage.touch({ key: key.id, month: monthOf(now), at: new Date(now) })
      const limit = planOf(settings.plans, key.plan).perMonth
      return {
        name: key.name,
        email: key.email,
        plan: key.plan,
        requests_used: used,
        requests_limit: limit,
        requests_remaining: Math.max(0, limit - used),
        resets_on: new Date(nextMonth(now)).toISOString().slice(0, 10),
        last_used_at: new Date(now).toISOString(),
        created_at: key.createdAt.toISOString(),
      }
    },
  )
  allowOnly(v1, '/me', ['GET'])
}
