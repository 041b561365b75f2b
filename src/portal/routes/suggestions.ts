import type { FastifyInstance } from 'fastify'
import { openCatalogueIndex } from '../catalogue/catalogue-index.ts'
import { SUGGESTIONS_PATH } from '../catalogue/paths.ts'
import type { PortalParts } from '../parts.ts'

/** Registers the suggestions of the catalogue's search: names that contain the parameter `q`, as JSON. */
export function registerSuggestions(portal: FastifyInstance, { rules }: PortalParts): void {
  portal.get(SUGGESTIONS_PATH, async (request, reply) => {
    const { searchParams } = new URL(request.url, 'http://local.invalid')
    reply.type('application/json; charset=utf-8').header('cache-control', 'public, max-age=3600')
    return JSON.stringify(openCatalogueIndex(rules).suggest(searchParams.get('q') ?? ''))
  })
}
