import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CurrentSession, Visitor } from '../accounts/types.ts'
import { getRequestState } from '../service/request-state.ts'
import { findClientAddress, normalizeClient } from '../web/client-address.ts'
import { FormReader } from './form.ts'
import { findRetryAfter, toFieldErrors } from './form-errors.ts'
import { findBaseUrl } from './origin.ts'
import type { PageContext } from './page.ts'
import { isAdmin, type PortalParts } from './parts.ts'

/** Describes the browser that a request comes from. */
export function buildVisitor(request: FastifyRequest): Visitor {
  return {
    cookie: request.headers.cookie,
    userAgent: request.headers['user-agent'],
    address: normalizeClient(findClientAddress(request)),
    now: getRequestState(request).now,
  }
}

/** Builds the context of a page from its request. */
export function buildContext(
  request: FastifyRequest,
  reply: FastifyReply,
  { parts, session }: { readonly parts: PortalParts; readonly session: CurrentSession | null },
): PageContext {
  const { now, requestId } = getRequestState(request)
  const { pathname, searchParams } = new URL(request.url, 'http://local.invalid')
  const account = session?.account ?? null
  return {
    parts,
    exchange: { request, reply },
    account,
    sessionId: session?.sessionId ?? null,
    isAdmin: account !== null && isAdmin(account, parts.settings),
    visitor: buildVisitor(request),
    now,
    requestId,
    baseUrl: findBaseUrl(request, parts.settings),
    path: pathname,
    params: request.params as Record<string, string>,
    query: new FormReader(searchParams),
    form: new FormReader(request.body instanceof URLSearchParams ? request.body : new URLSearchParams()),
    addCookies: (cookies) => void reply.header('set-cookie', cookies),
    setStatus: (status) => void reply.code(status),
    explain: (error, fields) => {
      const errors = toFieldErrors(error, fields)
      const retryAfter = findRetryAfter(error, now)
      reply.code(retryAfter === null ? 422 : 429)
      if (retryAfter !== null) reply.header('retry-after', String(retryAfter))
      return errors
    },
  }
}
