import { generateKeyPairSync } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import { derivePublicJwk, parseBotKey, parseDirectoryUrl } from '../../src/fetch/bot-identity.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { buildRequestSigner } from '../../src/fetch/request-signer.ts'
import { fetchText } from './fetch-text.ts'
import { type Answering, createResolver, openScene } from './scene.ts'
import { KEY, KEY_ID, verifyRequest } from './verify-signature.ts'

const IDENTITY = { key: KEY, directoryOrigin: 'https://bot.example' }
const PATIENT = { deadlineMs: 60_000, evidenceMs: 60_000, evidenceAfterBodyMs: 60_000, bodiesAfterPageMs: 60_000 }
const HTML = { 'content-type': 'text/html' }
const PAGE = '<!doctype html><title>t</title><link rel=stylesheet href=/a.css><script src=/main.js></script>'

/** A site that redirects from one host to another, whose page has a script, a style sheet, an icon and robots.txt. */
const answer: Answering = (url, response) => {
  if (url === 'http://old.example.org/from?a=1') response.writeHead(301, { location: SITE, 'content-length': 0 }).end()
  else if (url === SITE) response.writeHead(200, HTML).end(PAGE)
  else if (url.endsWith('.css')) response.writeHead(200, { 'content-type': 'text/css' }).end('p{}')
  else if (url.endsWith('.js')) response.writeHead(200, { 'content-type': 'text/javascript' }).end('1')
  else response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *')
}
const SITE = 'https://new.example.org/to/?b=%C3%A4'

/** Scans the site. @returns the headers of each request by its URL */
async function scan(identity: typeof IDENTITY | null): Promise<ReadonlyMap<string, IncomingHttpHeaders>> {
  const received = new Map<string, IncomingHttpHeaders>()
  const scene = await openScene((url, response, request) => {
    received.set(url, request.headers)
    answer(url, response, request)
  })
  // All files are waited for, however busy the machine is.
  const policy = { ...DEFAULT_POLICY, ...PATIENT, identity }
  const dial = scene.dial && { dial: scene.dial }
  await fetchText('http://old.example.org/from?a=1', { resolver: createResolver(), policy, ...dial })
  await scene.close()
  return received
}

const URLS = [
  'http://old.example.org/from?a=1',
  SITE,
  'https://new.example.org/robots.txt',
  'https://new.example.org/favicon.ico',
  'https://new.example.org/main.js',
  'https://new.example.org/a.css',
]

describe('a scan with a key', () => {
  test('signs each request for its own host, which a verifier accepts', async () => {
    const received = await scan(IDENTITY)
    const verified = await Promise.all(
      Array.from(received, async ([url, headers]) => [url, await verifyRequest(url, headers)]),
    )
    expect(Object.fromEntries(verified)).toEqual(Object.fromEntries(URLS.map((url) => [url, 'valid'])))
    for (const headers of received.values()) expect(headers['signature-agent']).toBe('sig1="https://bot.example"')
  })

  test('sends a signature that is of no use at the host of a redirect', async () => {
    const received = await scan(IDENTITY)
    expect(await verifyRequest(SITE, received.get(URLS[0]) ?? {})).toBe('VerificationFailed')
  })
})

