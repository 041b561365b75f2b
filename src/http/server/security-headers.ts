import helmet from '@fastify/helmet'
import Fastify from 'fastify'

/** What helmet sets, for answers that no browser shows. It says the same on every request: it is asked once. */
export async function buildSecurityHeaders(): Promise<Readonly<Record<string, string>>> {
  const app = Fastify({ logger: false })
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
    // These say something to documents, and to browsers of long ago: for every answer of an API they are a cost alone.
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
  const own = ['content-length', 'content-type', 'connection', 'date']
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (own.includes(name) ? [] : [[name, String(value)]])),
  )
}
