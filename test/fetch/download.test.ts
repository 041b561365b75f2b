import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { download, isDownloadUrl } from '../../src/fetch/download.ts'
import { selfSigned, unknownIssuer } from '../../tools/bench/hostile/certificates.ts'
import { openTlsSite } from '../../tools/bench/hostile/raw-server.ts'

const { signal } = new AbortController()
const TEXT = 'x'.repeat(10_000)
const PATHS: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  '/file': (response) => response.end(TEXT),
  '/again': (response) => response.writeHead(302, { location: '/file' }).end(),
  '/loop': (response) => response.writeHead(307, { location: '/loop' }).end(),
  '/open': (response) => response.writeHead(302, { location: 'http://example.com/file' }).end(),
  '/broken': (response) => response.writeHead(302, { location: 'http://' }).end(),
  '/none': (response) => response.writeHead(404).end('not here'),
  '/silent': () => {},
  '/stuck': (response) => response.write('x'),
  '/cut': (response) => {
    response.writeHead(200, { 'content-length': 20_000 })
    response.write(TEXT, () => response.destroy())
  },
}

let origin: string
const server = createServer(({ url = '' }, response) => PATHS[url](response))
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const LIMITS = { maxBytes: 100_000, timeoutMs: 20_000, signal }

test.each([
  ['/file', 100_000, 10_000],
  ['/file', 500, 500],
  ['/again', 100_000, 10_000],
  ['/cut', 100_000, 10_000],
])('%s, at most %i bytes', async (path, maxBytes, length) => {
  expect(Buffer.from(await download(origin + path, { ...LIMITS, maxBytes })).toString()).toBe(TEXT.slice(0, length))
})

test.each([
  ['/none', 'the server responded with status 404'],
  ['/loop', 'the server redirected more than 5 times'],
  ['/open', 'the server redirected to a URL that is not https'],
  ['/broken', 'the server redirected to a URL that is not https'],
  ['/silent', 'the server did not send the file within 0.2 s'],
  ['/stuck', 'the server did not send the file within 0.2 s'],
])('%s: %s', async (path, sentence) => {
  await expect(download(origin + path, { ...LIMITS, timeoutMs: 200 })).rejects.toThrow(sentence)
})

test.each([
  ['signed by itself', selfSigned, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['of an unknown issuer', unknownIssuer, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
])('a file of a server whose certificate is %s is refused', async (_, cert, code) => {
  const requests: string[] = []
  const site = await openTlsSite((_, path) => requests.push(path), cert)
  onTestFinished(site.close)
  await expect(download(`${site.url}file`, LIMITS)).rejects.toThrow(`the connection failed (${code})`)
  expect(requests).toEqual([])
})

test('a server that does not listen, and an aborted download', async () => {
  await expect(download('http://127.0.0.1:9/x', LIMITS)).rejects.toThrow('the connection failed (ECONNREFUSED)')
  const controller = new AbortController()
  const rest = download(`${origin}/stuck`, { ...LIMITS, signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(rest).rejects.toThrow('enough')
})

test.each<[string, boolean]>([
  ['https://rules.example/x', true],
  ['http://127.0.0.1:80/x', true],
  ['http://localhost/x', true],
  ['http://[::1]/x', true],
  ['http://rules.example/x', false],
  ['http://127.0.0.1.example/x', false],
  ['https://a:b@rules.example/x', false],
  ['file:///x', false],
])('%s may be downloaded: %s', (url, isGood) => {
  expect(isDownloadUrl(new URL(url))).toBe(isGood)
})
