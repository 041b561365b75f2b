import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import type { Key } from '../../keys/types.ts'
import { getRequestState } from '../../service/request-state.ts'
import { allowOnly } from '../../web/allowed-methods.ts'
import type { Operation } from './operation.ts'
import { buildRoute, type ReadRequest, readValidated } from './route.ts'

/** An endpoint that exists in revision 2 only. */
export interface Endpoint {
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
 * Registers endpoints of one path, which exist in revision 2 only. Keys of revision 1 get 404 for every method, as for a path that does
 * not exist; an error in the parameters must not show them that it does.
 */
export async function registerPath2(v1: FastifyInstance, endpoints: readonly Endpoint[]): Promise<void> {
  await v1.register(async (scope) => {
    scope.addHook('preHandler', async (request) => {
      const { key, revision } = getRequestState(request)
      if (key !== undefined && revision === 1) throw new ApiError('not_found')
    })
    const paths = new Set(endpoints.map(({ operation }) => toRoutePath(operation)))
    for (const { operation, read = readValidated, handle } of endpoints) {
      const options = buildRoute(operation, {
        read: (request, state) => (state.revision === 1 ? { error: new ApiError('not_found') } : read(request, state)),
      })
      scope[operation.method](toRoutePath(operation), options, async (request, reply) =>
        handle(request, reply, getRequestState(request) as Caller),
      )
    }
    for (const path of paths) {
      const methods = endpoints.filter(({ operation }) => toRoutePath(operation) === path)
      allowOnly(
        scope,
        path,
        methods.map(({ operation }) => operation.method.toUpperCase()),
      )
    }
  })
}

/** Registers a `GET` endpoint of revision 2. */
export async function registerGet2(v1: FastifyInstance, endpoint: Endpoint): Promise<void> {
  await registerPath2(v1, [endpoint])
}

/** The path of an operation with its parameters as Fastify writes them. */
function toRoutePath({ path }: Operation): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}
