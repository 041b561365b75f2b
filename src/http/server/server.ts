import { randomUUID } from 'node:crypto'
import { type IncomingMessage, METHODS } from 'node:http'
import type { Socket } from 'node:net'
import type cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { buildInvalidRequest } from '../../errors.ts'
import { getRequestState, RequestState, sanitizeId } from '../../service/request-state.ts'
import { checkRoutedMethods, mapMethod, restoreMethod } from '../../web/allowed-methods.ts'
import { sendError } from '../../web/error-responses.ts'
import { MAX_BODY_BYTES } from '../body.ts'
import { SCHEMA_CONTROLLER } from '../lazy-validators.ts'
import type { AppParts } from '../parts.ts'
import { setRateHeaders, UNCOUNTED } from '../rate-headers.ts'
import type { PendingRequests } from './pending-requests.ts'
import { RawErrors } from './raw-errors.ts'

/** Time limit for receiving a complete request, including its body. */
const REQUEST_TIMEOUT_MS = 10_000

type SendError = (error: Error, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * Opens a Fastify server in which every error response has the format of the API.
 * @param sendPathError responds to a path that the router rejects, which no hook sees
 */
export function openServer(
  parts: AppParts,
  pending: PendingRequests,
  sendPathError: SendError = sendFrameworkError,
): FastifyInstance {
  const { log, settings, clock } = parts
  const raw = new RawErrors(parts, pending)
  const reject = (error: Error, socket: Socket): void => void raw.reject(error, socket).catch(() => socket.destroy())
  const fastify = Fastify({
    loggerInstance: log,
    // request-log.ts writes one line per request instead.
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger per request would cost as much as the log line, which contains the id anyway.
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    trustProxy: buildTrustProxy(settings.trustProxy),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      connectionsCheckingInterval: 1000,
      headersTimeout: REQUEST_TIMEOUT_MS, // Node swaps the two values if this one is larger.
      requireHostHeader: false, // Node's own error response has another format; checkHost checks the header.
    },
    rewriteUrl: (request) => {
      mapMethod(request)
      return parseRequestTarget(request.url ?? '/')
    },
    exposeHeadRoutes: false, // A HEAD request to /scan would scan and charge.
    return503OnClosing: false, // Fastify's own error response has another format.
    schemaController: SCHEMA_CONTROLLER,
    frameworkErrors: (error, request, reply) => {
      restoreMethod(request.raw)
      request.state = new RequestState(
        clock(),
        sanitizeId(request.headers['x-request-id'], request.id),
        settings.apiRevision,
      )
      sendPathError(error, request, reply.header('x-request-id', request.state.requestId))
    },
    clientErrorHandler: reject,
  }) as unknown as FastifyInstance
  // Node's own response, 417, has another format; a server may ignore an expectation (RFC 9110, section 10.1.1).
  fastify.server.on('checkExpectation', (...args) => void fastify.server.emit('request', ...args))
  fastify.server.on('connect', (_, socket: Socket) => reject(new Error('CONNECT'), socket)) // Node would never respond.
  pending.watch(fastify.server)
  fastify.addHook('onRoute', ({ method }) => checkRoutedMethods(method))
  fastify.addHook('onRequest', (request, _, done) => {
    restoreMethod(request.raw)
    done()
  })
  // Registers every method that Node parses, so that the body of each of them is read.
  for (const method of METHODS)
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method, { hasBody: true })
  return fastify
}

/**
 * Parses the path of a request target. The absolute form, which proxies send, loses its origin (RFC 9112, section 3.2.2). A
 * segment that cannot be decoded is escaped: such a path does not exist, which is reported after authentication and rate
 * limiting.
 */
function parseRequestTarget(target: string): string {
  const url = target.startsWith('/')
    ? target
    : target.replace(/^https?:\/\/[^/?#]*(?=(.?))/i, (_, next) => (next === '/' ? '' : '/'))
  if (!url.includes('%')) return url
  const [path] = url.split('?', 1)
  return path.split('/').map(escapeUndecodable).join('/') + url.slice(path.length)
}

function escapeUndecodable(segment: string): string {
  try {
    decodeURIComponent(segment)
    return segment
  } catch {
    return segment.replaceAll('%', '%25')
  }
}

/** A host and a port, each of them possibly empty (RFC 9110, section 7.2). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/i

/** @throws ApiError if the Host header is missing, malformed or repeated (RFC 9112, section 3.2) */
export function checkHost({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  const { host } = headers
  if (host === undefined) {
    if (httpVersion === '1.1') throw buildInvalidRequest('The Host header is missing.')
    return
  }
  if (!HOST.test(host)) throw buildInvalidRequest('The Host header must be a host with an optional port.')
  let count = 0
  // `headers` contains only the first one.
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === 'host') count++
  if (count > 1) throw buildInvalidRequest('The request has more than one Host header.')
}

/** Builds a check that warns once if a proxy reports client addresses and no proxy is trusted: all clients count as one then. */
export function buildProxyWarning({ log, settings }: AppParts): (request: IncomingMessage) => void {
  let isDone = settings.trustProxy !== null
  return ({ headers }) => {
    if (isDone || (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined)) return
    isDone = true
    log.warn(
      'a request has the header X-Forwarded-For or Forwarded, but TRUST_PROXY is not set: clients are identified by the address of the connection. If the service is behind a proxy, make it send X-Forwarded-For and set TRUST_PROXY',
    )
  }
}

/**
 * Whether a request asks to upgrade to another protocol. Node (20 to 24) handles it as an ordinary request but drops what
 * the client sent after it, so its connection must end with the response.
 */
export function isUpgradeRequest({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '')
}

function buildTrustProxy(
  trusted: AppParts['settings']['trustProxy'],
): boolean | string[] | ((address: string, hop: number) => boolean) {
  if (trusted === null) return false
  return typeof trusted === 'number' ? (_, hop) => hop < trusted : [...trusted]
}

/** Sends an error that Fastify raises before it has found a route, in the format of the API. */
export function sendFrameworkError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  setRateHeaders(reply.header('cache-control', 'no-store'), getRequestState(request), UNCOUNTED)
  return sendError(error, request, reply)
}

/** Builds the CORS options: which origins may call the API from a browser, and which headers their scripts may read. */
export function buildCorsOptions(origins: AppParts['settings']['corsOrigins']): Parameters<typeof cors>[1] & object {
  return {
    origin: origins === '*' ? '*' : [...origins],
    // The OPTIONS routes of the API respond, because they list the allowed methods and handle requests without an Origin.
    preflightContinue: true,
    strictPreflight: false,
    methods: ['GET', 'POST'],
    allowedHeaders: ['authorization', 'x-api-key', 'content-type', 'x-request-id'],
    exposedHeaders: [
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'retry-after',
      'x-request-id',
      'age',
      'x-quota-limit',
      'x-quota-remaining',
      'x-quota-reset',
    ],
    maxAge: 3600,
  }
}
