import { describe, expect, test } from 'vitest'
import type { PageInput } from '../../src/engine/page/page.ts'
import type { ClauseSource } from '../../src/engine/rule/types.ts'
import { builder, buildPageWith, getVerdict, hosting, type TinyRule } from './support/tiny-rules.ts'

const page: PageInput = {
  url: 'https://shop.host.com/',
  status: 404,
  headers: { 'x-host': '1', 'set-cookie': 'host_id=1' },
  html: '<meta name=host content=1><p>No such app</p>',
  dns: {
    cname: ['edge.host.com'],
    a: ['192.0.2.1'],
    aaaa: ['2001:db8::1'],
    txt: ['host'],
    soa: ['host'],
    ns: ['host'],
    mx: ['host'],
    'txt _host': ['host'],
  },
  tls: { issuer: 'Host', names: ['host.com'] },
}

// From the surest proof to the least sure. Clauses of one row prove equally well.
const proofs: ClauseSource[][] = [
  [{ url: '.host.com' }],
  [{ header: 'x-host' }],
  [{ dns: 'cname', under: '.host.com' }],
  [{ dns: 'a', is: '192.0.2.1' }, { dns: 'aaaa', is: '2001:db8::1' }, { dns: ['a', 'aaaa'] }],
  [{ cookie: 'host_id' }],
  [
    { dns: 'txt', is: 'host' },
    { dns: 'txt _host', is: 'host' },
  ],
  [
    { tls: 'issuer', is: 'Host' },
    { tls: 'name', is: 'host.com' },
  ],
  [{ all: [{ status: 404 }, { text: 'No such app' }] }],
  [{ dns: 'soa' }, { dns: 'ns' }],
  [{ dns: 'mx' }, { meta: 'host' }, { dns: ['cname', 'mx'] }],
]
const pairs = proofs.slice(1).flatMap((weaker, rank) => proofs[rank].flatMap((a) => weaker.map((b) => [a, b] as const)))
const equals = proofs.flatMap((clauses) => clauses.flatMap((a) => clauses.map((b) => [a, b] as const)))

const findHosting = (rules: TinyRule[], input: PageInput): string | null => getVerdict(rules, input).hosting

describe('9 the surer proof decides at the same level', () => {
  test.each(pairs)('%j before %j', (surer, weaker) => {
    // If the slug decided, the other rule would win.
    expect(findHosting([hosting('zzz', { detect: [surer] }), hosting('aaa', { detect: [weaker] })], page)).toBe('ZZZ')
  })

  test.each(equals)('no hosting is named between %j and %j', (one, other) => {
    expect(findHosting([hosting('aaa', { detect: [one] }), hosting('bbb', { detect: [other] })], page)).toBe(null)
  })

  test('the slug decides at medium', () => {
    const detect: ClauseSource[] = [{ header: 'x-host', weight: 'medium' }]
    expect(findHosting([hosting('bbb', { detect }), hosting('aaa', { detect })], page)).toBe('AAA')
  })

  test('the surest proof of a rule counts, except weak clauses', () => {
    const [strong, weak]: ClauseSource[] = [{ tls: 'issuer' }, { url: '.host.com', weight: 'weak' }]
    expect(
      findHosting(
        [hosting('aaa', { detect: [strong, weak] }), hosting('bbb', { detect: [{ cookie: 'host_id' }] })],
        page,
      ),
    ).toBe('BBB')
    expect(
      findHosting(
        [
          hosting('bbb', { detect: [strong, { url: '.host.com' }] }),
          hosting('aaa', { detect: [{ header: 'x-host' }] }),
        ],
        page,
      ),
    ).toBe('BBB')
  })
})

describe('9 choosing the hosting', () => {
  const closed = builder('site', { hosting: 'own' })
  const [own, aaa, bbb] = [hosting('own'), hosting('aaa'), hosting('bbb')]
  test.each<[string, TinyRule[], Parameters<typeof buildPageWith>[0], string | null]>([
    ['no hosting without hits', [aaa], {}, null],
    ['no hosting at low', [aaa], { aaa: 'low' }, null],
    ['hosting at medium', [aaa], { aaa: 'medium' }, 'AAA'],
    ['level is compared before proof', [aaa, bbb], { aaa: 'cookie', bbb: 'high' }, 'BBB'],
    ['a CDN is never the hosting', [hosting('aaa', { role: 'cdn' })], { aaa: 'high' }, null],
    [
      'the origin behind a CDN',
      [hosting('aaa', { role: 'cdn' }), bbb],
      { aaa: ['high', 'header'], bbb: 'medium' },
      'BBB',
    ],
    [
      'the implying provider is the more specific one',
      [aaa, hosting('bbb', { implies: 'aaa' })],
      { aaa: 'header', bbb: 'header' },
      'BBB',
    ],
    [
      'an implying provider at a lower level does not win',
      [aaa, hosting('bbb', { implies: 'aaa' })],
      { aaa: 'high', bbb: 'medium' },
      'AAA',
    ],
    [
      'an excluded provider is dropped',
      [aaa, hosting('bbb', { excludes: 'aaa' })],
      { aaa: 'medium', bbb: 'high' },
      'BBB',
    ],
    [
      'a provider with a missing requirement is dropped',
      [hosting('aaa', { requires: 'bbb' }), bbb],
      { aaa: 'high', bbb: 'low' },
      null,
    ],
    ['the hosting of a builder at high', [closed, own], { site: 'high' }, 'OWN'],
    ['not the hosting of a builder at medium', [closed, own], { site: 'medium' }, null],
    [
      'not the hosting of a builder that a conflict lowered',
      [closed, own, builder('other')],
      { site: 'high', other: 'high' },
      null,
    ],
    [
      'not the hosting of a losing builder',
      [closed, own, builder('other')],
      { site: 'high', other: ['high', 'header'] },
      null,
    ],
    [
      'detected hosting wins over the hosting of the builder',
      [closed, own, aaa],
      { site: 'high', aaa: 'medium' },
      'AAA',
    ],
    [
      'hosting at low does not replace the hosting of the builder',
      [closed, own, aaa],
      { site: 'high', aaa: 'low' },
      'OWN',
    ],
    [
      'on a tie, the hosting of the builder is not used either',
      [closed, own, aaa, bbb],
      { site: 'high', aaa: 'high', bbb: 'high' },
      null,
    ],
  ])('%s', (_, rules, levels, expected) => {
    expect(findHosting(rules, buildPageWith(levels))).toBe(expected)
  })
})

