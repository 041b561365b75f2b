import helmet from '@fastify/helmet'
import Fastify from 'fastify'

/** Headers of the response itself, which helmet does not set. */
const NOT_FROM_HELMET = ['content-length', 'content-type', 'connection', 'date']

/**
 * Builds the security headers that helmet sets for responses that no browser displays. They are the same for every request,
 * so they are computed once at start.
 */
export async function buildSecurityHeaders(): Promise<Readonly<Record<string, string>>> {
  const app = Fastify({ logger: false })
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
    // These headers affect only documents or outdated browsers. In API responses they would be overhead.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  })
  app.get('/', async () => '')
  const { headers } = await app.inject('/')
  await app.close()
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (NOT_FROM_HELMET.includes(name) ? [] : [[name, String(value)]])),
  )
}
