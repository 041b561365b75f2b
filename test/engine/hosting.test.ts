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

// From the surest proof to the least sure; those of one line are equals.
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

describe('9 the proof decides between equals', () => {
  test.each(pairs)('%j before %j', (surer, weaker) => {
    // By slug alone the other would win.
    expect(findHosting([hosting('zzz', { detect: [surer] }), hosting('aaa', { detect: [weaker] })], page)).toBe('ZZZ')
  })

  test.each(equals)('nobody can say between %j and %j', (one, other) => {
    expect(findHosting([hosting('aaa', { detect: [one] }), hosting('bbb', { detect: [other] })], page)).toBe(null)
  })

  test('at medium the slug decides', () => {
    const detect: ClauseSource[] = [{ header: 'x-host', weight: 'medium' }]
    expect(findHosting([hosting('bbb', { detect }), hosting('aaa', { detect })], page)).toBe('AAA')
  })

  test('the best proof of a rule counts, a weak one does not', () => {
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

describe('9 hosting', () => {
  const closed = builder('site', { hosting: 'own' })
  const [own, aaa, bbb] = [hosting('own'), hosting('aaa'), hosting('bbb')]
  test.each<[string, TinyRule[], Parameters<typeof buildPageWith>[0], string | null]>([
    ['none', [aaa], {}, null],
    ['low is none', [aaa], { aaa: 'low' }, null],
    ['medium', [aaa], { aaa: 'medium' }, 'AAA'],
    ['level before proof', [aaa, bbb], { aaa: 'cookie', bbb: 'high' }, 'BBB'],
    ['a CDN never', [hosting('aaa', { role: 'cdn' })], { aaa: 'high' }, null],
    [
      'an origin behind a CDN',
      [hosting('aaa', { role: 'cdn' }), bbb],
      { aaa: ['high', 'header'], bbb: 'medium' },
      'BBB',
    ],
    [
      'related by implies: the more specific',
      [aaa, hosting('bbb', { implies: 'aaa' })],
      { aaa: 'header', bbb: 'header' },
      'BBB',
    ],
    ['but not who stands lower', [aaa, hosting('bbb', { implies: 'aaa' })], { aaa: 'high', bbb: 'medium' }, 'AAA'],
    ['excluded ones are out', [aaa, hosting('bbb', { excludes: 'aaa' })], { aaa: 'medium', bbb: 'high' }, 'BBB'],
    ['dropped by requires', [hosting('aaa', { requires: 'bbb' }), bbb], { aaa: 'high', bbb: 'low' }, null],
    ["a high builder's", [closed, own], { site: 'high' }, 'OWN'],
    ["not a medium builder's", [closed, own], { site: 'medium' }, null],
    ["not a builder's that a conflict lowered", [closed, own, builder('other')], { site: 'high', other: 'high' }, null],
    ["not a losing builder's", [closed, own, builder('other')], { site: 'high', other: ['high', 'header'] }, null],
    ['what is seen comes before what the builder proves', [closed, own, aaa], { site: 'high', aaa: 'medium' }, 'AAA'],
    ["a low one does not stand in the builder's way", [closed, own, aaa], { site: 'high', aaa: 'low' }, 'OWN'],
    [
      "where nobody can say, the builder's is not taken",
      [closed, own, aaa, bbb],
      { site: 'high', aaa: 'high', bbb: 'high' },
      null,
    ],
  ])('%s', (_, rules, levels, expected) => {
    expect(findHosting(rules, buildPageWith(levels))).toBe(expected)
  })
})
