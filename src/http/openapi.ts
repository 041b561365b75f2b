import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { AppParts } from './parts.ts'
import { buildScanResultSchema, CATALOGUE, ERROR_BODY, KEY_INFO, KEY_USAGE } from './v1/schemas.ts'

/** Allows the documentation page to load files of this service only. */
const DOCS_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

/** Registers `/openapi.json`, built from the schemas that validate requests, and `/docs`, a page that displays it. */
export async function registerDocs(app: FastifyInstance, { version, rules }: AppParts): Promise<void> {
  // Response schemas are documentation only; tests validate the responses against them.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  const schemas = [buildScanResultSchema(rules), KEY_INFO, KEY_USAGE, CATALOGUE, ERROR_BODY]
  for (const schema of schemas) app.addSchema(schema)
  await app.register(swagger, {
    refResolver: { buildLocalReference: ({ $id }, _base, _fragment, i) => String($id ?? i) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Siteprint',
        version,
        description: 'Detects what a website is made with: builder, technologies, hosting provider and type of site.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'Authorization: Bearer <key>. Takes precedence if both headers are sent.',
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
    uiConfig: { url: '/openapi.json', validatorUrl: null }, // The default validator badge comes from another host.
  })
}
