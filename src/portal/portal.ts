import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { abandonRequest } from '../http/scan-runner.ts'
import { watchRoutes } from '../http/v1/route.ts'
import { registerAssets } from './assets.ts'
import { buildContext, buildVisitor } from './context.ts'
import { buildLogInRedirect, sendErrorPage } from './error-pages.tsx'
import { checkOrigin } from './origin.ts'
import { Download, type PageContext, type PageDefinition, PageError, Redirect } from './page.ts'
import { PAGES } from './pages.ts'
import type { PortalParts } from './parts.ts'
import { sendPage, setPageHeaders } from './send-page.ts'

/** Maximum size of a form in bytes. */
export const MAX_FORM_BYTES = 64 * 1024

/** Registers the pages of the portal with their own hooks and error pages. */
export async function registerPortal(fastify: FastifyInstance, parts: PortalParts): Promise<void> {
  await fastify.register(async (portal) => {
    portal.setErrorHandler(sendErrorPage)
    registerForms(portal, parts)
    hideAdministration(portal, parts)
    const allowOnlyRegistered = watchRoutes(portal)
    registerAssets(portal)
    for (const page of PAGES) registerPage(portal, page, parts)
    allowOnlyRegistered()
  })
}

/** Reads forms, and rejects those that pages of other origins send, before their body is read. */
function registerForms(portal: FastifyInstance, parts: PortalParts): void {
  portal.addHook('onRequest', (request, _, done) => {
    if (request.method === 'POST') checkOrigin(request, parts.settings)
    done()
  })
  portal.removeAllContentTypeParsers()
  portal.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_, body, done) => done(null, new URLSearchParams(String(body))),
  )
  portal.addContentTypeParser('*', (_, payload, done) => {
    payload.resume()
    done(null, null)
  })
}

/** The addresses of the operator's pages. */
const ADMIN_PATHS = new Set(PAGES.filter(({ needs }) => needs === 'admin').map(({ path }) => path))

/**
 * Makes the operator's pages respond to wrong methods like any path that does not exist, as the pages themselves do.
 */
function hideAdministration(portal: FastifyInstance, parts: PortalParts): void {
  portal.addHook('preHandler', (request, reply, done) => {
    const { url = '', config } = request.routeOptions
    if (config.isPage || !ADMIN_PATHS.has(url)) return done()
    openContext(parts, { request, reply })
      .then(({ isAdmin }) => done(isAdmin ? undefined : new PageError(404)))
      .catch(done)
  })
}

function registerPage(portal: FastifyInstance, page: PageDefinition, parts: PortalParts): void {
  portal.route({
    method: page.method,
    url: page.path,
    exposeHeadRoute: page.method === 'GET',
    config: { isPage: true },
    handler: async (request, reply) => await handlePage(page, parts, { request, reply }),
  })
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

async function handlePage(
  page: PageDefinition,
  parts: PortalParts,
  { request, reply }: Exchange,
): Promise<FastifyReply> {
  if (request.body === null) throw new PageError(400, 'The form could not be read. Open the page and send it again.')
  const context = await openContext(parts, { request, reply })
  // For everyone but operators, the operator's pages look like any path that does not exist.
  if (page.needs === 'admin' && !context.isAdmin) throw new PageError(404)
  if (page.needs !== 'nothing' && context.account === null) return sendResult(reply, buildLogInRedirect(request))
  return sendResult(reply, await page.handle(context))
}

/** Finds the session of a request. */
async function openContext(parts: PortalParts, { request, reply }: Exchange): Promise<PageContext> {
  const session = await parts.accounts.findSession(buildVisitor(request))
  const context = buildContext(request, reply, { parts, session })
  request.portalContext = context
  if (session !== null) context.addCookies(session.cookies)
  return context
}

function sendResult(reply: FastifyReply, result: Awaited<ReturnType<PageDefinition['handle']>>): FastifyReply {
  if (result === null) return abandonRequest(reply)
  if (result instanceof Redirect) return setPageHeaders(reply).redirect(result.path, 303)
  if (!(result instanceof Download)) return sendPage(reply, result)
  const { name, type, body } = result
  return setPageHeaders(reply).type(type).header('content-disposition', `attachment; filename="${name}"`).send(body)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is one of `PAGES`. */
    isPage?: boolean
  }
  interface FastifyRequest {
    /** Set as soon as the session of a page's request is known. */
    portalContext?: PageContext
  }
}
