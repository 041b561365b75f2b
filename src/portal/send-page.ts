import type { FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

/** Headers of every page. They replace the API's, which are for responses that no browser displays. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-opener-policy': 'same-origin',
  // With `no-referrer` browsers send `Origin: null` with every form.
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
}

/** Sends a page as HTML. Preact escapes all texts. */
export function sendPage(reply: FastifyReply, page: VNode): FastifyReply {
  return setPageHeaders(reply)
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>${renderToString(page)}`)
}

/** Sets the headers that pages, downloads and redirects have. */
export function setPageHeaders(reply: FastifyReply): FastifyReply {
  return reply.headers(PAGE_HEADERS)
}
