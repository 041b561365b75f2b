import { describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { parseAllowed } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY, type Policy } from '../../src/fetch/policy.ts'
import { followLocation } from '../../src/fetch/redirect.ts'
import { checkTarget, parseTarget } from '../../src/fetch/target.ts'

const buildPolicy = (changes: Partial<Policy>): Policy => ({ ...DEFAULT_POLICY, ...changes })
const allowing = (...entries: string[]): Policy =>
  buildPolicy({ allow: entries.map((entry) => parseAllowed(entry)).filter((entry) => entry !== null) })

/** The URL of an accepted text, or the code and reason of a rejected one. */
function findOutcome(text: string, policy = DEFAULT_POLICY): string {
  try {
    return parseTarget(text, policy).url.href
  } catch (error) {
    if (error instanceof ScanError) return `${error.code} ${error.reason}`
    throw error
  }
}

const INVALID = 'invalid_url not_a_url'
const BLOCKED = 'blocked_target not_public'
const PORT = 'blocked_target port_refused'
const DENIED = 'blocked_target denied'
const OWN = 'blocked_target own_host'
const letters = (count: number): string => 'a'.repeat(count)

describe('a submitted URL', () => {
  test.each([
    // Absolute, http or https.
    ['http://example.org', 'http://example.org/'],
    ['HTTPS://EXAMPLE.org/A?b=C#d', 'https://example.org/A?b=C'],
    ['  https://example.org/\n', 'https://example.org/'],
    ['', INVALID],
    ['example.org', INVALID],
    ['//example.org/', INVALID],
    ['/path', INVALID],
    ['http:example.org', INVALID],
    ['http:/example.org', INVALID],
    ['http:///example.org/', INVALID],
    ['http://', INVALID],
    ['http://?x', INVALID],
    ['http://:80/', INVALID],
    ['ftp://example.org/', INVALID],
    ['file:///etc/passwd', INVALID],
    ['javascript:alert(1)', INVALID],
    ['view-source:http://example.org/', INVALID],
    // No credentials, no control characters, white space or backslash inside.
    ['http://user:pass@example.org/', INVALID],
    ['http://user@example.org/', INVALID],
    ['http://@example.org/', INVALID],
    ['http://:@example.org/', INVALID],
    ['https://example.org/@a', 'https://example.org/@a'],
    ['https://example.org?a@b', 'https://example.org/?a@b'],
    ['http://exa mple.org/', INVALID],
    ['http://example.org/a b', INVALID],
    ['http://exa\tmple.org/', INVALID],
    ['http://example.org/\r\nHost: a', INVALID],
    ['http://example.org/\u0000', INVALID],
    ['http://example.org/\u007f', INVALID],
    ['http://example.org/\u0085x', INVALID],
    ['http://example.org/\u2028x', INVALID],
    ['http://example.org/\u00a0x', INVALID],
    ['http://example.org\\@example.com/', INVALID],
    ['http://example.org/#\\', INVALID],
    ['https://example.org/%0d%0a', 'https://example.org/%0d%0a'],
    // A public DNS name …
    ['http://localhost/', BLOCKED],
    ['http://printer.lan/', BLOCKED],
    ['http://a.internal/', BLOCKED],
    ['http://a.local/', BLOCKED],
    ['http://a.test/', BLOCKED],
    ['http://a.invalid/', BLOCKED],
    ['http://a.example/', BLOCKED],
    ['http://com/', BLOCKED],
    ['http://1.0.0.127.in-addr.arpa/', BLOCKED],
    ['http://home.arpa/', BLOCKED],
    ['http://abcdefgh.onion/', BLOCKED],
    ['http://a.github.io/', 'http://a.github.io/'],
    ['http://co.uk/', 'http://co.uk/'],
    ['http://_dmarc.example.org/', 'http://_dmarc.example.org/'],
    ["http://a'b.example.org/", BLOCKED],
    ['http://a;b.example.org/', BLOCKED],
    ['http://*.example.org/', BLOCKED],
    ['http://a..example.org/', BLOCKED],
    [`http://${letters(63)}.org/`, `http://${letters(63)}.org/`],
    [`http://${letters(64)}.org/`, BLOCKED],
    [`http://${`${letters(49)}.`.repeat(5)}org/`, `http://${`${letters(49)}.`.repeat(5)}org/`],
    [`http://${`${letters(50)}.`.repeat(5)}org/`, BLOCKED],
    // … with or without its dot, in any script.
    ['https://example.org./a', 'https://example.org/a'],
    ['https://example.org../', BLOCKED],
    ['http://localhost./', BLOCKED],
    ['https://bücher.de/', 'https://xn--bcher-kva.de/'],
    ['https://例え.テスト/', BLOCKED],
    ['https://食狮.中国/', 'https://xn--85x722f.xn--fiqs8s/'],
    ['http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', BLOCKED],
    ['http://example。org/', 'http://example.org/'],
    ['http://xn--a/', INVALID],
    // … or a public IP literal.
    ['http://8.8.8.8/', 'http://8.8.8.8/'],
    ['http://134744072/', 'http://8.8.8.8/'],
    ['https://[2606:4700:4700::1111]/', 'https://[2606:4700:4700::1111]/'],
    ['http://127.0.0.1/', BLOCKED],
    ['http://127.1/', BLOCKED],
    ['http://0x7f.1./', BLOCKED],
    ['http://[::1]/', BLOCKED],
    ['http://[::ffff:8.8.8.8]/', BLOCKED],
    ['http://8.8.8.8./', 'http://8.8.8.8/'],
    ['http://8.8.8.8../', INVALID],
    ['http://134744072../', INVALID],
    ['http://127.0.0.1../', INVALID],
    ['http://127.0.0.1.../', BLOCKED],
    ['http://256.0.0.1/', INVALID],
    ['http://[fe80::1%25eth0]/', INVALID],
    ['http://[8.8.8.8]/', INVALID],
    // Port 80, 443 or the scheme's default only.
    ['http://example.org:80/', 'http://example.org/'],
    ['http://example.org:443/', 'http://example.org:443/'],
    ['https://example.org:80/', 'https://example.org:80/'],
    ['http://example.org:/', 'http://example.org/'],
    ['http://example.org:8080/', PORT],
    ['http://example.org:0/', PORT],
    ['http://8.8.8.8:22/', PORT],
    ['http://example.org:65536/', INVALID],
    ['http://example.org:80:80/', INVALID],
    ['http://example.org:x/', INVALID],
  ])('%j: %s', (text, outcome) => {
    expect(findOutcome(text)).toBe(outcome)
  })

  test('at most 2,048 characters after trimming', () => {
    const longest = `https://example.org/${letters(2048 - 20)}`
    expect(longest).toHaveLength(2048)
    expect(findOutcome(` ${longest} `)).toBe(longest)
    expect(findOutcome(`${longest}a`)).toBe(INVALID)
  })
})

