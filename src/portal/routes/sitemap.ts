import { escapeUTF8 } from 'entities'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { computeOncePerRuleset } from '../../scan/current-rules.ts'
import { entryPath, KIND_NAMES, listPath } from '../catalogue/paths.ts'
import { findBaseUrl } from '../origin.ts'
import type { PortalParts } from '../parts.ts'

/**
 * Registers `/sitemap.xml` (sitemaps.org, version 0.9), which lists the start page and the pages of the catalogue, and `/robots.txt`,
 * which names it and keeps robots out of the pages of accounts.
 */
export function registerSitemap(portal: FastifyInstance, { rules, settings }: PortalParts): void {
  const listPaths = computeOncePerRuleset(rules, ({ catalogue }) => [
    '/',
    '/catalogue',
    ...Object.keys(KIND_NAMES).map((kind) => listPath(kind)),
    ...catalogue.map(entryPath),
  ])
  const baseOf = (request: FastifyRequest): string => escapeUTF8(findBaseUrl(request, settings))
  portal.get('/sitemap.xml', async (request, reply) => {
    const base = baseOf(request)
    const urls = listPaths().map((path) => `<url><loc>${base}${path}</loc></url>`)
    reply.type('application/xml; charset=utf-8').header('cache-control', 'public, max-age=3600')
    return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`
  })
  portal.get('/robots.txt', async (request, reply) => {
    reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=3600')
    return `User-agent: *\nDisallow: /account\nDisallow: /admin\nDisallow: /api/\nDisallow: /batches\nDisallow: /scan\nSitemap: ${findBaseUrl(request, settings)}/sitemap.xml\n`
  })
}
