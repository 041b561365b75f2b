import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { API_ERRORS } from '../../src/errors.ts'
import { openApp, scanOf, type TestApp } from './app-fixture.ts'

let app: TestApp
let secret: string
beforeAll(async () => {
  const plans = new Map([['free', { name: 'free', perMinute: 100_000, perMonth: 100_000, keys: 1 }]])
  app = await openApp({ settings: { plans }, policy: { deny: ['denied.example.com'] } })
  secret = (await app.newKey({ plan: 'free' })).secret
})

const post = (body: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  app.call({ method: 'POST', url: '/api/v1/scan', body, headers, secret })

const OK = 'ok'
const lengthOf = (characters: number): string => 'https://example.com/'.padEnd(characters, 'a')

describe('which URLs can be scanned', () => {
  test.each([
    ['https://example.com', OK],
    ['http://example.com:80/', OK],
    ['http://example.com:443/', OK],
    ['https://example.com:80/', OK],
    ['https://example.co.uk/a?b=c#d', OK],
    ['https://93.184.216.34/', OK],
    ['https://[2606:2800:220:1::1]/', OK],
    [' https://example.com ', OK],
    [lengthOf(2048), OK],
    [` ${lengthOf(2048)} `, OK],
    [lengthOf(2049), 'invalid_url'],
    ['', 'invalid_url'],
    [' ', 'invalid_url'],
    ['example.com', 'invalid_url'],
    ['//example.com', 'invalid_url'],
    ['/path', 'invalid_url'],
    ['https://', 'invalid_url'],
    ['https:example.com', 'invalid_url'],
    ['ftp://example.com', 'invalid_url'],
    ['file:///etc/passwd', 'invalid_url'],
    ['javascript:alert(1)', 'invalid_url'],
    ['data:text/html,x', 'invalid_url'],
    ['https://user@example.com', 'invalid_url'],
    ['https://user:password@example.com', 'invalid_url'],
    ['https://:@example.com', 'invalid_url'],
    ['https://exa mple.com', 'invalid_url'],
    ['https://example.com/a b', 'invalid_url'],
    ['https://example.com\\@example.org', 'invalid_url'],
    ['https://example.com/a\tb', 'invalid_url'],
    ['https://example.com/a\0b', 'invalid_url'],
    ['https://example.com/a\u0085b', 'invalid_url'],
    ['https://example.com:99999', 'invalid_url'],
    ['https://[::1', 'invalid_url'],
    ['http://localhost', 'blocked_target'],
    ['http://printer.lan', 'blocked_target'],
    ['http://intranet', 'blocked_target'],
    ['http://com', 'blocked_target'],
    ['http://example.onion', 'blocked_target'],
    ['http://1.0.0.127.in-addr.arpa', 'blocked_target'],
    ['http://host.internal', 'blocked_target'],
    ['http://127.0.0.1', 'blocked_target'],
    ['http://2130706433', 'blocked_target'],
    ['http://0x7f.1', 'blocked_target'],
    ['http://169.254.169.254/latest/meta-data/', 'blocked_target'],
    ['http://[::1]', 'blocked_target'],
    ['http://[::ffff:10.0.0.1]', 'blocked_target'],
    ['http://[fd00::1]', 'blocked_target'],
    ['https://example.com:8443', 'blocked_target'],
    ['https://example.com:22', 'blocked_target'],
    ['https://denied.example.com', 'blocked_target'],
    ['https://www.DENIED.example.com', 'blocked_target'],
  ])('%j', async (url, wanted) => {
    const before = app.scanned.length
    for (const answer of [
      await app.call({ url: scanOf(url, '&fresh=true'), secret }),
      await app.call({ method: 'POST', url: '/api/v1/scan', body: { url }, secret }),
    ])
      expect(answer.status === 200 ? OK : answer.body.code).toBe(wanted)
    expect(app.scanned.length > before, 'an invalid URL causes no network access').toBe(wanted === OK)
  })
})

const good = encodeURIComponent('https://example.com')
describe('queries', () => {
  test.each([
    ['none', '', 'invalid_url'],
    ['an empty url', 'url=', 'invalid_url'],
    ['url twice', `url=${good}&url=${good}`, 'invalid_request'],
    ['url as a list', `url[]=${good}`, 'invalid_url'],
    ['an unknown parameter', `url=${good}&x=1`, 'invalid_request'],
    ['__proto__', `url=${good}&__proto__=1`, 'invalid_request'],
    ['constructor', `url=${good}&constructor=1`, 'invalid_request'],
    ['an API key, which is never read from the query', `url=${good}&api_key=1`, 'invalid_request'],
    ['fresh with an invalid value', `url=${good}&fresh=yes`, 'invalid_request'],
    ['fresh with another number', `url=${good}&fresh=01`, 'invalid_request'],
    ['fresh without a value', `url=${good}&fresh`, 'invalid_request'],
    ['fresh twice', `url=${good}&fresh=true&fresh=true`, 'invalid_request'],
    ['include with an unknown name', `url=${good}&include=everything`, 'invalid_request'],
    ['include with an unknown and a known name', `url=${good}&include=timing,everything`, 'invalid_request'],
    ['an empty include', `url=${good}&include=`, 'invalid_request'],
    ['include with a trailing comma', `url=${good}&include=timing,`, 'invalid_request'],
    ['include in upper case', `url=${good}&include=Timing`, 'invalid_request'],
    ['include twice, once unknown', `url=${good}&include=timing&include=x`, 'invalid_request'],
    ['a URL that is not UTF-8', 'url=https%3A%2F%2Fexample.com%2F%FF', 'invalid_url'],
    ['a very long parameter name', `url=${good}&${'x'.repeat(5000)}=1`, 'invalid_request'],
  ])('%s', async (_, query, code) => {
    const { status, body } = await app.call({ url: `/api/v1/scan?${query}`, secret })
    expect([status, body.code]).toEqual([400, code])
    expect(body.error.length).toBeLessThan(250)
  })

  const KNOWN = 'Known parameters: url, include, fresh, pages, render.'
  const URL_SENTENCE = API_ERRORS.invalid_url[1]
  const INCLUDE =
    'include must be a comma-separated list or an array of: evidence, versions, infrastructure, timing, warnings, meta, page, details, packages.'
  const INSTEAD = 'To ignore a cached result, send fresh=true.'
  test.each([
    [`url=${good}&x=1`, `Unknown parameter "x". ${KNOWN}`],
    [`url=${good}&inculde=x`, `Unknown parameter "inculde". Did you mean "include"? ${KNOWN}`],
    [`URL=${good}`, `url is missing. Unknown parameter "URL". Did you mean "url"? ${KNOWN}`],
    [`url=${good}&include=version`, `Unknown value "version" of include. Did you mean "versions"? ${INCLUDE}`],
    [`url=${good}&include=Meta`, `Unknown value "Meta" of include. Did you mean "meta"? ${INCLUDE}`],
    [`url=${good}&include=everything`, `Unknown value "everything" of include. ${INCLUDE}`],
    [`url=${good}&include=${'x'.repeat(31)}`, `Unknown value of include. ${INCLUDE}`],
    ['url=example.org/shop?a', 'url has no scheme: use https://example.org/shop?a instead.'],
    ['url=http:example.org', 'url has no scheme: use https://example.org instead.'],
    ['url=printer.lan', URL_SENTENCE],
    [`url=example.org/${'x'.repeat(200)}`, URL_SENTENCE],
    [
      `url=${good}&include[]=timing`,
      `Unknown parameter "include[]". ${KNOWN} Write include=versions,timing, or repeat include.`,
    ],
    [`url=${good}&max_age=0`, `Unknown parameter "max_age". ${KNOWN} ${INSTEAD}`],
    [`url=${good}&maxAge=0`, `Unknown parameter "maxAge". ${KNOWN} ${INSTEAD}`],
    [`urls=${good}`, `url is missing. Unknown parameter "urls". ${KNOWN} Send one URL per request, as url.`],
    [`url=${good}&urls=${good}`, `Unknown parameter "urls". ${KNOWN} Send one URL per request, as url.`],
    [`url=${good}&${'x'.repeat(31)}=1`, `Unknown parameter. ${KNOWN}`],
    ['', 'url is missing.'],
  ])('the message for %s names the known parameters', async (query, sentence) => {
    expect((await app.call({ url: `/api/v1/scan?${query}`, secret })).body.error).toBe(sentence)
    const parameters = [...new URLSearchParams(query)].map(([name, value]) => [
      name,
      name === 'include' ? [value] : value,
    ])
    const inBody = await post(JSON.stringify(Object.fromEntries(parameters)))
    expect(inBody.body.error).toBe(sentence)
  })

  test.each([
    ['/api/v1/me?url=x', 'Unknown parameter "url". This endpoint has no parameters.'],
    ['/api/v1/usage?urls=x', 'Unknown parameter "urls". Known parameters: month.'],
  ])('the message for %s has the parameters of its endpoint', async (url, sentence) => {
    expect((await app.call({ url, secret })).body.error).toBe(sentence)
  })

  const extrasOf = (body: object): string[] => Object.keys(body).slice(10)

  test('include may be repeated', async () => {
    const { body } = await app.call({
      url: `/api/v1/scan?url=${good}&include=versions&include=warnings,timing`,
      secret,
    })
    expect(extrasOf(body)).toEqual(['versions', 'timing', 'warnings'])
  })

  test.each([
    ['?include=timing', {}, ['timing']],
    ['?include=timing', { include: ['versions'] }, ['versions']],
    ['?fresh=maybe', {}, 'invalid_request'],
    [`?url=${good}`, {}, 'invalid_request'],
    ['?x=1', {}, 'invalid_request'],
    ['?include=meta,timing&fresh=1', {}, ['timing', 'meta']],
  ])('the query of a POST: %s with the body %j', async (query, more, wanted) => {
    const request = { method: 'POST', body: { url: 'https://example.com', ...more }, secret }
    const { body } = await app.call({ ...request, url: `/api/v1/scan${query}` })
    expect(body.code ?? extrasOf(body)).toEqual(wanted)
  })
})

const fields = (more: object): string => JSON.stringify({ url: 'https://example.com', ...more })
const padded = (bytes: number): string => fields({}).padEnd(bytes, ' ')
const json = (type: string) => ({ 'content-type': type })
describe('bodies', () => {
  test.each([
    ['an object', fields({})],
    ['all fields', fields({ include: ['timing'], fresh: true })],
    ['include as a comma-separated list', fields({ include: 'timing,meta' })],
    ['include as a list of lists', fields({ include: ['timing,meta', 'versions'] })],
    ['16,384 bytes', padded(16_384)],
    ['a charset', fields({}), json('application/json; charset=utf-8')],
    ['upper case', fields({}), json('Application/JSON')],
    ['encoding identity', fields({}), { ...json('application/json'), 'content-encoding': 'identity' }],
    ['space before a parameter', fields({}), json('application/json ; charset="utf-8"')],
  ] as [string, string, Record<string, string>?][])('good: %s', async (_, body, headers) => {
    expect((await post(body, headers)).status).toBe(200)
  })

  test.each([
    ['nothing', ''],
    ['not JSON', '{'],
    ['a string', '"https://example.com"'],
    ['null', 'null'],
    ['an array', '[{"url":"https://example.com"}]'],
    ['a number', '1'],
    ['two values', `${fields({})}{}`],
    ['16,385 bytes', padded(16_385)],
    ['300,000 bytes', Buffer.alloc(300_000, 32)],
    ['UTF-16', Buffer.from(fields({}), 'utf16le')],
    ['bytes that are not UTF-8', Buffer.from('7b2275726c223a22ff227d', 'hex')],
    ['half a character', Buffer.from('7b2275726c223a22c3227d', 'hex')],
    ['an unknown field', fields({ x: 1 })],
    ['__proto__', '{"url":"https://example.com","__proto__":{"fresh":true}}'],
    ['constructor', fields({ constructor: 1 })],
    ['a url that is a number', fields({ url: 1 })],
    ['a url that is null', fields({ url: null })],
    ['a url that is an array', fields({ url: ['https://example.com'] })],
    ['fresh as a string', fields({ fresh: 'true' })],
    ['include as an object', fields({ include: {} })],
    ['include with a number', fields({ include: [1] })],
    ['include with an unknown name', fields({ include: ['timing', 'x'] })],
    ['no media type', fields({}), {}],
    ['a form', 'url=https://example.com', json('application/x-www-form-urlencoded')],
    ['a text type', fields({}), json('text/plain')],
    ['a type with a common prefix', fields({}), json('application/json5')],
    ['another JSON type', fields({}), json('application/ld+json')],
    ['a malformed type', fields({}), json(';;;')],
    ['an encoding', gzipSync(fields({})), { ...json('application/json'), 'content-encoding': 'gzip' }],
    ['an encoding that does not match the body', fields({}), { ...json('application/json'), 'content-encoding': 'br' }],
  ] as [string, string | Buffer, Record<string, string>?][])('bad: %s', async (_, body, headers) => {
    const answer = await post(body, headers)
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
    expect(answer.headers['x-ratelimit-limit'], 'counted').toBe('100000')
  })

  test('no body at all', async () => {
    const answer = await app.call({ method: 'POST', url: '/api/v1/scan', secret })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
  })

  test('an empty object has no url', async () => {
    expect((await post('{}')).body.code).toBe('invalid_url')
  })
})

describe('CycloneDX', () => {
  const url = 'https://documents.example.com/'
  const accept = 'application/vnd.cyclonedx+json'
  test.each([
    ['GET', scanOf(url)],
    ['GET', scanOf(url, '&include=versions')],
    ['POST', '/api/v1/scan'],
  ])('%s %s gives a document if Accept names it', async (method, path) => {
    const isPost = method === 'POST'
    const headers = {
      accept: `application/json;q=0.5, ${accept}`,
      ...(isPost && { 'content-type': 'application/json' }),
    }
    const request = { method, url: path, headers, secret, ...(isPost && { body: JSON.stringify({ url }) }) }
    for (const _ of ['scanned', 'cached']) {
      const { status, headers: received, body } = await app.call(request)
      expect([status, received['content-type']?.split(';')[0], body.bomFormat]).toEqual([200, accept, 'CycloneDX'])
      expect(body.components).toMatchObject([{ name: 'Webflow' }, { name: 'jQuery', purl: 'pkg:npm/jquery@1.12.4' }])
      expect(body.metadata).toMatchObject({ timestamp: '2026-05-10T12:00:15.000Z' })
    }
    const plain = await app.call({ url: scanOf(url), headers: { accept: '*/*' }, secret })
    expect(Object.keys(plain.body)).toHaveLength(10)
  })

  test('errors stay as they are', async () => {
    const { status, body } = await app.call({ url: scanOf('localhost'), headers: { accept }, secret })
    expect([status, body.code]).toEqual([400, 'invalid_url'])
  })
})