describe('settings', () => {
  const denied = buildPolicy({ deny: ['example.org', '8.8.8.8'] })
  test.each([
    [
      'a longer list of ports',
      buildPolicy({ ports: [80, 443, 8080] }),
      'http://example.org:8080/',
      'http://example.org:8080/',
    ],
    [
      'the default port of the scheme is always allowed',
      buildPolicy({ ports: [] }),
      'https://example.org/',
      'https://example.org/',
    ],
    ['other ports are blocked', buildPolicy({ ports: [] }), 'https://example.org:80/', PORT],
    ['a denied host', denied, 'https://example.org/', DENIED],
    ['a denied host with a trailing dot', denied, 'https://EXAMPLE.org./', DENIED],
    ['a subdomain of a denied host', denied, 'https://a.b.example.org/', DENIED],
    ['a name that ends like a denied host', denied, 'https://anexample.org/', 'https://anexample.org/'],
    ['a denied address', denied, 'http://134744072/', DENIED],
    ['an allowed address, any port', allowing('127.0.0.1'), 'http://127.0.0.1:3000/', 'http://127.0.0.1:3000/'],
    ['an allowed address in another spelling', allowing('127.0.0.1'), 'http://0x7f.1:3000/', 'http://127.0.0.1:3000/'],
    ['an allowed address and port', allowing('127.0.0.1:3000'), 'http://127.0.0.1:3000/', 'http://127.0.0.1:3000/'],
    ['an allowed address, another port', allowing('127.0.0.1:3000'), 'http://127.0.0.1/', BLOCKED],
    ['an allowed block', allowing('[fd00::]/8'), 'http://[fd12::1]/', 'http://[fd12::1]/'],
    ['an address outside of an allowed block', allowing('127.0.0.0/8'), 'http://[::1]/', BLOCKED],
    ['a name with an allowed address', allowing('127.0.0.1', '[::1]'), 'http://localhost/', BLOCKED],
    ['allowed and denied', { ...allowing('127.0.0.1'), deny: ['127.0.0.1'] }, 'http://127.0.0.1/', DENIED],
    ['an allowed address does not change the ports of others', allowing('127.0.0.1'), 'http://8.8.8.8:3000/', PORT],
  ])('%s', (_, policy, text, outcome) => {
    expect(findOutcome(text, policy)).toBe(outcome)
  })
})

