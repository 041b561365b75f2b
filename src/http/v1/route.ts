import type { TObject } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { ReadOutcome, RequestState } from '../../service/request-state.ts'
import { listParameterNames, type Operation } from './operation.ts'
import { toRequestError } from './request-error.ts'
import { readOptions } from './request-schemas.ts'

/** Reads the parameters of a request before the request is counted. It returns an error, which is thrown after rate limiting. */
export type ReadRequest = (request: FastifyRequest, state: RequestState) => ReadOutcome

/** Reads a request that has no other errors than those of its body and of schema validation. */
export const readValidated: ReadRequest = (request, state) => {
  const { validationError, routeOptions, query, body } = request
  if (state.bodyError !== undefined) return { error: state.bodyError }
  if (!validationError) return {}
  const operation = routeOptions.config.operation as Operation
  const { revision } = state
  const isInBody = operation.body !== undefined
  const sent = ((isInBody ? body : query) ?? {}) as Readonly<Record<string, unknown>>
  const error = toRequestError(validationError, {
    revision,
    known: listParameterNames(operation, revision),
    sent,
    query: (query ?? {}) as Readonly<Record<string, unknown>>,
    isInBody,
  })
  return { error }
}

/** Builds the options of a route: the schemas that its requests are checked against, and how its parameters are read. */
export function buildRoute(
  operation: Operation,
  {
    read = readValidated,
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
