import { describe, expect, test } from 'vitest'
import { builder, buildPageWith, getVerdict, hosting, type TinyRule, technology } from './support/tiny-rules.ts'

const [aaa, bbb, ttt, uuu, vvv] = [
  builder('aaa'),
  builder('bbb'),
  technology('ttt'),
  technology('uuu'),
  technology('vvv'),
]

describe('11 listing technologies', () => {
  test.each<[string, TinyRule[], Parameters<typeof buildPageWith>[0], string[]]>([
    ['a technology at medium', [ttt], { ttt: 'medium' }, ['TTT']],
    ['no technology at low', [ttt], { ttt: 'low' }, []],
    ['implied technologies', [technology('ttt', { implies: 'uuu' }), uuu], { ttt: 'medium' }, ['TTT', 'UUU']],
    ['nothing that a technology at low implies', [technology('ttt', { implies: 'uuu' }), uuu], { ttt: 'low' }, []],
    [
      'implied over two steps',
      [technology('ttt', { implies: 'uuu' }), technology('uuu', { implies: 'vvv' }), vvv],
      { ttt: 'high' },
      ['TTT', 'UUU', 'VVV'],
    ],
    ['the builder', [aaa], { aaa: 'high' }, ['AAA']],
    ['the builder at low', [aaa], { aaa: 'low' }, ['AAA']],
    ['what a builder at low implies', [builder('aaa', { implies: 'ttt' }), ttt], { aaa: 'low' }, ['AAA', 'TTT']],
    [
      'a builder that the chosen builder implies',
      [builder('bbb', { implies: 'aaa' }), aaa],
      { bbb: 'high' },
      ['BBB', 'AAA'],
    ],
    ['no losing builder at medium', [aaa, bbb], { aaa: 'high', bbb: 'medium' }, ['AAA']],
    ['a second system at high', [aaa, bbb], { aaa: ['high', 'header'], bbb: 'high' }, ['AAA', 'BBB']],
    [
      'nothing that only a losing builder at low implies',
      [aaa, builder('bbb', { implies: 'ttt' }), ttt],
      { aaa: 'high', bbb: 'low' },
      ['AAA'],
    ],
    [
      'nothing that was dropped',
      [technology('ttt', { requires: 'uuu' }), uuu, vvv],
      { ttt: 'high', uuu: 'low', vvv: 'medium' },
      ['VVV'],
    ],
    [
      'nothing that is implied but excluded',
      [builder('aaa', { implies: 'ttt', excludes: 'ttt' }), ttt, technology('uuu', { excludes: 'ttt' })],
      { aaa: 'medium', uuu: 'high' },
      ['UUU', 'AAA'],
    ],
    [
      'CDNs at medium',
      [hosting('ccc', { role: 'cdn' }), hosting('ddd', { role: 'cdn' })],
      { ccc: 'medium', ddd: 'low' },
      ['CCC'],
    ],
    [
      'a CDN that a hosting provider implies',
      [hosting('hhh', { implies: 'ccc' }), hosting('ccc', { role: 'cdn' })],
      { hhh: 'high' },
      ['CCC'],
    ],
    [
      'no CDN that a hosting provider excludes',
      [hosting('hhh', { excludes: 'ccc' }), hosting('ccc', { role: 'cdn' })],
      { hhh: 'high', ccc: 'medium' },
      [],
    ],
    ['no hosting provider', [hosting('hhh')], { hhh: 'high' }, []],
    [
      'sorted by level, points and name',
      [ttt, uuu, vvv, aaa],
      { ttt: 'medium', uuu: 'high', vvv: ['medium', 'faint'], aaa: 'medium' },
      ['UUU', 'VVV', 'AAA', 'TTT'],
    ],
    [
      'implied technologies are sorted by their lifted level and own points',
      [technology('vvv', { implies: 'uuu' }), uuu, ttt, aaa],
      { vvv: 'high', uuu: 'faint', ttt: 'medium', aaa: 'high' },
      ['AAA', 'VVV', 'UUU', 'TTT'],
    ],
    [
      'both builders of a conflict, each sorted by its level',
      [aaa, bbb, ttt],
      { aaa: 'high', bbb: 'high', ttt: 'high' },
      ['BBB', 'TTT', 'AAA'],
    ],
    ['no other builder of a honeypot', [aaa, bbb, builder('ccc')], { aaa: 'high', bbb: 'high', ccc: 'high' }, ['AAA']],
    [
      'no name twice',
      [technology('ttt', { name: 'Edge' }), hosting('ccc', { name: 'Edge', role: 'cdn' })],
      { ttt: 'medium', ccc: 'high' },
      ['Edge'],
    ],
  ])('%s', (_, rules, page, expected) => {
    expect(getVerdict(rules, buildPageWith(page)).technologies).toEqual(expected)
  })
})

