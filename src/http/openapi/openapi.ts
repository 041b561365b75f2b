import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { computeOncePerRuleset } from '../../scan/current-rules.ts'
import type { AppParts } from '../parts.ts'
import { findBasePath } from '../trailing-slash.ts'
import type { DocsPageOptions } from './docs-page.ts'
import { buildDocument } from './openapi-document.ts'

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
  const links = { basePath, hasPortal: parts.accounts !== null }
  registerPage(app, { links, icon: ICON, readDocument: () => readDocuments().document })
}

/** The addresses of the page and of its files. */
const PAGE_PATHS = ['/docs', '/docs/', '/docs/json', '/docs/yaml', '/docs/static/*']
/** Headers of a response that belong to its connection. */
const CONNECTION_HEADERS = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

/**
 * Registers the page `/docs` and its files. They are in an application of their own that the first of these requests builds: its hundred
 * modules would be a seventh of those that a start loads.
 */
function registerPage(app: FastifyInstance, options: DocsPageOptions): void {
  let page: Promise<FastifyInstance> | undefined
  const openPage = (): Promise<FastifyInstance> => {
    page ??= import('./docs-page.ts').then(({ buildDocsPage }) => buildDocsPage(options))
    return page
  }
  for (const path of PAGE_PATHS)
    app.get(path, { exposeHeadRoute: true }, async (request, reply) => passOn(await openPage(), request, reply))
}

/** Sends the response of another application. */
async function passOn(page: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { statusCode, headers, rawPayload } = await page.inject({
    method: request.method === 'HEAD' ? 'HEAD' : 'GET',
    url: request.url,
    headers: request.headers,
  })
  if (statusCode >= 500) throw new Error(`the documentation page responds with ${statusCode}`)
  if ([400, 403, 404].includes(statusCode)) {
    reply.callNotFound()
    return reply
  }
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !CONNECTION_HEADERS.has(name)) reply.header(name, value)
  return reply.code(statusCode).send(rawPayload)
}
