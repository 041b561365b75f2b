import type { TObject } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { LimitQuery } from '../../coordination/types.ts'
import type { RequestState } from '../../service/request-state.ts'
import { listParameterNames, type Operation } from './operation.ts'
import { toRequestError } from './request-error.ts'
import { readOptions } from './request-schemas.ts'

/**
 * Reads the parameters of a request before the request is counted. Errors are kept in the request state and thrown after
 * rate limiting. Returns which cached result to read while the request is counted.
 */
export type ReadRequest = (request: FastifyRequest, state: RequestState) => Pick<LimitQuery, 'entry' | 'extras'>

/** Keeps the error of schema validation, if there is one. */
export const keepValidationError: ReadRequest = (request, state) => {
  const { validationError, routeOptions, query, body } = request
  if (state.error !== undefined || !validationError) return {}
  const operation = routeOptions.config.operation as Operation
  const { revision } = state
  const isInBody = operation.body !== undefined
  const sent = ((isInBody ? body : query) ?? {}) as Readonly<Record<string, unknown>>
  state.error = toRequestError(validationError, {
    revision,
    known: listParameterNames(operation, revision),
    sent,
    query: (query ?? {}) as Readonly<Record<string, unknown>>,
    isInBody,
  })
  return {}
}

/** Builds the options of a route: the schemas that its requests are checked against, and how its parameters are read. */
export function buildRoute(
  operation: Operation,
  {
    read = keepValidationError,
    query = operation.query?.(2),
  }: { readonly read?: ReadRequest; readonly query?: TObject } = {},
) {
  const { body, headers } = operation
  return {
    attachValidation: true,
    schema: {
      ...(query && { querystring: query }),
      ...(body && { body: body(2) }),
      ...(headers && { headers }),
    },
    config: { read, operation },
    preValidation: ({ query, body }: FastifyRequest, _: unknown, done: () => void): void => {
      readOptions(query, { isQuery: true })
      readOptions(body, { isQuery: false })
      done()
    },
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    read?: ReadRequest
    operation?: Operation
  }
}