describe('details', () => {
  const certain = { implies: ['ttt'] }
  const usual = { implies: ['ttt'], usual: ['ttt'] }
  test.each<[string, TinyRule[], Parameters<typeof buildPageWith>[0], (string | null)[]]>([
    ['shown by the page', [ttt], { ttt: 'high' }, ['ttt', 'high', null]],
    ['implied by a builder', [builder('aaa', certain), ttt], { aaa: 'high' }, ['ttt', 'high', 'aaa']],
    ['usual for a builder at high', [builder('aaa', usual), ttt], { aaa: 'high' }, ['ttt', 'medium', 'aaa']],
    ['usual for a builder at low', [builder('aaa', usual), ttt], { aaa: 'low' }, ['ttt', 'low', 'aaa']],
    ['usual, and shown at low', [builder('aaa', usual), ttt], { aaa: 'high', ttt: 'low' }, ['ttt', 'medium', 'aaa']],
    [
      'usual, and shown at medium',
      [builder('aaa', usual), ttt],
      { aaa: 'high', ttt: 'medium' },
      ['ttt', 'medium', null],
    ],
    ['usual, and shown at high', [builder('aaa', usual), ttt], { aaa: 'high', ttt: 'high' }, ['ttt', 'high', null]],
    [
      'usual for one rule and certain for another',
      [builder('aaa', usual), technology('bbb', certain), ttt],
      { aaa: 'high', bbb: 'high' },
      ['ttt', 'high', 'bbb'],
    ],
    [
      'certain after a step that is usual',
      [builder('aaa', { implies: ['bbb'], usual: ['bbb'] }), technology('bbb', certain), ttt],
      { aaa: 'high' },
      ['ttt', 'medium', 'aaa'],
    ],
    [
      'usual after a step that is certain',
      [builder('aaa', { implies: ['bbb'] }), technology('bbb', usual), ttt],
      { aaa: 'high' },
      ['ttt', 'medium', 'aaa'],
    ],
  ])('of a technology that is %s', (_, rules, page, expected) => {
    const { details, technologies } = getVerdict(rules, buildPageWith(page))
    const [found] = details.filter(({ slug }) => slug === 'ttt')
    expect([found.slug, found.level, found.impliedBy]).toEqual(expected)
    expect(details.map(({ name }) => name)).toEqual(technologies)
  })

  test('have the category of the rule, by slug and name', () => {
    const rules = [
      aaa,
      technology('ttt', { category: 'library' }),
      technology('uuu', { category: 'new' }),
      hosting('ccc', { role: 'cdn' }),
    ]
    const { details } = getVerdict(rules, buildPageWith({ aaa: 'high', ttt: 'high', uuu: 'high', ccc: 'high' }))
    expect(details.map(({ slug, category }) => [slug, category.slug, category.name])).toEqual([
      ['aaa', 'cms', 'cms'],
      ['ccc', 'cdn', 'Content delivery network'],
      ['ttt', 'library', 'Libraries'],
      ['uuu', 'new', 'new'],
    ])
  })
})

