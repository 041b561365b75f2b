import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { callOf } from './request-state.ts'

const JSON_TYPE = /^application\/json\s*(?:;|$)/i
const OTHER_TYPE = 'application/octet-stream'

/** Bytes of a body. */
export const MAX_BODY_BYTES = 16 * 1024

/**
 * Reads bodies without judging them: what is wrong with one is told after the key and the minute, not before.
 * A body that is too long is not read to its end.
 */
export function registerBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // Fastify refuses what it cannot read as a media type, or does not find, before the minute is counted.
  app.addHook('preParsing', ({ headers }, _reply, payload, done) => {
    headers['content-type'] = JSON_TYPE.test(headers['content-type'] ?? '') ? 'application/json' : OTHER_TYPE
    done(null, payload)
  })
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const bytes = await readBytes(request, payload)
    return bytes === null ? undefined : parseBody(request, bytes)
  })
}

/** @returns null when there is too much of it */
async function readBytes(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES ? Number.POSITIVE_INFINITY : 0
  const call = callOf(request)
  try {
    if (length <= MAX_BODY_BYTES)
      for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        length += chunk.length
        if (length > MAX_BODY_BYTES) break
        chunks.push(chunk)
      }
  } catch {
    call.fault = invalid('The body did not arrive whole.')
    return null
  }
  if (length <= MAX_BODY_BYTES) return Buffer.concat(chunks)
  call.fault = invalid(`The body is longer than ${MAX_BODY_BYTES} bytes.`)
  call.leavesBody = true
  return null
}

function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  const call = callOf(request)
  if (bytes.length === 0) call.fault = invalid('The body is empty. Send {"url": "https://example.org"}.')
  else if (request.headers['content-type'] === OTHER_TYPE)
    call.fault = invalid('Send the body as JSON, with the header "Content-Type: application/json".')
  else if (!/^(?:identity)?$/i.test(request.headers['content-encoding'] ?? ''))
    call.fault = invalid('Send the body as it is, without Content-Encoding.')
  else
    try {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    } catch {
      call.fault = invalid('The body is not valid JSON.')
    }
  return undefined
}

/** Outside the API nobody reads bodies: what is nowhere is 404, whatever is sent there. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, payload, done) => {
    payload.resume()
    done(null)
  })
}

/** A request that is not as it should be. */
export function invalid(sentence: string): ApiError {
  return new ApiError('invalid_request', { sentence })
}
