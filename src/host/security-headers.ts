import helmet from '@fastify/helmet'
import Fastify from 'fastify'

/** What helmet sets, for answers that no browser shows. It says the same on every request: it is asked once. */
export async function buildSecurityHeaders(): Promise<Readonly<Record<string, string>>> {
  const app = Fastify({ logger: false })
  await app.register(helmet, { contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } } })
  app.get('/', async () => '')
  const { headers } = await app.inject('/')
  await app.close()
  const own = ['content-length', 'content-type', 'connection', 'date']
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (own.includes(name) ? [] : [[name, String(value)]])),
  )
}
