import { randomUUID } from 'node:crypto'
import { type IncomingMessage, METHODS } from 'node:http'
import type { Socket } from 'node:net'
import type cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { invalid, MAX_BODY_BYTES } from './body.ts'
import { Call, sanitizeId } from './call.ts'
import { sendError } from './error-answers.ts'
import type { Exchanges } from './exchanges.ts'
import type { HostParts } from './host.ts'
import { setRateHeaders, UNCOUNTED } from './limit.ts'
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
    rewriteUrl: ({ url = '/' }) => readablePath(url),
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

/** A path that cannot be decoded, as one that can: it is nowhere, which is told after the key and the minute. */
function readablePath(url: string): string {
  if (!url.includes('%')) return url
  const [path] = url.split('?', 1)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

/** @throws ApiError when a request in HTTP/1.1 does not say whom it asks (RFC 9112, section 3.2) */
export function checkHost({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') throw invalid('The request has no Host header.')
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
