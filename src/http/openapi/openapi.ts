import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { computeOncePerRuleset } from '../../scan/current-rules.ts'
import type { AppParts } from '../parts.ts'
import { findBasePath } from '../trailing-slash.ts'
import { buildDocsLinks } from './docs-links.ts'
import { buildDocument } from './openapi-document.ts'

/** Allows the documentation page to load files of this service only. Its forms are sent by script. */
const DOCS_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

/** The icon of the service, which the pages of the portal use too. */
const ICON = { type: 'image/svg+xml', content: readFileSync(join(import.meta.dirname, '../../portal/assets/icon.svg')) }

/**
 * Registers the OpenAPI documents, `/openapi.json` of the current revision and `/openapi-1.json` of revision 1;
 * `/docs`, a page that displays the current one; `/favicon.ico`; and, without the portal, a start page that links to
 * `/docs`.
 */
export async function registerDocs(app: FastifyInstance, parts: AppParts): Promise<void> {
  // Response schemas are documentation only; tests validate the responses against them.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  const readDocuments = computeOncePerRuleset(parts.rules, (rules) => {
    const document = buildDocument({ ...parts, rules }, 2)
    return { document, 1: JSON.stringify(buildDocument({ ...parts, rules }, 1)), 2: JSON.stringify(document) }
  })
  const options = { exposeHeadRoute: true }
  const basePath = findBasePath(parts.settings.publicUrl)
  for (const [path, revision] of [
    ['/openapi.json', 2],
    ['/openapi-1.json', 1],
  ] as const)
    app.get(path, options, (_, reply) => reply.type('application/json; charset=utf-8').send(readDocuments()[revision]))
  app.get('/favicon.ico', options, (_, reply) =>
    reply.type(ICON.type).header('cache-control', 'public, max-age=86400').send(ICON.content),
  )
  if (parts.accounts === null) app.get('/', options, (_, reply) => reply.redirect(`${basePath}/docs/`, 302))
  const specification = { document: readDocuments().document } as unknown as StaticDocumentSpec
  await app.register(swagger, { mode: 'static', specification })
  const readDocument = (): Record<string, unknown> => readDocuments().document
  await app.register(registerPage, { basePath, hasPortal: parts.accounts !== null, readDocument })
}

/** Registers the page `/docs` and its files, which browsers may store and must revalidate by their entity tag. */
async function registerPage(
  app: FastifyInstance,
  {
    readDocument,
    ...service
  }: Parameters<typeof buildDocsLinks>[0] & { readonly readDocument: () => Record<string, unknown> },
): Promise<void> {
  const links = buildDocsLinks(service)
  app.addHook('onSend', (_, reply, payload, done) => {
    if (reply.hasHeader('etag')) reply.header('cache-control', 'no-cache')
    done(null, payload)
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: DOCS_CSP,
    // The page shows the document of the current rules, not that of the start.
    transformSpecification: readDocument,
    transformSpecificationClone: false,
    logo: ICON,
    theme: {
      title: 'Siteprint API',
      favicon: [{ filename: 'icon.svg', rel: 'icon', sizes: 'any', ...ICON }],
      js: [{ filename: 'links.js', content: links.js }],
      css: [{ filename: 'links.css', content: links.css }],
    },
    // The default layout has a bar that loads documents from other hosts, and the default badge comes from a validator
    // on another host.
    uiConfig: { layout: 'BaseLayout', validatorUrl: null },
  })
}