describe('the service does not scan itself', () => {
  const own = [
    { host: 'siteprint.example.com', port: 443 },
    { host: '203.0.114.9', port: 3000 },
    { host: '10.1.2.3', port: 3000 },
    { host: '2606:4700::1', port: 80 },
  ]
  const policy = buildPolicy({ own, ports: [80, 443, 8443] })
  test.each([
    ['its name', policy, 'https://siteprint.example.com/docs', OWN],
    ['on another port', policy, 'http://Siteprint.example.com.:8443/', OWN],
    ['on a port that is not allowed', policy, 'http://siteprint.example.com:3000/', OWN],
    ['a subdomain of its name', policy, 'https://www.siteprint.example.com/', 'https://www.siteprint.example.com/'],
    ['the parent domain of its name', policy, 'https://example.com/', 'https://example.com/'],
    ['its address', policy, 'http://203.0.114.9/', OWN],
    ['its address in another spelling', policy, 'http://0xcb007209/', OWN],
    ['its address in IPv6', policy, 'http://[2606:4700:0:0::1]/', OWN],
    ['a private address, which the error must not reveal', policy, 'http://10.1.2.3:3000/', BLOCKED],
    ['an allowed address', { ...policy, allow: allowing('10.1.2.3').allow }, 'http://10.1.2.3:3000/', OWN],
    [
      'another port of an allowed address',
      { ...policy, allow: allowing('10.1.2.3').allow },
      'http://10.1.2.3:8000/',
      'http://10.1.2.3:8000/',
    ],
  ])('%s', (_, own, text, outcome) => {
    expect(findOutcome(text, own)).toBe(outcome)
  })

  test('not through a redirect either', () => {
    const from = parseTarget('https://example.org/', policy)
    const answer = { status: 302, headers: [['location', 'https://siteprint.example.com/']] }
    const follow = (): unknown => followLocation(answer as never, from, policy)
    expect(follow).toThrow(expect.objectContaining({ reason: 'redirect_refused', code: 'scan_failed' }))
  })
})

test('a target contains the host and port to contact', () => {
  expect(parseTarget('https://[2606:4700::1]:80/a#b', DEFAULT_POLICY)).toEqual({
    url: new URL('https://[2606:4700::1]:80/a'),
    port: 80,
    host: '2606:4700::1',
    isLiteral: true,
  })
  expect(parseTarget('https://Example.org.', DEFAULT_POLICY)).toMatchObject({
    port: 443,
    host: 'example.org',
    isLiteral: false,
  })
})

test('a redirect URL passes the same checks and is not modified', () => {
  const url = new URL('https://example.org./#a')
  expect(checkTarget(url, DEFAULT_POLICY).url.href).toBe('https://example.org/')
  expect(url.href).toBe('https://example.org./#a')
  for (const text of ['ftp://example.org/', 'http://a@example.org/', 'http://:b@example.org/', 'data:,a'])
    expect(() => checkTarget(new URL(text), DEFAULT_POLICY), text).toThrow(ScanError)
})
