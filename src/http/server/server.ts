import { randomUUID } from 'node:crypto'
import { type IncomingMessage, METHODS } from 'node:http'
import type { Socket } from 'node:net'
import type cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { invalid, MAX_BODY_BYTES } from '../body.ts'
import { sendError } from '../error-responses.ts'
import type { HostParts } from '../parts.ts'
import { setRateHeaders, UNCOUNTED } from '../rate-limit.ts'
import { Call, sanitizeId } from '../request-state.ts'
import type { Exchanges } from './pending-requests.ts'
import { RawErrors } from './raw-errors.ts'

/** A request has to be here within so long, its body included. */
const REQUEST_MS = 10_000

/** A Fastify whose every error path answers in our form. */
export function openServer(parts: HostParts, exchanges: Exchanges): FastifyInstance {
  const { log, settings, clock } = parts
  const raw = new RawErrors(parts, exchanges)
  const refuse = (error: Error, socket: Socket): void => void raw.refuse(error, socket).catch(() => socket.destroy())
  const app = Fastify({
    loggerInstance: log,
    // notes.ts has a line of its own.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger, // One for each request would cost as much as its line: that names the id.
    genReqId: () => randomUUID(),
    trustProxy: trustOf(settings.trustProxy),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_MS,
    http: {
      connectionsCheckingInterval: 1000,
      headersTimeout: REQUEST_MS, // Node swaps the two when this one is the longer.
      requireHostHeader: false, // Node's own answer has another form: checkHost.
    },
    rewriteUrl: ({ url = '/' }) => readTarget(url),
    exposeHeadRoutes: false, // A HEAD of a scan would scan and charge.
    return503OnClosing: false, // Fastify's own answer has another form.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allowUnionTypes: true } },
    frameworkErrors: (error, request, reply) => answerFrameworkError(error, request, reply, clock()),
    clientErrorHandler: refuse,
  }) as unknown as FastifyInstance
  // Node's own answer, 417, has another form; nothing has to come of an expectation (RFC 9110, section 10.1.1).
  app.server.on('checkExpectation', (...asked) => void app.server.emit('request', ...asked))
  app.server.on('connect', (_, socket: Socket) => refuse(new Error('CONNECT'), socket)) // It would be left without an answer.
  exchanges.watch(app.server)
  // Every method that Node reads is known: a wrong one is 405, not 404.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  return app
}

/**
 * The path of a request target. The absolute form, which proxies send, loses its origin (RFC 9112, section 3.2.2). A segment
 * that cannot be decoded is escaped: nothing is at such a path, which is reported after the key and the rate limit.
 */
function readTarget(target: string): string {
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

/** A host and a port, either of them empty (RFC 9110, section 7.2). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/i

/** @throws ApiError when a request does not say in one way which host it asks (RFC 9112, section 3.2) */
export function checkHost({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  const { host } = headers
  if (host === undefined) {
    if (httpVersion === '1.1') throw invalid('The request has no Host header.')
    return
  }
  if (!HOST.test(host)) throw invalid('The Host header is not a host with or without a port.')
  let count = 0
  // `headers` has the first one alone.
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === 'host') count++
  if (count > 1) throw invalid('The request has more than one Host header.')
}

/** Logs once that a proxy names clients and is not believed: then all clients are counted as one. */
export function buildProxyWarning({ log, settings }: HostParts): (request: IncomingMessage) => void {
  let isDone = settings.trustProxy !== null
  return ({ headers }) => {
    if (isDone || (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined)) return
    isDone = true
    log.warn(
      'a request came with X-Forwarded-For or Forwarded while TRUST_PROXY is not set: clients are told apart by the address of the connection. If a proxy sends it, have it send X-Forwarded-For and set TRUST_PROXY',
    )
  }
}

/**
 * Whether a request asks for another protocol. Node (20 to 24) answers it as an ordinary one, but drops what was sent
 * behind it: its connection has to end with the response.
 */
export function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '')
}

function trustOf(
  trusted: HostParts['settings']['trustProxy'],
): boolean | string[] | ((address: string, hop: number) => boolean) {
  if (trusted === null) return false
  return typeof trusted === 'number' ? (_, hop) => hop < trusted : [...trusted]
}

/** What Fastify refuses before there is a route. */
function answerFrameworkError(error: Error, request: FastifyRequest, reply: FastifyReply, now: number): void {
  request.call = new Call(now, sanitizeId(request.headers['x-request-id'], request.id))
  reply.header('x-request-id', request.call.requestId).header('cache-control', 'no-store')
  setRateHeaders(reply, request.call, UNCOUNTED)
  sendError(error, request, reply)
}

/** What browsers may do from other origins, and which headers they may show. */
export function corsOf(origins: HostParts['settings']['corsOrigins']): Parameters<typeof cors>[1] & object {
  return {
    origin: origins === '*' ? '*' : [...origins],
    // Ours tell which methods there are, and answer in our form when nobody asks on behalf of a page.
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
    ],
    maxAge: 3600,
  }
}
