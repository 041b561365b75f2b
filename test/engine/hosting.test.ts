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
