import { describe, expect, test } from 'vitest'
import type { PageInput } from '../../src/engine/page/page.ts'
import type { ClauseSource, TypeDecision } from '../../src/engine/rule/types.ts'
import type { Evidence } from '../../src/engine/verdict/verdict-types.ts'
import { builder, getVerdict, hosting, siteType, type TinyRule, technology } from './support/tiny-rules.ts'

const twenty = 'word '.repeat(20)
const clause = (meta: string, points: Record<string, number>): ClauseSource => ({ meta, points })
const type = (slug: string, points: Record<string, number>, more: Partial<TinyRule> = {}): TinyRule =>
  siteType(slug, { detect: [clause(slug, points)], ...more })
const page = (names: string): string =>
  `${names
    .split(' ')
    .map((name) => `<meta name=${name} content=1>`)
    .join('')}<body>${twenty}`

const name = (rules: TinyRule[], html: string, decision?: TypeDecision): string | null =>
  getVerdict(rules, { html }, decision).siteType

describe('10 choosing the site type', () => {
  const news = type('news', { news: 30, shop: -5 })
  const shop = type('shop', { shop: 20 })
  test.each<[string, TinyRule[], string, TypeDecision, string | null]>([
    ['no type without a clause that holds', [news, shop], 'none', { threshold: 0, margin: 0 }, null],
    ['the highest score wins', [news, shop], 'news shop', { threshold: 0, margin: 0 }, 'news'],
    ['a clause counts against other types', [news, shop], 'news shop', { threshold: 0, margin: 15 }, 'news'],
    ['the lead reaches the margin', [news, shop], 'shop', { threshold: 0, margin: 20 }, 'shop'],
    ['the lead is smaller than the margin', [news, shop], 'shop', { threshold: 0, margin: 21 }, null],
    ['a type has a margin of its own', [news, shop], 'shop', { threshold: 0, margin: 0, margins: { shop: 21 } }, null],
    ['the margin of another type', [news, shop], 'shop', { threshold: 0, margin: 20, margins: { news: 99 } }, 'shop'],
    ['the score reaches the threshold', [news, shop], 'shop', { threshold: 20, margin: 0 }, 'shop'],
    ['the score is below the threshold', [news, shop], 'shop', { threshold: 21, margin: 0 }, null],
    ['the prior counts', [news, { ...shop, prior: 6 }], 'shop', { threshold: 26, margin: 0 }, 'shop'],
    ['a prior alone names nothing', [{ ...shop, prior: 90 }], 'none', { threshold: 0, margin: 0 }, null],
    [
      'a clause of one rule names another',
      [type('a', { b: 9 }), type('b', { b: 1 })],
      'a',
      { threshold: 9, margin: 0 },
      'b',
    ],
    [
      'equal scores: the slug decides',
      [type('b', { b: 9 }), type('a', { a: 9 })],
      'a b',
      { threshold: 0, margin: 0 },
      'a',
    ],
    [
      'an unnamed type wins',
      [shop, type('none', { none: 50 }, { unnamed: true })],
      'shop none',
      { threshold: 0, margin: 0 },
      null,
    ],
    [
      'families do not limit the sum',
      [siteType('a', { detect: [clause('x', { a: 3 }), clause('y', { a: 4 })] })],
      'x y',
      { threshold: 7, margin: 0 },
      'a',
    ],
  ])('%s', (_, rules, names, decision, expected) => {
    expect(name(rules, page(names), decision)).toBe(expected)
  })

  const html = page('shop')
  const thin = [type('shop', { shop: 20 }), type('door', { door: 20 }, { thin: true })]
  test.each<[string, PageInput, string | null]>([
    ['twenty words', { html }, 'shop'],
    ['nineteen words', { html: html.replace('word ', '') }, null],
    ['invisible words do not count', { html: html.replace('word ', '<script>word</script>') }, null],
    ['nineteen words: a thin type', { html: page('door').replace('word ', '') }, 'door'],
    ['status 200', { html, status: 200 }, 'shop'],
    ['status 400', { html, status: 400 }, null],
    ['status 503', { html, status: 503 }, null],
    ['HTML', { html, headers: { 'Content-Type': 'Text/HTML; charset=utf-8' } }, 'shop'],
    ['XHTML', { html, headers: { 'content-type': 'application/xhtml+xml' } }, 'shop'],
    ['no content type', { html, headers: {} }, 'shop'],
    ['JSON', { html, headers: { 'content-type': 'application/json' } }, null],
    ['a content type that begins like HTML', { html, headers: { 'content-type': 'text/html5' } }, null],
  ])('of a page: %s', (_, input, expected) => {
    expect(getVerdict(thin, input).siteType).toBe(expected)
  })
})

describe('10 the evidence of site types', () => {
  const rules = [
    siteType('news', { prior: 5, detect: [clause('a', { news: 30, shop: -5 }), clause('b', { news: -4 })] }),
    type('shop', { shop: 20 }),
    type('blog', { blog: 1 }),
    type('none', { none: 90 }, { unnamed: true }),
  ]
  const explain = (names: string, decision: TypeDecision): readonly Evidence[] =>
    getVerdict(rules, { html: page(names) }, decision).evidence

  test('the best type and the runner-up, with the clauses that give them points', () => {
    expect(explain('a b shop', { threshold: 0, margin: 0 })).toMatchObject([
      { slug: 'news', points: 31, level: null, chosen: true, clauses: [{ points: 30 }, { points: -4 }] },
      { slug: 'shop', points: 15, chosen: false, note: 'second to news', clauses: [{ points: 20 }, { points: -5 }] },
    ])
    expect(explain('a', { threshold: 0, margin: 0 })[0].clauses[0]).toEqual({
      clause: '{ meta: a }',
      places: ['meta'],
      points: 30,
      family: 'declared',
      hits: 1,
      texts: ['1'],
    })
  })

  test.each<[string, string, TypeDecision]>([
    ['too little evidence', 'shop', { threshold: 21, margin: 0 }],
    ['two types alike', 'shop', { threshold: 0, margin: 30 }],
    ['no type fits', 'none', { threshold: 0, margin: 0 }],
  ])('why no type was named: %s', (note, names, decision) => {
    expect(explain(names, decision)[0]).toMatchObject({ chosen: false, note })
  })
})

describe('10 the place found', () => {
  const prior = (found: string | string[]): TinyRule => siteType('shop', { detect: [{ found, points: { shop: 30 } }] })
  const others = [builder('aaa'), builder('bbb'), technology('ttt'), hosting('hhh'), hosting('cdn', { role: 'cdn' })]

  test.each<[string, TinyRule[], string, string | null]>([
    ['the chosen builder', [prior('aaa')], 'aaa', 'shop'],
    ['a technology', [prior('ttt')], 'ttt', 'shop'],
    ['an implied technology', [prior('ttt'), builder('ccc', { implies: 'ttt' })], 'ccc', 'shop'],
    ['a second builder', [prior('bbb')], 'aaa bbb', 'shop'],
    ['not a second builder of a honeypot', [prior('bbb'), builder('ccc')], 'aaa bbb ccc', null],
    ['not a hosting provider', [prior('hhh')], 'hhh', null],
    ['not a CDN', [prior('cdn')], 'cdn', null],
    [
      'not a hosting provider with the slug of a technology',
      [prior('hhh'), technology('hhh', { detect: [{ meta: 'none' }] })],
      'hhh',
      null,
    ],
  ])('%s', (_, rules, slugs, expected) => {
    expect(name([...rules, ...others], page(slugs))).toBe(expected)
  })
})
