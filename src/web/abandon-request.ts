import type { FastifyReply } from 'fastify'

/** Ends a request whose client has disconnected. */
export function abandonRequest(reply: FastifyReply): FastifyReply {
  reply.hijack()
  reply.raw.destroy()
  return reply
}
