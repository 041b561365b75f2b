import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import type { Key } from '../../keys/types.ts'
import { getRequestState } from '../../service/request-state.ts'
import { allowOnly } from '../../web/allowed-methods.ts'
import type { Operation } from './operation.ts'
import { buildRoute, keepValidationError, type ReadRequest } from './route.ts'

/** A `GET` endpoint that exists in revision 2 only. */
interface Endpoint {
  readonly operation: Operation
  /** Checks the parameters after schema validation. */
  readonly read?: ReadRequest
  readonly handle: (request: FastifyRequest, reply: FastifyReply, caller: Caller) => unknown
}

/** The key of a request, and when the request arrived in milliseconds since 1970. */
interface Caller {
  readonly key: Key
  readonly now: number
}

/**
 * Registers an endpoint of revision 2. Keys of revision 1 get 404 for every method, as for a path that does not exist; an error
 * in the parameters must not show them that it does.
 */
export async function registerGet2(
  v1: FastifyInstance,
  { operation, read = keepValidationError, handle }: Endpoint,
): Promise<void> {
  const options = buildRoute(operation, {
    read: (request, state) => {
      if (state.revision === 1) state.error = new ApiError('not_found')
      return state.error === undefined ? read(request, state) : {}
    },
  })
  await v1.register(async (scope) => {
    scope.addHook('preHandler', async (request) => {
      const { key, revision } = getRequestState(request)
      if (key !== undefined && revision === 1) throw new ApiError('not_found')
    })
    scope.get(operation.path, options, async (request, reply) =>
      handle(request, reply, getRequestState(request) as Caller),
    )
    allowOnly(scope, operation.path, ['GET'])
  })
}