describe('the network of the address', () => {
  const inNetwork: PageInput = {
    ...page,
    address: '203.0.113.7',
    network: { asn: 64496, name: 'Harbour Networks' },
    dns: { ptr: ['web7.brand.example'] },
  }
  const network = hosting('aaa', { detect: [{ network: ['64497', '64496'] }] })
  const brand = hosting('brand', {
    implies: ['aaa'],
    detect: [{ all: [{ network: '64496' }, { dns: 'ptr', under: '.brand.example' }] }],
  })

  test('alone names the hosting at medium, with the address and the operator in the evidence', () => {
    const { hosting: name, evidence } = getVerdict([network], inNetwork)
    expect(name).toBe('AAA')
    expect(evidence).toMatchObject([
      { level: 'medium', clauses: [{ texts: ['address 203.0.113.7 in AS64496 (Harbour Networks)'] }] },
    ])
    expect(findHosting([network], { ...inNetwork, network: null })).toBe(null)
    expect(findHosting([network], { ...inNetwork, network: { asn: 6449, name: 'Others' } })).toBe(null)
  })

  test.each<[string, TinyRule['detect']]>([
    ['an address', [{ url: '.host.com' }]],
    ['a header at medium', [{ header: 'x-host', weight: 'medium' }]],
    ['a mark without a rank at medium', [{ meta: 'host', weight: 'medium' }]],
  ])('%s decides before the network', (_, detect) => {
    expect(findHosting([network, hosting('zzz', { detect })], inNetwork)).toBe('ZZZ')
  })

  test('a CDN silences it, by a mark or by its own network, and is a technology', () => {
    for (const detect of [
      [{ header: 'x-host' }],
      [{ network: '64496' }],
      [{ text: 'No such app' }, { html: 'No such' }],
    ]) {
      const cdn = hosting('cdn', { role: 'cdn', detect })
      expect(findHosting([network, cdn], inNetwork)).toBe(null)
    }
    expect(
      getVerdict([hosting('cdn', { role: 'cdn', detect: [{ network: '64496' }] })], inNetwork).technologies,
    ).toEqual(['CDN'])
  })

  test('a range of addresses is more than its network: a CDN in the network of a provider', () => {
    const cdn = hosting('cdn', { role: 'cdn', detect: [{ network: ['203.0.113.0/29', '2001:db8:7::/48'] }] })
    const { hosting: name, technologies, evidence } = getVerdict([network, cdn], inNetwork)
    expect({ name, technologies }).toEqual({ name: null, technologies: ['CDN'] })
    const texts = evidence.flatMap(({ clauses }) => clauses.flatMap((clause) => clause.texts))
    expect(texts).toContain('address 203.0.113.7 in AS64496 (Harbour Networks), range 203.0.113.0/29')
    for (const address of ['203.0.113.8', '2001:db8:8::7', '192.0.2.7'])
      expect(findHosting([network, cdn], { ...inNetwork, address })).toBe('AAA')
    for (const address of ['::ffff:203.0.113.6', '2001:db8:7:9::7'])
      expect(findHosting([network, cdn], { ...inNetwork, address })).toBe(null)
    expect(getVerdict([cdn], { ...page, address: '203.0.113.1' }).technologies).toEqual(['CDN'])
  })

  test('a range decides before the network that announces it', () => {
    const own = hosting('own', { detect: [{ network: ['203.0.113.0/29'] }] })
    expect(findHosting([network, own], inNetwork)).toBe('OWN')
    expect(findHosting([network, own], { ...inNetwork, address: '203.0.113.8' })).toBe('AAA')
  })

  test('the name of the address tells brands apart, and alone says nothing', () => {
    expect(findHosting([network, brand], inNetwork)).toBe('BRAND')
    expect(findHosting([network, brand], { ...inNetwork, dns: { ptr: ['web7.other.example'] } })).toBe('AAA')
    const alone = hosting('alone', { detect: [{ dns: 'ptr', under: '.brand.example' }] })
    expect(findHosting([alone], inNetwork)).toBe(null)
  })
})
