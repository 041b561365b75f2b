import { describe, expect, test } from 'vitest'
import type { PageInput } from '../../src/engine/page/page.ts'
import type { ClauseSource } from '../../src/engine/rule/types.ts'
import { builder, getVerdict, hosting, siteType, type TinyRule, technology } from './support/tiny-rules.ts'

const twenty = 'word '.repeat(20)
const medium = (clause: ClauseSource): ClauseSource => ({ ...clause, weight: 'medium' })
const [strong, five, four, three]: ClauseSource[][] = [
  [{ meta: 'strong' }],
  [medium({ meta: 'a' }), { text: 'word word' }, { html: 'word word' }],
  [medium({ meta: 'a' }), { text: 'word word' }],
  [medium({ meta: 'a' })],
]
const html = `<meta name=strong content=1><meta name=a content=1><b></b>${twenty}`
const findSiteType = (rules: TinyRule[], input: PageInput): string | null => getVerdict(rules, input).siteType

describe('10 the site type', () => {
  test.each<[string, TinyRule[], string | null]>([
    ['none', [siteType('news', { detect: [{ meta: 'none' }] })], null],
    ['five points are enough', [siteType('news', { detect: five })], 'news'],
    ['four are not', [siteType('news', { detect: four })], null],
    ['points before rank', [siteType('news', { detect: five, rank: 9 }), siteType('shop', { detect: strong })], 'shop'],
    ['rank', [siteType('news', { detect: strong }), siteType('shop', { detect: strong, rank: 1 })], 'shop'],
    [
      'rank below the usual one of 0',
      [siteType('shop', { detect: strong }), siteType('news', { detect: strong, rank: -1 })],
      'shop',
    ],
    ['slug', [siteType('shop', { detect: strong }), siteType('news', { detect: strong })], 'news'],
    [
      'a fallback comes last',
      [siteType('base', { detect: strong, rank: 9, fallback: true }), siteType('shop', { detect: five })],
      'shop',
    ],
    [
      'a fallback holds when no other does',
      [siteType('base', { detect: strong, fallback: true }), siteType('shop', { detect: four })],
      'base',
    ],
    ['a fallback has clauses too', [siteType('base', { detect: three, fallback: true })], null],
  ])('%s', (_, rules, expected) => {
    expect(findSiteType(rules, { html })).toBe(expected)
  })

  const rules = [
    siteType('shop', { detect: strong }),
    siteType('base', { detect: strong, fallback: true }),
    siteType('door', { detect: five, thin: true }),
  ]
  test.each<[string, PageInput, string | null]>([
    ['twenty words', { html }, 'shop'],
    ['nineteen words: thin types alone', { html: html.replace('word ', '') }, 'door'],
    ['words nobody sees are none', { html: html.replace('word ', '<script>word</script>') }, 'door'],
    ['status 200', { html, status: 200 }, 'shop'],
    ['status 400', { html, status: 400 }, null],
    ['status 503', { html, status: 503 }, null],
    ['HTML', { html, headers: { 'Content-Type': 'Text/HTML; charset=utf-8' } }, 'shop'],
    ['XHTML', { html, headers: { 'content-type': 'application/xhtml+xml' } }, 'shop'],
    ['no content type', { html, headers: {} }, 'shop'],
    ['JSON', { html, headers: { 'content-type': 'application/json' } }, null],
    ['something like HTML', { html, headers: { 'content-type': 'text/html5' } }, null],
  ])('of a page: %s', (_, input, expected) => {
    expect(findSiteType(rules, input)).toBe(expected)
  })
})

describe('10 found', () => {
  const strongPage = (slugs: string): string =>
    `${slugs
      .split(' ')
      .map((slug) => `<meta name=${slug} content=1>`)
      .join('')}${twenty}`
  const prior = (found: string | string[], more: ClauseSource[] = []): TinyRule =>
    siteType('shop', { detect: [{ found }, ...more] })
  const others = [builder('aaa'), builder('bbb'), technology('ttt'), hosting('hhh'), hosting('cdn', { role: 'cdn' })]

  test.each<[string, TinyRule[], string, number | undefined]>([
    ['the winner', [prior('aaa')], 'aaa', 3],
    ['a technology', [prior('ttt')], 'ttt', 3],
    ['what is implied', [prior('ttt'), builder('ccc', { implies: 'ttt' })], 'ccc', 3],
    ['no loser', [prior('bbb')], 'aaa bbb', undefined],
    ['no host', [prior('hhh')], 'hhh', undefined],
    ['no host in front either', [prior('cdn')], 'cdn', undefined],
    ['one medium, never more: two slugs', [prior(['aaa', 'ttt'])], 'aaa ttt', 3],
    ['one medium, never more: two clauses', [prior('aaa', [{ found: 'ttt' }])], 'aaa ttt', 3],
    ['a medium beside another', [prior('aaa', [medium({ element: 'body' })])], 'aaa', 6],
    [
      'something else of the same name',
      [prior('hhh'), technology('hhh', { detect: [{ meta: 'none' }] })],
      'hhh',
      undefined,
    ],
  ])('%s', (_, rules, slugs, points) => {
    const page = { html: `<body>${strongPage(slugs)}` }
    const { evidence } = getVerdict([...rules, ...others], page)
    expect(evidence.find(({ kind }) => kind === 'site-type')?.points).toBe(points)
  })

  test('a prior alone names nothing', () => {
    expect(findSiteType([prior(['aaa', 'ttt']), ...others], { html: strongPage('aaa ttt') })).toBe(null)
  })
})
