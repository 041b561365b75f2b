import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AllowedAddress, parseAllowed } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { CurrentRules } from '../../src/scan/current-rules.ts'
import { Scanner } from '../../src/scan/scanner.ts'
import { builtWorker } from '../detector/built-worker.ts'
import { openApp, scanOf, type TestApp } from './app-fixture.ts'

const PAGE = '<!doctype html><title>A shop</title><meta name="generator" content="WordPress 6.5"><p>Text</p>'

let server: Server
let scanner: Scanner
let app: TestApp
let secret: string
let origin: string
beforeAll(async () => {
  server = createServer((request, response) => {
    const [, status = '200', type = 'text/html'] = /^\/(\d+)(?:\/(.+))?/.exec(request.url ?? '') ?? []
    if (status === '302') response.setHeader('location', `/200/${type}#top`)
    if (status === '307') response.setHeader('location', 'http://localhost/')
    response.writeHead(Number(status), { 'content-type': type }).end(PAGE)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  const policy = { ...DEFAULT_POLICY, allow: [parseAllowed(`127.0.0.1:${port}`) as AllowedAddress] }
  scanner = new Scanner({ policy, evidence: [], worker: builtWorker() })
  const rules = new CurrentRules(await scanner.ready())
  app = await openApp({ policy, parts: { rules }, scan: (url) => scanner.scan(url) })
  secret = (await app.newKey()).secret
})
afterAll(async () => {
  await scanner.close()
  server.closeAllConnections()
  server.close()
})

test.each([
  ['a page', '/200', '/200', 'wordpress'],
  ['a redirect, whose fragment is dropped', '/302/text/html', '/200/text/html', 'wordpress'],
  ['404', '/404', '/404', 'wordpress'],
  ['500', '/500', '/500', 'wordpress'],
  ['410', '/410', '/410', 'wordpress'],
  ['not HTML', '/200/image/png', '/200/image/png', null],
])('%s is answered with 200, cached and charged', async (_, path, final, builder) => {
  const ask = () => app.call({ url: scanOf(origin + path), secret })
  const first = await ask()
  expect([first.status, first.body.url, first.body.builderSlug]).toEqual([200, origin + final, builder])
  // Unasked only if it is not the site.
  const state = { '/404': 'missing', '/410': 'missing', '/500': 'error' }[path]
  expect(first.body.page?.state).toBe(state)
  expect(Object.keys(first.body)).toHaveLength(state === undefined ? 10 : 11)
  if (!path.startsWith('/200') && !path.startsWith('/302')) expect(first.body.siteType).toBeNull()
  const second = await ask()
  expect(second.body).toEqual({ ...first.body, cached: true })
})

test('every extra matches the schema', async () => {
  const { status, body } = await app.call({
    url: scanOf(`${origin}/200?extras`, '&include=evidence,versions,infrastructure,timing,warnings'),
    secret,
  })
  expect([status, body.versions]).toEqual([200, { WordPress: '6.5' }])
  expect(body.infrastructure.ip).toBe('127.0.0.1')
  expect(body.evidence.length).toBeGreaterThan(0)
})

test.each([
  ['a closed port', () => 'http://127.0.0.1:1/', 400, 'blocked_target'],
  ['a redirect to a name that is not public', () => `${origin}/307`, 500, 'scan_failed'],
  [
    'a name for an address that is allowed by number',
    () => origin.replace('127.0.0.1', 'localhost'),
    400,
    'blocked_target',
  ],
])('%s: refused, and nothing is charged', async (_, url, status, code) => {
  const mine = await app.newKey()
  const answer = await app.call({ url: scanOf(url()), secret: mine.secret })
  expect([answer.status, answer.body.code]).toEqual([status, code])
  expect((await app.call({ url: '/api/v1/me', secret: mine.secret })).body.requests_used).toBe(0)
})
