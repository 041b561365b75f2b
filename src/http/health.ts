import type { FastifyInstance } from 'fastify'
import { getRequestState } from '../service/request-state.ts'
import type { PepperCheck } from './pepper-check.ts'

/** The routes of the checks. */
export const HEALTH_ROUTE = /^\/health\//

interface HealthParts {
  readonly store: { readonly isUp: boolean }
  readonly drain: { readonly isDraining: boolean }
  readonly pepperCheck: Pick<PepperCheck, 'isWrong'>
}

/** Why the service is not ready → the reason in log and metrics. */
const REASONS = { draining: 'draining', store: 'store_away', pepper: 'wrong_pepper' } as const

/**
 * Registers the liveness and readiness checks. Readiness fails while the service drains, while the store reports errors, and while
 * no stored key was made with a pepper of this server.
 * It reads the outcome of real store calls and of the store's probe: a check of its own could succeed where those fail.
 */
export async function registerHealth(app: FastifyInstance, { store, drain, pepperCheck }: HealthParts): Promise<void> {
  const options = { exposeHeadRoute: true }
  app.get('/health/live', options, async () => ({ status: 'live' }))
  app.get('/health/ready', options, async (request, reply) => {
    const why = drain.isDraining ? 'draining' : !store.isUp ? 'store' : (await pepperCheck.isWrong()) ? 'pepper' : null
    if (why === null) return { status: 'ready' }
    getRequestState(request).reason = REASONS[why]
    return reply.code(503).send({ status: 'not ready', why })
  })
}
