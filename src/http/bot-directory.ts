import type { FastifyInstance } from 'fastify'
import { DIRECTORY_PATH } from '../fetch/bot-identity.ts'
import type { Policy } from '../fetch/policy.ts'

interface DirectoryParts {
  readonly policy: Pick<Policy, 'identity'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Publishes the key with which scans are signed (Web Bot Auth). Without a key there is no such path. */
export async function registerBotDirectory(
  app: FastifyInstance,
  { policy: { identity }, clock }: DirectoryParts,
): Promise<void> {
  if (identity === null) return
  const { signDirectory } = await import('../fetch/sign-directory.ts') // Loaded only if it is used.
  app.get(DIRECTORY_PATH, { exposeHeadRoute: true }, (_, reply) => {
    const { headers, body } = signDirectory(identity, clock())
    return reply.headers(headers).send(Buffer.from(body)) // To a text, Fastify would add a charset.
  })
}
