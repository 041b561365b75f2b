import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CurrentSession } from '../../accounts/types.ts'
import { abandonRequest } from '../../web/abandon-request.ts'
import { watchRoutes } from '../../web/allowed-methods.ts'
import { registerAssets } from '../assets.ts'
import { buildContext, buildVisitor } from '../context.ts'
import { countForm } from '../form-limit.ts'
import { checkOrigin } from '../origin.ts'
import { Download, type PageContext, type PageDefinition, PageError, Redirect } from '../page.ts'
import { isAdmin, type PortalParts } from '../parts.ts'
import { sendPage, setPageHeaders } from '../send-page.ts'
import { buildLogInRedirect, sendErrorPage } from './error-pages.tsx'
import { PAGES } from './pages.ts'
import { registerSitemap } from './sitemap.ts'
import { registerSuggestions } from './suggestions.ts'

/** Maximum size of a form in bytes. */
export const MAX_FORM_BYTES = 64 * 1024

/** Registers the pages of the portal with their own hooks and error pages. */
export async function registerPortal(fastify: FastifyInstance, parts: PortalParts): Promise<void> {
  await fastify.register(async (portal) => {
    portal.setErrorHandler(sendErrorPage)
    hideAdministration(portal, parts)
    await registerForms(portal, parts)
    const allowOnlyRegistered = watchRoutes(portal)
    registerAssets(portal)
    registerSitemap(portal, parts)
    registerSuggestions(portal, parts)
    for (const page of PAGES) registerPage(portal, page, parts)
    allowOnlyRegistered()
  })
}

/** Reads forms, and rejects those that pages of other origins send, before their body is read. */
async function registerForms(portal: FastifyInstance, parts: PortalParts): Promise<void> {
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
  await portal.register(multipart, { throwFileSizeLimit: false })
  portal.addContentTypeParser('*', (_, payload, done) => {
    payload.resume()
    done(null, null)
  })
}

/** The addresses of the operator's pages. */
const ADMIN_PATHS = new Set(PAGES.filter(({ needs }) => needs === 'admin').map(({ path }) => path))

/**
 * Makes the operator's pages respond to everyone but operators as any path that does not exist, whatever the method, the origin, the
 * body and the accepted types. Runs before all other checks, which would answer differently.
 */
function hideAdministration(portal: FastifyInstance, parts: PortalParts): void {
  portal.addHook('onRequest', (request, reply, done) => {
    if (!ADMIN_PATHS.has(request.routeOptions.url ?? '')) return done()
    parts.accounts
      .findSession(buildVisitor(request))
      .then((session) => {
        request.portalSession = session
        if (session !== null && isAdmin(session.account, parts.settings)) done()
        else reply.callNotFound()
      })
      .catch(done)
  })
}

function registerPage(portal: FastifyInstance, page: PageDefinition, parts: PortalParts): void {
  portal.route({
    method: page.method,
    url: page.path,
    exposeHeadRoute: page.method === 'GET',
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
  const context = await openContext(parts, { request, reply })
  if (page.method === 'POST' && page.limit !== 'own') await countForm(context)
  const isUnread = request.isMultipart() && page.isUpload !== true
  if (request.body === null || isUnread)
    throw new PageError(400, 'The form could not be read. Open the page and send it again.')
  if (page.needs !== 'nothing' && context.account === null) return sendResult(reply, buildLogInRedirect(request))
  return sendResult(reply, await page.handle(context))
}

/** Finds the session of a request, unless `hideAdministration` has found it. */
async function openContext(parts: PortalParts, { request, reply }: Exchange): Promise<PageContext> {
  const session = request.portalSession ?? (await parts.accounts.findSession(buildVisitor(request)))
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
  interface FastifyRequest {
    /** The session, where it had to be known before the request was read. */
    portalSession?: CurrentSession | null
    /** Set as soon as the session of a page's request is known. */
    portalContext?: PageContext
  }
}
