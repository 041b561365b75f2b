import { describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { followLocation, followRefresh } from '../../src/fetch/redirect.ts'
import { parseTarget } from '../../src/fetch/target.ts'

const FROM = parseTarget('https://pub.example.org/a/b', DEFAULT_POLICY)
const letters = (count: number): string => 'a'.repeat(count)

/** Hosts, with a port, for which a submitted URL gets 400 and a redirect is blocked. */
const BLOCKED = [
  // IPv4 addresses that are not public, in all spellings that the WHATWG parser accepts.
  ...`127.1 127.0.1 0x7f.1 017700000001 0x000000007f000001 4294967295 0xa9.0xfe.0xa9.0xfe`.split(' '),
  ...`169.254.43518 169.16689662 0x0a000001 10.1 0300.0250.1 2130706433. 0177.0.0.1. 0x 0x.0x`.split(' '),
  ...`127%2e0%2e0%2e1 %31%32%37.1 127\u30020\u30020\u30021 127\uff0e0\uff0e0\uff0e1`.split(' '),
  ...`127\uff610\uff610\uff611 \uff11\uff12\uff17.0.0.1 \u{1d7d9}\u{1d7da}\u{1d7df}.0.0.1`.split(' '),
  ...`127.0.0.1\u00ad 127.0\u200b.0.1 \uff10x7f.1`.split(' '),
  // Malformed IPv4 addresses.
  ...`4294967296 1.2.3.4.5 256.1 08.8.8.8 8.8.8.08 8.8.8.8.. 127..0.1 0b1111111.0.0.1 a.1 a.0x1`.split(' '),
  // The blocks.
  ...`0.1.2.3 10.255.255.255 100.64.0.1 100.100.100.200 168.63.129.16 169.254.170.2 172.16.0.1`.split(' '),
  ...`192.0.0.8 192.0.0.170 192.0.2.1 192.88.99.1 192.168.255.255 198.19.255.255 198.51.100.1`.split(' '),
  ...`203.0.113.1 224.0.0.251 239.255.255.250 240.1.1.1 255.255.255.255`.split(' '),
  // IPv6 addresses that are not global, or that contain an IPv4 address.
  ...`[::] [::1] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::8.8.8.8] [::ffff:8.8.8.8] [::FFFF:A9FE:A9FE]`.split(' '),
  ...`[::ffff:0:8.8.8.8] [64:ff9b::8.8.8.8] [64:ff9b::a00:1] [64:ff9b:1::1] [64:ff9b:1:a9fe:a9:fe00::]`.split(' '),
  ...`[100::1] [100:0:0:1::1] [2001::1] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:1::1] [2001:2::1]`.split(' '),
  ...`[2001:3::1] [2001:4:112::1] [2001:10::1] [2001:20::1] [2001:30::1] [2001:db8::1]`.split(' '),
  ...`[2002:808:808::1] [2620:4f:8000::1] [3fff::1] [3fff:fff::1] [4000::1] [5f00::1] [fc00::1]`.split(' '),
  ...`[fd00:ec2::254] [fe80::1] [febf::1] [fec0::1] [ff02::1] [ff0e::1] [2606:4700::5efe:808:808]`.split(' '),
  ...`[2606::200:5efe:a00:1] [fe80::1%25eth0] [fe80::1%eth0] [1.1.1.1] [::1].example.com [2606:4700::1`.split(' '),
  ...`2606:4700::1 [v1.a]`.split(' '),
  // Names that are not public.
  ...`localhost localhost. foo.localhost localhost.localdomain metadata a.local a.internal a.lan`.split(' '),
  ...`a.home a.corp a.intranet a.private a.test a.example a.invalid a.alt arpa nic.arpa home.arpa`.split(' '),
  ...`a.ip6.arpa 1.0.0.127.in-addr.arpa onion a.onion a.onion. a.ARPA com com. xn--fiqs8s`.split(' '),
  ...`kubernetes.default.svc kubernetes.default.svc.cluster.local host.docker.internal`.split(' '),
  ...`metadata.google.internal. %6c%6f%63%61%6c%68%6f%73%74`.split(' '),
  ...`\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3 local\u200bhost local\u00adhost`.split(' '),
  // Malformed names.
  `${letters(64)}.com`,
  `${`${letters(63)}.`.repeat(4)}com`,
  ...`a..example.com .example.com example.com.. -a.com a-.com xn-- xn--.com xn--a.com a*b.com`.split(' '),
  ...`*.example.com a,b.com a'b.com a!b.com a+b.com {a}.com a%20b.com a%2f.com a.com%23 a%00.com`.split(' '),
  ...`\u2100.com a\uff0f.com example.c0m`.split(' '),
  // Ports.
  ...`example.com:0 example.com:81 example.com:8080 example.com:65536 example.com:080a example.com:-1`.split(' '),
  ...`example.com:+80 example.com:\uff18\uff10 example.com:%38%30 example.com:80:80`.split(' '),
  ...`[2606:4700::1]:8080 :80`.split(' '),
  // Hosts that another parser would read differently.
  ...`a:b@example.com a@example.com 8.8.8.8%2f@example.com example.com@127.0.0.1`.split(' '),
]

/** Rejected in a submitted URL. In a redirect, the parser removes the odd characters, as browsers do. */
const REJECTED_IN_SUBMITTED_URL = ['a\ufeff.com', '@example.com', ':@example.com', 'a\t.com', 'example.com\\@8.8.8.8']

/** URLs that must be accepted, and the host that is contacted. */
const ALLOWED: readonly [string, string][] = [
  ['http://example.com:080/', 'example.com'],
  ['http://example.com:/', 'example.com'],
  ['https://example.com:80/', 'example.com'],
  ['https://1.1.1.1:443/', '1.1.1.1'],
  ['http://example.com.:80/', 'example.com'],
  ['http://a.com#@127.0.0.1/', 'a.com'],
  ['http://a.com?@127.0.0.1/', 'a.com'],
  ['http://a.com/@127.0.0.1', 'a.com'],
  ['http://co.uk/', 'co.uk'],
  ['http://github.io/', 'github.io'],
  ['http://www.ck/', 'www.ck'],
  ['http://a.bd/', 'a.bd'],
  ['http://city.kawasaki.jp/', 'city.kawasaki.jp'],
  ['http://my_site.tumblr.com/', 'my_site.tumblr.com'],
  ['http://r3---sn-a.example.com/', 'r3---sn-a.example.com'],
  ['http://123.com/', '123.com'],
  ['http://0x.com/', '0x.com'],
  ['http://127.0.0.1.example.com/', '127.0.0.1.example.com'],
  ['http://localhost.example.com/', 'localhost.example.com'],
  ['http://[2001:200::1]/', '2001:200::1'],
  ['http://[3fff:1000::1]/', '3fff:1000::1'],
  ['http://192.88.98.1/', '192.88.98.1'],
  ['http://168.63.129.17/', '168.63.129.17'],
  ['http://192.0.1.1/', '192.0.1.1'],
]

const buildRedirect = (location: string) => ({ status: 302, headers: [['location', location]] as const })
const refresh = (to: string): Uint8Array => Buffer.from(`<meta http-equiv=refresh content="0;url='${to}'">`)

describe('a blocked host', () => {
  test.each(BLOCKED)('%j', (host) => {
    const url = `http://${host}/`
    const outcome = (() => {
      try {
        return parseTarget(url, DEFAULT_POLICY).url.href
      } catch (error) {
        return error instanceof ScanError ? error.code : String(error)
      }
    })()
    expect(['invalid_url', 'blocked_target']).toContain(outcome)
    expect(() => followLocation({ ...buildRedirect(url), body: null as never }, FROM, DEFAULT_POLICY)).toThrow(
      ScanError,
    )
    if (!host.includes("'") && !/[^\x20-\x7e]/.test(host))
      expect(
        followRefresh({ status: 200, headers: [], body: null as never }, refresh(url), FROM, DEFAULT_POLICY),
      ).toBeNull()
  })
})

test.each(REJECTED_IN_SUBMITTED_URL)('%j is rejected as the host of a submitted URL', (host) => {
  expect(() => parseTarget(`http://${host}/`, DEFAULT_POLICY)).toThrow(ScanError)
})

test.each(ALLOWED)('%s is accepted, with the host %s', (url, host) => {
  expect(parseTarget(url, DEFAULT_POLICY).host).toBe(host)
  expect(followLocation({ ...buildRedirect(url), body: null as never }, FROM, DEFAULT_POLICY)?.host).toBe(host)
})