describe('versions', () => {
  const versioned = (slug: string, more: Partial<TinyRule> = {}): TinyRule =>
    technology(slug, {
      detect: [{ meta: 'generator', match: `^${slug} ([\\d.]+)`, version: 1 }, { element: `#${slug}` }],
      ...more,
    })
  test.each<[string, TinyRule[], string, Record<string, string>]>([
    ['have the display name as key', [versioned('ttt')], '<meta name=generator content="ttt 8.10">', { TTT: '8.10' }],
    ['are absent if no value contains one', [versioned('ttt')], '<b id=ttt>', {}],
    [
      'are listed only for technologies in the verdict',
      [versioned('ttt', { requires: 'uuu' }), uuu],
      '<meta name=generator content="ttt 1">',
      {},
    ],
    [
      'include that of the builder',
      [versioned('ttt', { kind: 'builder', category: 'cms' })],
      '<meta name=generator content="ttt 2">',
      { TTT: '2' },
    ],
    [
      'are the first of several values',
      [versioned('ttt')],
      '<meta name=generator content="ttt 3"><meta name=generator content="ttt 4">',
      { TTT: '3' },
    ],
    ...['implies', 'requires'].flatMap((relation): [string, TinyRule[], string, Record<string, string>][] =>
      [
        ['are absent if they are those of the builder that', 'builder', '6.8.2', { BBB: '6.8.2' }] as const,
        [
          'are listed if they differ from those of the builder that',
          'builder',
          '6.8',
          { BBB: '6.8.2', TTT: '6.8' },
        ] as const,
        [
          'are listed if they equal those of a technology that',
          'technology',
          '6.8.2',
          { BBB: '6.8.2', TTT: '6.8.2' },
        ] as const,
      ].map(([name, kind, version, expected]) => [
        `${name} the rule ${relation}`,
        [
          versioned('ttt', { [relation]: 'bbb' }),
          versioned('bbb', kind === 'builder' ? { kind, category: 'cms' } : {}),
        ],
        `<meta name=generator content="bbb 6.8.2"><meta name=generator content="ttt ${version}">`,
        expected,
      ]),
    ),
    [
      'do not come from a clause that does not hold',
      [
        technology('ttt', {
          detect: [
            { all: [{ meta: 'generator', match: '^ttt (\\d)', version: 1 }, { title: 'none' }] },
            { element: 'b' },
          ],
        }),
      ],
      '<meta name=generator content="ttt 5"><b>',
      {},
    ],
  ])('%s', (_, rules, html, expected) => {
    expect(getVerdict(rules, { html }).versions).toEqual(expected)
  })
})

describe('12 hosting has its own slugs', () => {
  test.each<[string, TinyRule[], Parameters<typeof buildPageWith>[0], Partial<ReturnType<typeof getVerdict>>]>([
    [
      'a builder and a provider with the same slug are both named',
      [builder('wix'), hosting('wix', { name: 'Wix cloud' })],
      { wix: 'high' },
      { builderSlug: 'wix', hosting: 'Wix cloud' },
    ],
    [
      'a provider excludes only providers',
      [hosting('aaa', { excludes: 'bbb' }), bbb],
      { aaa: 'high', bbb: 'medium' },
      { builderSlug: 'bbb' },
    ],
    [
      'a provider does not meet a requirement of a builder',
      [hosting('bbb'), builder('aaa', { requires: 'bbb' })],
      { aaa: 'high', bbb: 'high' },
      { builderSlug: null },
    ],
    [
      'a provider implies only providers',
      [hosting('aaa', { implies: 'bbb' }), bbb],
      { aaa: 'high' },
      { builderSlug: null },
    ],
  ])('%s', (_, rules, page, expected) => {
    expect(getVerdict(rules, buildPageWith(page))).toMatchObject(expected)
  })
})
