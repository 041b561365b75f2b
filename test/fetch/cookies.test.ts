import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ScanError } from '../../src/errors.ts'
import { ScanCookies } from '../../src/fetch/cookies.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { countRuns } from '../support/property-runs.ts'
import { fetchText } from './fetch-text.ts'
import { type Answering, createResolver, openScene, PUBLIC } from './scene.ts'

const FROM = 'https://www.example.org/a/b'

/** Stores `Set-Cookie` headers of a URL. */
function store(texts: readonly string[], from = FROM, cookies = new ScanCookies()): ScanCookies {
  cookies.store(
    texts.map((text) => ['set-cookie', text]),
    new URL(from),
  )
  return cookies
}

describe('a cookie of https://www.example.org/a/b', () => {
  test.each<[text: string, to: string, sent: string]>([
    ['a=1', 'https://www.example.org/a/c', 'a=1'],
    ['a=1', 'https://www.example.org/', ''],
    ['a=1; Path=/', 'https://www.example.org/', 'a=1'],
    ['a=1; Path=/', 'http://www.example.org/', 'a=1'],
    ['a=1; Path=/; Secure', 'http://www.example.org/', ''],
    ['a=1; Path=/; Secure; HttpOnly; SameSite=Strict', 'https://www.example.org/', 'a=1'],
    ['a=1; Path=/', 'https://example.org/', ''],
    ['a=1; Path=/', 'https://b.www.example.org/', ''],
    ['a=1; Path=/; Domain=example.org', 'https://example.org/', 'a=1'],
    ['a=1; Path=/; Domain=.example.org', 'https://cdn.example.org/', 'a=1'],
    ['a=1; Path=/; Domain=example.org', 'https://badexample.org/', ''],
    ['a=1; Path=/; Domain=example.org', 'https://example.com/', ''],
    ['a=1; Path=/; Max-Age=0', 'https://www.example.org/', ''],
    ['a=1; Path=/; Expires=Thu, 01 Jan 2015 00:00:00 GMT', 'https://www.example.org/', ''],
    ['__Host-a=1; Path=/; Secure', 'https://www.example.org/', '__Host-a=1'],
    ['__Host-a=1; Path=/; Secure; Domain=example.org', 'https://www.example.org/', ''],
    ['a=\xe4; Path=/', 'https://www.example.org/', 'a=\xe4'],
    ['a=1\r\nx: 2; Path=/', 'https://www.example.org/', ''],
    ['a=\x7f; Path=/', 'https://www.example.org/', ''],
    ['a=€; Path=/', 'https://www.example.org/', ''],
    ['__proto__=1; Path=/', 'https://www.example.org/', '__proto__=1'],
    ['a=1; Path=/; Domain=__proto__', 'https://www.example.org/', ''],
    ['', 'https://www.example.org/a/b', ''],
    ['=; Path=/', 'https://www.example.org/', ''],
    [';;;', 'https://www.example.org/a/b', ''],
  ])('%j: to %s goes %j', (text, to, sent) => {
    expect(store([text]).format(new URL(to))).toBe(sent)
  })
})

test.each<[domain: string, from: string]>([
  ['org', 'https://www.example.org/'],
  ['.org', 'https://www.example.org/'],
  ['co.uk', 'https://www.example.co.uk/'],
  ['github.io', 'https://a.github.io/'],
  ['vercel.app', 'https://a.vercel.app/'],
  ['com', 'https://example.com/'],
  ['example.com', 'https://www.example.org/'],
  ['a.www.example.org', 'https://www.example.org/'],
  ['www.example.org.', 'https://www.example.org/'],
  ['ple.org', 'https://www.example.org/'],
  ['127.0.0.1', 'https://www.example.org/'],
  ['0.0.1', 'http://127.0.0.1/'],
  ['1', 'http://127.0.0.1/'],
])('a cookie for the domain %s of %s is refused', (domain, from) => {
  const cookies = store([`a=1; Path=/; Domain=${domain}`], from)
  for (const host of [new URL(from).hostname, domain.replace(/^\.|\.$/g, ''), `x.${domain.replace(/^\.|\.$/g, '')}`])
    if (URL.canParse(`https://${host}/`)) expect(cookies.format(new URL(`https://${host}/`)), host).toBe('')
})

describe('a host that sets', () => {
  const count = (header: string): number => (header === '' ? 0 : header.split('; ').length)
  const many = (times: number, value = '1'): string[] =>
    Array.from({ length: times }, (_, i) => `c${i}=${value}; Path=/`)

  test('1,000 cookies has 50 of them', () => {
    expect(count(store(many(1000)).format(new URL(FROM)))).toBe(50)
  })

  test('1,000 cookies of 4 kB gets a header of at most 6 KiB', () => {
    const header = store(many(1000, 'x'.repeat(4000))).format(new URL(FROM))
    expect({ count: count(header), length: header.length }).toEqual({ count: 1, length: 4003 })
  })

  test('a cookie of more than 4,096 characters gets none', () => {
    expect(store([`a=${'x'.repeat(4095)}`]).format(new URL(FROM))).toBe('')
  })

  test('the same cookie again gets the last one', () => {
    expect(store(['a=1', 'a=2']).format(new URL(FROM))).toBe('a=2')
  })

  test('many cookies together with other hosts has 100 of them', () => {
    const cookies = new ScanCookies()
    const hosts = ['a', 'b', 'c', 'd'].map((name) => `https://${name}.example.org/`)
    for (const host of hosts) store(many(40), host, cookies)
    expect(hosts.map((host) => count(cookies.format(new URL(host))))).toEqual([40, 40, 20, 0])
  })
})

