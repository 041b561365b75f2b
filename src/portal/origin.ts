import type { FastifyRequest } from 'fastify'
import type { ServiceSettings } from '../service/settings.ts'
import { PageError } from './page.ts'

/**
 * Rejects a form that was sent by a page of another origin (cross-site request forgery). Browsers send `Origin` with every
 * POST.
 * @throws PageError 403
 */
export function checkOrigin(request: FastifyRequest, { publicUrl }: ServiceSettings): void {
  const { origin = '' } = request.headers
  const sender = URL.canParse(origin) ? new URL(origin) : null
  // Browsers send the origin in exactly this form.
  if (sender === null || origin !== sender.origin) throw new PageError(403, FOREIGN_FORM)
  const isOwn =
    publicUrl === null ? sender.host === findHost(request, sender.protocol) : origin === new URL(publicUrl).origin
  if (!isOwn) throw new PageError(403, FOREIGN_FORM)
}

const FOREIGN_FORM = 'The form was sent by a page at another address. Open the page here and send it again.'

/** The host of the request in the form of `URL.host`: without the default port of the scheme. */
function findHost(request: FastifyRequest, protocol: string): string | null {
  const url = `${protocol}//${readHost(request)}`
  return URL.canParse(url) ? new URL(url).host : null
}

/**
 * The address of the service as the person sees it, without a trailing slash.
 * @throws PageError 400 if the request names a host whose characters could end the quotes of a command line
 */
export function findBaseUrl(request: FastifyRequest, { publicUrl }: ServiceSettings): string {
  if (publicUrl !== null) return publicUrl
  const host = readHost(request)
  if (!/^[\w.:[\]-]+$/.test(host)) throw new PageError(400, 'The host name of this address is not valid.')
  return `${request.protocol}://${host}`
}

/** The header Host, which was checked. `request.host` of Fastify would be X-Forwarded-Host behind a trusted proxy. */
function readHost({ headers }: FastifyRequest): string {
  return headers.host ?? ''
}
