import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { type FastifyInstance, fastify } from 'fastify'
import { SCHEMA_CONTROLLER } from '../lazy-validators.ts'
import { buildDocsLinks } from './docs-links.ts'

/** Allows the documentation page to load files of this service only. Its forms are sent by script. */
const DOCS_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

/** What the page `/docs` is made of. */
export interface DocsPageOptions {
  /** Where the service is, and what else it has. */
  readonly links: Parameters<typeof buildDocsLinks>[0]
  readonly icon: { readonly type: string; readonly content: Buffer }
  /** Returns the OpenAPI document of the current rules. */
  readonly readDocument: () => Record<string, unknown>
}

/** Builds the application that contains the page `/docs` and its files, which browsers may store and must revalidate by their entity tag. */
export async function buildDocsPage({ links, icon, readDocument }: DocsPageOptions): Promise<FastifyInstance> {
  const app = fastify({ schemaController: SCHEMA_CONTROLLER })
  const { js, css } = buildDocsLinks(links)
  app.addHook('onSend', (_, reply, payload, done) => {
    if (reply.hasHeader('etag')) reply.header('cache-control', 'no-cache')
    done(null, payload)
  })
  const specification = { document: readDocument() } as unknown as StaticDocumentSpec
  await app.register(swagger, { mode: 'static', specification })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: DOCS_CSP,
    // The page shows the document of the current rules, not that of the start.
    transformSpecification: readDocument,
    transformSpecificationClone: false,
    logo: icon,
    theme: {
      title: 'Siteprint API',
      favicon: [{ filename: 'icon.svg', rel: 'icon', sizes: 'any', ...icon }],
      js: [{ filename: 'links.js', content: js }],
      css: [{ filename: 'links.css', content: css }],
    },
    // The default layout has a bar that loads documents from other hosts, and the default badge comes from a validator
    // on another host.
    uiConfig: { layout: 'BaseLayout', validatorUrl: null },
  })
  return app
}