/** Kinds of hosts that can be scanned. */
const HOSTS = 'example.org www.example.org co.uk github.io xn--bcher-kva.example.com 127.0.0.1 [2606:4700::1111]'.split(
  ' ',
)
const PIECES =
  'a =1 ; Domain= Path= Max-Age= Expires= Secure __Host- . / , " % \xe4 \x00 \x7f example.org org github.io 127.0.0.1 [::1] -1 1e9 Thu, __proto__'.split(
    ' ',
  )
test('no cookie fails a scan, and what is sent can be sent', { tags: ['property'] }, () => {
  const host = fc.constantFrom(...HOSTS)
  const text = fc
    .array(fc.oneof(fc.constantFrom(...PIECES, ' '), fc.string({ maxLength: 3 })), { maxLength: 12 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(host, host, fc.array(text, { maxLength: 5 }), (from, to, texts) => {
      const header = store(texts, `https://${from}/`).format(new URL(`https://${to}/a`))
      expect(header).toMatch(/^[\x20-\x7e\x80-\xff]{0,6144}$/)
    }),
    { numRuns: countRuns(500) },
  )
})

const SITE = 'http://pub.example.org/'
const OTHER = 'http://www.example.net/'
const html = { 'content-type': 'text/html' }

/** Responds with the page to a request with a cookie, and otherwise sets it and leads to a URL. */
const wanting =
  (cookie: string, lead: (response: Parameters<Answering>[1]) => void): Answering =>
  (_, response, request) => {
    if (request.headers.cookie !== undefined)
      response.writeHead(200, html).end(`<p>read with ${request.headers.cookie}`)
    else lead(response.setHeader('set-cookie', cookie))
  }
const redirect =
  (location: string) =>
  (response: Parameters<Answering>[1]): void =>
    void response.writeHead(302, { location, 'content-length': 0 }).end()
const refresh = (response: Parameters<Answering>[1]): void =>
  void response.writeHead(200, html).end('<meta http-equiv=refresh content="0; url=/">')

let turns = 0
describe('a site that', () => {
  test.each<[name: string, answer: Answering, outcome: string, requests: readonly string[]]>([
    ['sets a cookie and redirects to itself is read', wanting('a=1', redirect(SITE)), 'read with a=1', [SITE, SITE]],
    ['sets a cookie and refreshes itself is read', wanting('a=1', refresh), 'read with a=1', [SITE, SITE]],
    [
      'sets a cookie on another page is read',
      (url, response, request) => {
        if (url.endsWith('/set')) redirect('/')(response.setHeader('set-cookie', 'b=2; Path=/'))
        else wanting('c=3; Path=/set', redirect('/set'))(url, response, request)
      },
      'read with b=2',
      [SITE, `${SITE}set`, SITE],
    ],
    [
      'redirects to itself without a cookie is a loop',
      (_, response) => redirect(SITE)(response),
      'redirect_loop',
      [SITE],
    ],
    [
      'always sets the same cookie and redirects to itself is a loop',
      (_, response) => redirect(SITE)(response.setHeader('set-cookie', 'a=1')),
      'redirect_loop',
      [SITE, SITE],
    ],
    [
      'always sets another cookie and redirects to itself is a loop',
      (_, response) => redirect(SITE)(response.setHeader('set-cookie', `a=${turns++}`)),
      'redirect_loop',
      Array.from({ length: 6 }, () => SITE),
    ],
    [
      'sets a cookie for another host does not get it there',
      (url, response, request) => {
        const { cookie } = request.headers
        if (url === OTHER) response.writeHead(200, html).end(`read with ${cookie}`)
        else redirect(OTHER)(response.setHeader('set-cookie', ['a=1', 'b=2; Domain=example.net', 'c=3; Domain=net']))
      },
      'read with undefined',
      [SITE, OTHER],
    ],
    [
      'fills its headers with 1,000 cookies of 4 kB fails',
      (_, response) =>
        redirect(SITE)(
          response.setHeader(
            'set-cookie',
            Array.from({ length: 1000 }, (_, i) => `c${i}=${'x'.repeat(4000)}`),
          ),
        ),
      'header_overflow',
      [SITE],
    ],
  ])('%s', async (_, answer, outcome, requests) => {
    const scene = await openScene(answer)
    const options = { resolver: createResolver(() => [PUBLIC]), policy: DEFAULT_POLICY, evidence: [] }
    const found = await fetchText(SITE, { ...options, ...(scene.dial && { dial: scene.dial }) }).then(
      (site) => Buffer.from(site.html).toString(),
      (error: unknown) => (error as ScanError).reason,
    )
    await scene.close()
    expect({ found, requests: scene.requests }).toEqual({ found: expect.stringContaining(outcome), requests })
  })

  test('sets a cookie gets it for its scripts and robots.txt, and what those set is not stored', async () => {
    const sent: string[] = []
    const scene = await openScene((url, response, request) => {
      sent.push(`${new URL(url).pathname} ${request.headers.cookie}`)
      if (!url.endsWith('/'))
        response.writeHead(200, { 'content-type': 'text/javascript', 'set-cookie': 'b=2; Path=/' }).end('a()')
      else
        response.writeHead(200, { ...html, 'set-cookie': 'a=1; Path=/' }).end('<script src=/assets/a.js></script><p>A')
    })
    const policy = {
      ...DEFAULT_POLICY,
      deadlineMs: 600_000,
      evidenceMs: 600_000,
      evidenceAfterBodyMs: 600_000,
      bodiesAfterPageMs: 600_000,
    }
    await fetchText(SITE, { resolver: createResolver(), policy, ...(scene.dial && { dial: scene.dial }) })
    await scene.close()
    expect(sent.toSorted()).toEqual(['/ undefined', '/assets/a.js a=1', '/favicon.ico a=1', '/robots.txt a=1'])
  })
})
