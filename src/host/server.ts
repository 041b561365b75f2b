import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import type cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { MAX_BODY_BYTES } from './body.ts'
import { Call, sanitizeId } from './call.ts'
import { answerRawError, sendError } from './error-answers.ts'
import type { HostParts } from './host.ts'
import { setRateHeaders, UNCOUNTED } from './limit.ts'

/** A request has to be here within so long, its body included. */
const REQUEST_MS = 10_000

/** A Fastify whose every error path answers in our form. */
export function openServer({ log, settings: { trustProxy }, clock }: HostParts): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }), // notes.ts has a line of its own.
    genReqId: () => randomUUID(),
    requestIdLogLabel: 'id',
    trustProxy: trustOf(trustProxy),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_MS,
    http: { connectionsCheckingInterval: 1000 },
    exposeHeadRoutes: false, // A HEAD of a scan would scan and charge.
    return503OnClosing: false, // Fastify's own answer has another form.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allowUnionTypes: true } },
    frameworkErrors: (error, request, reply) => answerFrameworkError(error, request, reply, clock()),
    clientErrorHandler: (error, socket) => answerRawError(error, socket, { now: clock(), id: randomUUID() }),
  }) as unknown as FastifyInstance
  // Every method that Node reads is known: a wrong one is 405, not 404.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  return app
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
