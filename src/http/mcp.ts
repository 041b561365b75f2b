import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ApiResponse, parseResponse, type SendRequest } from '../mcp/api-backend.ts'
import { ToolError } from '../mcp/backend.ts'
import { countKeyRequest, findRevision } from '../service/rate-limit.ts'
import { getRequestState } from '../service/request-state.ts'
import type { ServiceSwitches } from '../service/service-switches.ts'
import { allowOnly } from '../web/allowed-methods.ts'
import { findClientAddress } from '../web/client-address.ts'
import { Authenticator } from './auth.ts'
import { registerBodies } from './body.ts'
import type { AppParts } from './parts.ts'
import type { PepperCheck } from './pepper-check.ts'

const PATH = '/mcp'

/** Headers of a request that its calls of the API have too: they name the key, the host and the client. */
const FORWARDED = ['authorization', 'x-api-key', 'host', 'x-forwarded-for', 'user-agent'] as const

/**
 * Registers `POST /mcp`: tools for assistants, over the streamable HTTP transport of MCP without sessions. A request needs an API key.
 * Each call of a tool sends requests to the API inside of this process, so that authentication, rate limit, quota, cache and log are
 * those of the API. Other messages count as one request.
 */
export async function registerMcp(
  scope: FastifyInstance,
  context: AppParts & { readonly switches: ServiceSwitches; readonly pepperCheck: PepperCheck },
): Promise<void> {
  const { settings, shared, switches } = context
  const keys = new Authenticator(context)
  registerBodies(scope)
  scope.addHook('onRequest', async (request) => {
    if (request.method === 'OPTIONS') return
    const state = getRequestState(request)
    switches.check()
    state.key = await keys.authenticate(request.headers, findClientAddress(request), state)
    state.revision = findRevision(state.key, settings)
  })
  scope.addHook('preHandler', async (request) => {
    const state = getRequestState(request)
    if (state.key === undefined) return
    const isCounted = request.method !== 'POST' || state.bodyError !== undefined || !isToolCall(request.body)
    if (isCounted) await countKeyRequest(state, state.key, { settings, shared, lookup: {} })
    if (request.method === 'POST' && state.bodyError !== undefined) throw state.bodyError
  })
  scope.post(PATH, (request, reply) => serveMcp(scope, context, { request, reply }))
  allowOnly(scope, PATH, ['POST'])
}

/** Whether a message calls a tool: the requests that the tool sends are counted then. A list of messages is counted, too. */
function isToolCall(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'method' in message && message.method === 'tools/call'
}

async function serveMcp(
  app: FastifyInstance,
  { version }: Pick<AppParts, 'version'>,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<unknown> {
  const { answerMessage } = await import('../mcp/answer-message.ts') // Loaded only if it is used: the SDK takes 0.4 seconds.
  const onError = (error: unknown): void =>
    request.log.error({ id: request.id, err: error }, 'unexpected error of a tool')
  const { headers, body } = request
  const answer = await answerMessage({ headers, body }, { send: buildSender(app, request), version, onError })
  const { requestId } = getRequestState(request)
  return reply.code(answer.status).headers(answer.headers).header('x-request-id', requestId).send(answer.text)
}

/** Builds the function that sends a request to the API as the client of a request. */
function buildSender(app: FastifyInstance, { headers, socket, id }: FastifyRequest): SendRequest {
  const own = Object.fromEntries(
    FORWARDED.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  )
  return async (path, body): Promise<ApiResponse> => {
    const { statusCode, headers, payload } = await app.inject({
      method: body === undefined ? 'GET' : 'POST',
      url: path,
      headers: { ...own, 'x-request-id': id },
      remoteAddress: socket.remoteAddress ?? '127.0.0.1',
      ...(body !== undefined && { payload: body }),
    })
    try {
      const received = Object.entries(headers).map(([name, value]) => [name, value === undefined ? value : `${value}`])
      return parseResponse({ status: statusCode, headers: Object.fromEntries(received), text: payload })
    } catch (cause) {
      throw new ToolError('The service gave no answer. Try again later.', { cause })
    }
  }
}
