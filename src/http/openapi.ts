import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { HostParts } from './parts.ts'
import { ERROR_BODY, KEY_INFO, scanResultSchema } from './v1/schemas.ts'

/** Nothing from another host. */
const DOCS_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

/** `/openapi.json`, made of the schemas that requests are validated with, and `/docs`, a page that reads it. */
export async function registerDocs(app: FastifyInstance, { version, rules }: HostParts): Promise<void> {
  app.setSerializerCompiler(() => (data) => JSON.stringify(data)) // Response schemas are documentation: tests hold answers to them.
  for (const schema of [scanResultSchema(rules), KEY_INFO, ERROR_BODY]) app.addSchema(schema)
  await app.register(swagger, {
    refResolver: { buildLocalReference: ({ $id }, _base, _fragment, i) => String($id ?? i) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Siteprint',
        version,
        description: 'Tells what a website is made with: builder, technologies, hosting and type of site.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'Authorization: Bearer <key>. It wins when both are sent.',
          },
          header: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        },
      },
      security: [{ bearer: [] }, { header: [] }],
      tags: [{ name: 'v1', description: 'Version 1' }],
    },
  })
  app.get('/openapi.json', { exposeHeadRoute: true, schema: { hide: true } }, async () => app.swagger())
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: DOCS_CSP,
    uiConfig: { url: '/openapi.json', validatorUrl: null }, // Its own badge would be fetched from elsewhere.
  })
}
