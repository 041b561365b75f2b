import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AllowedAddress, parseAllowed } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { CurrentRules } from '../../src/scan/current-rules.ts'
import { Scanner } from '../../src/scan/scanner.ts'
import {
  expired,
  incomplete,
  key,
  otherName,
  selfSigned,
  unknownIssuer,
} from '../../tools/bench/hostile/certificates.ts'
import { builtWorker } from '../detector/built-worker.ts'
import { openApp, scanOf, type TestApp } from './app-fixture.ts'

const PAGE = '<!doctype html><title>A shop</title><meta name="generator" content="WordPress 6.5"><p>Text'
const html = { 'content-type': 'text/html' }

let requests: string[] = []
/** Responses by the first part of the path. `/x/1` and `/x/2` are two URLs of the same kind. */
const RESPONSES: Readonly<Record<string, RequestListener>> = {
  busy: (_, response) => {
    if (requests.length > 1) response.writeHead(200, html).end(PAGE)
    else response.writeHead(429, { ...html, 'retry-after': '1' }).end('Slow down.')
  },
  closed: (_, response) => response.writeHead(429, { ...html, 'retry-after': '3600' }).end('Slow down.'),
  repair: (_, response) => {
    const date = new Date(Date.now() + 1000).toUTCString()
    if (requests.length > 1) response.writeHead(200, html).end(PAGE)
    else response.writeHead(503, { ...html, 'retry-after': date }).end('Back soon.')
  },
  reset: ({ socket }, response) => {
    if (requests.length > 1) response.writeHead(200, html).end(PAGE)
    else socket.resetAndDestroy()
  },
  gone: ({ socket }) => socket.resetAndDestroy(),
  cookie: ({ url, headers }, response) => {
    if (headers.cookie === 'seen=1') response.writeHead(200, html).end(PAGE)
    else response.writeHead(302, { location: url, 'set-cookie': 'seen=1; Path=/' }).end()
  },
  cookies: (_, response) => {
    const field = Array.from({ length: 3 }, (_, i) => `c${requests.length}-${i}=${'x'.repeat(4000)}; Path=/`)
    response.writeHead(302, { location: `/cookies/${requests.length}`, 'set-cookie': field }).end()
  },
  loop: ({ url }, response) => response.writeHead(302, { location: url }).end(),
  script: (_, response) => response.writeHead(200, html).end(`<script>window.location.href = "/page"</script>`),
  inward: (_, response) => response.writeHead(200, html).end(`<script>location = 'http://127.0.0.2/'</script>`),
  page: (_, response) => response.writeHead(200, html).end(PAGE),
}
const respond: RequestListener = (request, response) => {
  requests.push(request.url ?? '')
  RESPONSES[request.url?.split('/')[1] ?? '']?.(request, response)
}

const servers: Server[] = []
async function listen(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

let scanner: Scanner
let app: TestApp
let site: string
const secure: Record<string, string> = {}
const CERTIFICATES = { expired, otherName, selfSigned, incomplete, unknownIssuer }
beforeAll(async () => {
  site = await listen(createPlainServer(respond))
  for (const [name, cert] of Object.entries(CERTIFICATES))
    secure[name] = await listen(createSecureServer({ key, cert }, respond))
  secure.closed = '127.0.0.1:9'
  const allow = [site, ...Object.values(secure)].map((text) => parseAllowed(text) as AllowedAddress)
  const policy = { ...DEFAULT_POLICY, allow }
  const resolver = { addresses: async () => [], records: async () => [] }
  scanner = new Scanner({ policy, evidence: ['tls'], resolver, worker: builtWorker() })
  const rules = new CurrentRules(await scanner.ready())
  app = await openApp({ policy, parts: { rules }, scan: (url) => scanner.scan(url) })
})
afterAll(async () => {
  await scanner.close()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

/** Scans with a key of its own, and counts the requests to the site and the charges. */
async function scan(url: string, include = 'page,infrastructure,warnings') {
  requests = []
  const { secret } = await app.newKey()
  const { status, body } = await app.call({ url: scanOf(url, `&include=${include}`), secret })
  const { body: me } = await app.call({ url: '/api/v1/me', secret })
  return { status, body, charges: me.requests_used, requests: requests.length }
}

describe('a site is asked once more, and charged once,', () => {
  test.each<[name: string, path: string, count: number, state: string, builder: string | null]>([
    ['if it asks for a pause of a second', '/busy', 2, 'site', 'wordpress'],
    ['if it asks for a pause until a second later', '/repair', 2, 'site', 'wordpress'],
    ['if it resets the connection', '/reset', 2, 'site', 'wordpress'],
    ['but not if it asks for an hour', '/closed', 1, 'wall', null],
    ['if it has set a cookie and redirects to itself', '/cookie', 2, 'site', 'wordpress'],
    ['if its page only assigns another address', '/script', 2, 'site', 'wordpress'],
    ['but not if its page only assigns an address inside', '/inward', 1, 'site', null],
  ])('%s', async (_, path, count, state, builder) => {
    const { status, body, charges, requests } = await scan(`http://${site}${path}`)
    expect({ status, charges, requests, builder: body.builderSlug }).toEqual({
      status: 200,
      charges: 1,
      requests: count,
      builder,
    })
    expect(body.page.state).toBe(state)
  })
})

describe('a site whose certificate is invalid is read:', () => {
  test.each([
    ['expired', 'expired', 'has expired'],
    ['otherName', 'wrong_name', 'is for another name'],
    ['selfSigned', 'self_signed', 'is signed by itself'],
    ['incomplete', 'incomplete_chain', 'came without that of its issuer'],
    ['unknownIssuer', 'unknown_issuer', 'is of an unknown issuer'],
  ])('%s', async (name, tlsError, words) => {
    // The authority that has signed two of the certificates is unknown to this process, so their first error is another one.
    const codes = name === 'otherName' ? ['incomplete_chain', tlsError] : [tlsError]
    const { status, body, charges, requests } = await scan(`https://${secure[name]}/page`)
    expect({ status, charges, requests, builder: body.builderSlug }).toEqual({
      status: 200,
      charges: 1,
      requests: 1,
      builder: 'wordpress',
    })
    expect(codes).toContain(body.infrastructure.tlsError)
    expect(body.infrastructure.tlsIssuer).toBeNull()
    const sentence = body.infrastructure.tlsError === tlsError ? words : 'came without'
    expect(body.warnings[0]).toContain(`the TLS certificate of the site ${sentence}`)
  })
})

describe('a repetition is useless for', () => {
  test.each<[name: string, url: () => string, retryable: boolean, sentence: RegExp]>([
    ['a domain that does not exist', () => 'https://dead.example.org/', false, /was not found/],
    ['a refused connection', () => `https://${secure.closed}/`, false, /refused the connection/],
    ['a redirect loop', () => `http://${site}/loop`, false, /redirects in a loop/],
    ['cookies without end', () => `http://${site}/cookies`, false, /redirects more than 5 times/],
    ['not a site that resets', () => `http://${site}/gone`, true, /closed the connection/],
  ])('%s', async (_, url, retryable, sentence) => {
    const { status, body, charges } = await scan(url())
    expect({ status, charges, code: body.code, retryable: body.retryable }).toEqual({
      status: 500,
      charges: 0,
      code: 'scan_failed',
      retryable,
    })
    expect(body.error).toMatch(sentence)
  })
})
