import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ApiError, buildInvalidRequest } from '../errors.ts'
import { getRequestState } from '../service/request-state.ts'

const JSON_TYPE = /^application\/json\s*(?:;|$)/i
const OTHER_TYPE = 'application/octet-stream'

/** Maximum size of a request body in bytes. */
export const MAX_BODY_BYTES = 16 * 1024

/**
 * Reads request bodies. An invalid body is recorded in the request state and rejected only after authentication and
 * rate limiting. A body above the limit is not read completely.
 */
export function registerBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // Fastify rejects a missing or malformed media type before the request is counted, so the header is normalized first.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { headers } = request
    getRequestState(request).mediaType = headers['content-type'] ?? ''
    headers['content-type'] = JSON_TYPE.test(headers['content-type'] ?? '') ? 'application/json' : OTHER_TYPE
    done(null, payload)
  })
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const bytes = await readBytes(request, payload)
    return bytes === null ? undefined : parseBody(request, bytes)
  })
}

/** What to do about a body that is too large. */
interface BodyLimit {
  readonly maxBytes: number
  readonly createError: () => ApiError
}

const USUAL_LIMIT: BodyLimit = {
  maxBytes: MAX_BODY_BYTES,
  createError: () => buildInvalidRequest(`The request body is larger than ${MAX_BODY_BYTES} bytes.`),
}

/** Reads a body. An error is recorded in the request state. @returns null if the body is too large or incomplete */
export async function readBytes(
  request: FastifyRequest,
  payload: IncomingMessage,
  { maxBytes, createError }: BodyLimit = USUAL_LIMIT,
): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = Number(request.headers['content-length'] ?? 0) > maxBytes ? Number.POSITIVE_INFINITY : 0
  const state = getRequestState(request)
  try {
    if (length <= maxBytes)
      for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        length += chunk.length
        if (length > maxBytes) break
        chunks.push(chunk)
      }
  } catch {
    state.bodyError = buildInvalidRequest('The request body is incomplete.')
    return null
  }
  if (length <= maxBytes) return Buffer.concat(chunks)
  state.bodyError = createError()
  state.hasUnreadBody = true
  return null
}

function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  const state = getRequestState(request)
  if (bytes.length === 0)
    state.bodyError = buildInvalidRequest('The request body is empty. Send {"url": "https://example.org"}.')
  else if (request.headers['content-type'] === OTHER_TYPE)
    state.bodyError = buildInvalidRequest(
      'Send the request body as JSON with the header "Content-Type: application/json".',
    )
  else if (!/^(?:identity)?$/i.test(request.headers['content-encoding'] ?? ''))
    state.bodyError = buildInvalidRequest('Send the request body uncompressed, without the header Content-Encoding.')
  else
    try {
      return parseJson(bytes)
    } catch (error) {
      state.bodyError = error as ApiError
    }
  return undefined
}

/** Parses a body as JSON. @throws ApiError `invalid_request` */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw buildInvalidRequest('The request body is not valid JSON in UTF-8.')
  }
}

/** Discards request bodies outside the API, so that an unknown path gets 404 whatever its body. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, payload, done) => {
    payload.resume()
    done(null)
  })
}
