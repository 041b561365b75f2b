import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import type { Key } from '../../keys/types.ts'
import type { AppSettings } from '../parts.ts'
import { findRevision } from '../rate-limit.ts'
import { getRequestState } from '../request-state.ts'
import { allowOnly, buildOperation, keepValidationError, type Operation, type ReadRequest } from './route.ts'

/** A `GET` endpoint that exists in revision 2 only. */
interface Endpoint {
  readonly path: string
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
  settings: Pick<AppSettings, 'apiRevision'>,
  { path, operation, read = keepValidationError, handle }: Endpoint,
): Promise<void> {
  const isHidden = (key: Key): boolean => findRevision(key, settings) === 1
  const options = {
    attachValidation: true,
    schema: buildOperation({ ...operation, failures: { 404: 'not_found: the key is of revision 1' } }),
    config: {
      read: (...[request, state]: Parameters<ReadRequest>): ReturnType<ReadRequest> => {
        if (state.key !== undefined && isHidden(state.key)) state.error = new ApiError('not_found')
        return state.error === undefined ? read(request, state) : {}
      },
    },
  }
  await v1.register(async (scope) => {
    scope.addHook('preHandler', async (request) => {
      const { key } = getRequestState(request)
      if (key !== undefined && isHidden(key)) throw new ApiError('not_found')
    })
    scope.get(path, options, async (request, reply) => handle(request, reply, getRequestState(request) as Caller))
    allowOnly(scope, path, ['GET'])
  })
}