test('a scan without a key signs nothing, and sends the headers of an ordinary client', async () => {
  const received = await scan(null)
  expect([...received.keys()].sort()).toEqual([...URLS].sort())
  for (const [url, headers] of received) {
    const { 'accept-encoding': encodings, ...rest } = headers
    expect(rest).toEqual({
      host: new URL(url).host,
      connection: 'keep-alive',
      'user-agent': 'Siteprint',
      accept: url.includes('?') ? 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' : '*/*',
      'accept-language': 'en;q=0.9, *;q=0.5',
    })
    expect(encodings).toMatch(/^gzip, deflate, br(?:, zstd)?$/)
  }
})

describe('a signature', () => {
  const NOW = Date.UTC(2026, 10, 27)
  const sign = buildRequestSigner(IDENTITY, () => NOW)
  const other = generateKeyPairSync('ed25519').privateKey
  const replaced = { 'signature-agent': 'sig1="https://other.example"' }
  const unsigned = { 'signature-agent': undefined, 'signature-input': undefined, signature: undefined }

  test.each<[string, string, IncomingHttpHeaders, Parameters<typeof verifyRequest>[2], string]>([
    ['at once', 'https://a.example/path?query', {}, {}, 'valid'],
    ['after 59 seconds', 'https://a.example/path?query', {}, { now: NOW + 59_000 }, 'valid'],
    ['of another query', 'https://a.example/path?other', {}, {}, 'valid'],
    ['with the port of the scheme', 'https://a.example:443/path', {}, {}, 'valid'],
    ['after 61 seconds', 'https://a.example/path?query', {}, { now: NOW + 61_000 }, 'PolicyViolation'],
    ['before it was made', 'https://a.example/path?query', {}, { now: NOW - 60_000 }, 'PolicyViolation'],
    ['for another host', 'https://b.example/path?query', {}, {}, 'VerificationFailed'],
    ['for another port', 'https://a.example:8443/path?query', {}, {}, 'VerificationFailed'],
    ['for another path', 'https://a.example/other', {}, {}, 'VerificationFailed'],
    ['with the directory of another', 'https://a.example/path', replaced, {}, 'VerificationFailed'],
    ['under another key', 'https://a.example/path?query', {}, { key: other }, 'VerificationFailed'],
    ['that is missing', 'https://a.example/path?query', unsigned, {}, 'MissingField'],
  ])('%s', async (_, url, changed, trust, expected) => {
    const headers = { ...(await sign(new URL('https://a.example/path?query'))), ...changed }
    expect(await verifyRequest(url, headers, { now: NOW, ...trust })).toBe(expected)
  })

  test.each([
    ['https://[2606:4700::1111]:8443/x', 'https://[2606:4700::1111]:8443/x'],
    ['https://münchen.example/ä b?ö=|^#fragment', 'https://xn--mnchen-3ya.example/%C3%A4%20b?%C3%B6=|^'],
    ['https://A.example./%zz%//y?', 'https://a.example./%zz%//y'],
    [`https://a.example/a|b^{}"'<>;,&=+$!*()@:[]~`, `https://a.example/a|b^%7B%7D%22'%3C%3E;,&=+$!*()@:[]~`],
  ])('of %s is valid for what the server is asked for', async (url, asked) => {
    const sent = await sign(new URL(url))
    expect(Object.values(sent).join('')).toMatch(/^[\x20-\x7e]+$/)
    expect(await verifyRequest(asked, sent, { now: NOW })).toBe('valid')
  })

  test('names the key by its thumbprint, is valid for a minute, and has a nonce of its own', async () => {
    const url = new URL('https://a.example/')
    const [input, second] = [await sign(url), await sign(url)].map((headers) => headers['signature-input'])
    const created = NOW / 1000
    expect(input).toContain(`;created=${created};expires=${created + 60};keyid="${KEY_ID}";`)
    const nonces = [input, second].map((one) => /nonce="([^"]+)"/.exec(one)?.[1])
    expect(nonces[0]).not.toBe(nonces[1])
    expect(nonces.map((nonce) => Buffer.from(nonce ?? '', 'base64').length)).toEqual([64, 64])
  })
})

describe('a key file', () => {
  const pem = KEY.export({ type: 'pkcs8', format: 'pem' }).toString()
  const jwk = KEY.export({ format: 'jwk' })
  const { d, ...publicJwk } = jwk
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const encrypted = KEY.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' }).toString()

  test.each<[string, string, string | null]>([
    ['PEM', pem, KEY_ID],
    ['PEM after a comment', `# key of the robot\n${pem}`, KEY_ID],
    ['JWK', ` ${JSON.stringify({ ...jwk, kid: 'name', use: 'sig' })}\n`, KEY_ID],
    ['nothing', '', null],
    ['another text', 'secret', null],
    ['JSON that is cut', '{"kty":"OKP"', null],
    ['a public JWK', JSON.stringify(publicJwk), null],
    ['a set of keys', JSON.stringify({ keys: [jwk] }), null],
    ['a key with a password', encrypted, null],
    ['an RSA key', rsa.export({ type: 'pkcs8', format: 'pem' }).toString(), null],
    ['a JWK of another curve', JSON.stringify({ ...jwk, crv: 'X25519' }), null],
  ])('with %s', (_, text, thumbprint) => {
    const key = parseBotKey(text)
    expect(key && derivePublicJwk(key).kid).toBe(thumbprint)
  })

  test('never shows its content', () => {
    expect(JSON.stringify(IDENTITY)).not.toContain(d)
  })
})

test.each([
  ['https://Bot.example', 'https://bot.example'],
  ['https://bot.example:8443/', 'https://bot.example:8443'],
  ['https://bot.example/.well-known/http-message-signatures-directory', 'https://bot.example'],
  ['http://bot.example', null],
  ['bot.example', null],
  ['https://bot.example/keys', null],
  ['https://bot.example/?a', null],
  ['https://u:p@bot.example/', null],
  ['https://bot.example/#x', null],
  ['https://', null],
])('the directory at %s', (text, expected) => {
  expect(parseDirectoryUrl(text)).toBe(expected)
})
