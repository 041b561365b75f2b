import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AccountError } from '../../accounts/accounts.ts'
import { ApiError, type FailureReason } from '../../errors.ts'
import { getRequestState } from '../../service/request-state.ts'
import { StoreError } from '../../store/types.ts'
import { LinkButton } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { findRetryAfter } from '../form-errors.ts'
import { buildLoginPath } from '../local-path.ts'
import { PageError, Redirect } from '../page.ts'
import { sendPage, setPageHeaders } from '../send-page.ts'

/** Status → title, sentence, and code for the log. */
const ERROR_PAGES = {
  400: ['This request is not valid', 'Go back, reload the page and try again.', 'invalid_request'],
  403: ['Not allowed', 'This page is not available to you.', 'forbidden'],
  404: ['Page not found', 'There is no page at this address.', 'not_found'],
  405: ['Not allowed here', 'This address cannot be used in this way.', 'method_not_allowed'],
  409: ['Something has changed', 'Reload the page and try again.', 'conflict'],
  413: [
    'Too much text',
    'The form contains more than 64 KiB. Shorten your text and send it again.',
    'payload_too_large',
  ],
  421: ['Not served here', 'Open the public address of the service.', 'misdirected_request'],
  429: ['Too many attempts', 'Wait a minute, then try again.', 'rate_limited'],
  500: ['Something went wrong', 'The error was logged. Try again later.', 'internal'],
  503: [
    'Temporarily unavailable',
    'The service cannot read its data at the moment. Try again in a minute.',
    'unavailable',
  ],
} as const

/** Fastify's status for a path parameter that is too long to be an id. */
const TOO_LONG = 414

interface Problem {
  readonly status: keyof typeof ERROR_PAGES
  readonly sentence?: string
  readonly retryAfter?: number
  readonly reason?: FailureReason
  /** Message of a store error, for the log. */
  readonly why?: string
}

/** Maps any error to an error page. The page shows no details of an unexpected error. */
function toProblem(error: unknown, now: number): Problem {
  if (error instanceof PageError)
    return { status: error.status, sentence: error.message, ...(error.retryAfter && { retryAfter: error.retryAfter }) }
  if (error instanceof AccountError) {
    const retryAfter = findRetryAfter(error, now)
    return { status: retryAfter === null ? 400 : 429, sentence: error.message, ...(retryAfter && { retryAfter }) }
  }
  if (error instanceof StoreError) return { status: 503, reason: 'store_away', why: error.message }
  if (error instanceof ApiError && error.code === 'misdirected_request') return { status: 421, sentence: error.message }
  const status = error instanceof ApiError ? error.status : ((error as Partial<FastifyError>).statusCode ?? 500)
  if (error instanceof ApiError && status === 503)
    return { status, sentence: error.message, ...(error.reason && { reason: error.reason }) }
  if (status === TOO_LONG) return { status: 404 }
  if (isListed(status) && status < 500) return { status }
  if (status >= 400 && status < 500) return { status: 400 }
  return { status: 500, reason: 'unexpected' }
}

function isListed(status: number): status is Problem['status'] {
  return Object.hasOwn(ERROR_PAGES, status)
}

/** Sends the page of an error, and records it for log and metrics. */
export function sendErrorPage(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const state = getRequestState(request)
  if (error instanceof AccountError && error.code === 'not_logged_in')
    return setPageHeaders(reply).redirect(buildLogInRedirect(request).path, 303)
  const { status, sentence, retryAfter, reason, why } = toProblem(error, state.now)
  const [title, usual, code] = ERROR_PAGES[status]
  state.code = code
  if (reason !== undefined) state.reason = reason
  if (why !== undefined) state.why = why
  if (status === 500) request.log.error({ id: request.id, err: error }, 'unexpected error')
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  if (status === 413) reply.header('connection', 'close') // The rest of the body is not read.
  return sendPage(reply.code(status), buildErrorPage(request, { title, sentence: sentence || usual }))
}

function buildErrorPage(
  request: FastifyRequest,
  { title, sentence }: { readonly title: string; readonly sentence: string },
) {
  return (
    <Page context={request.portalContext ?? null} title={title}>
      <p class="lead">{sentence}</p>
      <p>
        <LinkButton href="/">To the start page</LinkButton>
      </p>
      <p class="quiet">
        Request id, for questions to the operator: <code>{getRequestState(request).requestId}</code>
      </p>
    </Page>
  )
}

/**
 * Redirects to log-in, and from there back to the page. After a POST, whose form is lost, the page says that the
 * session has ended.
 */
export function buildLogInRedirect({ method, url }: FastifyRequest): Redirect {
  return new Redirect(method === 'POST' ? '/login?ended' : buildLoginPath(url))
}

/** Whether a request outside the API comes from a browser that displays pages. */
export function isPageRequest({ headers, url }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '') && !/^\/api\/v1(?:[/?]|$)/.test(url)
}
