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

describe('10 choosing the site type', () => {
  test.each<[string, TinyRule[], string | null]>([
    ['no site type without hits', [siteType('news', { detect: [{ meta: 'none' }] })], null],
    ['five points are sufficient', [siteType('news', { detect: five })], 'news'],
    ['four points are not sufficient', [siteType('news', { detect: four })], null],
    [
      'points are compared before rank',
      [siteType('news', { detect: five, rank: 9 }), siteType('shop', { detect: strong })],
      'shop',
    ],
    [
      'the larger rank wins',
      [siteType('news', { detect: strong }), siteType('shop', { detect: strong, rank: 1 })],
      'shop',
    ],
    [
      'a rank below the default of 0 loses',
      [siteType('shop', { detect: strong }), siteType('news', { detect: strong, rank: -1 })],
      'shop',
    ],
    ['the slug decides last', [siteType('shop', { detect: strong }), siteType('news', { detect: strong })], 'news'],
    [
      'a fallback loses to any other type',
      [siteType('base', { detect: strong, rank: 9, fallback: true }), siteType('shop', { detect: five })],
      'shop',
    ],
    [
      'a fallback is used if no other type fits',
      [siteType('base', { detect: strong, fallback: true }), siteType('shop', { detect: four })],
      'base',
    ],
    ['a fallback needs enough points too', [siteType('base', { detect: three, fallback: true })], null],
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
    ['nineteen words: only thin types', { html: html.replace('word ', '') }, 'door'],
    ['invisible words do not count', { html: html.replace('word ', '<script>word</script>') }, 'door'],
    ['status 200', { html, status: 200 }, 'shop'],
    ['status 400', { html, status: 400 }, null],
    ['status 503', { html, status: 503 }, null],
    ['HTML', { html, headers: { 'Content-Type': 'Text/HTML; charset=utf-8' } }, 'shop'],
    ['XHTML', { html, headers: { 'content-type': 'application/xhtml+xml' } }, 'shop'],
    ['no content type', { html, headers: {} }, 'shop'],
    ['JSON', { html, headers: { 'content-type': 'application/json' } }, null],
    ['a content type that begins like HTML', { html, headers: { 'content-type': 'text/html5' } }, null],
  ])('of a page: %s', (_, input, expected) => {
    expect(findSiteType(rules, input)).toBe(expected)
  })
})

describe('10 the place found', () => {
  const strongPage = (slugs: string): string =>
    `${slugs
      .split(' ')
      .map((slug) => `<meta name=${slug} content=1>`)
      .join('')}${twenty}`
  const prior = (found: string | string[], more: ClauseSource[] = []): TinyRule =>
    siteType('shop', { detect: [{ found }, ...more] })
  const others = [builder('aaa'), builder('bbb'), technology('ttt'), hosting('hhh'), hosting('cdn', { role: 'cdn' })]

  test.each<[string, TinyRule[], string, number | undefined]>([
    ['the chosen builder', [prior('aaa')], 'aaa', 3],
    ['a technology', [prior('ttt')], 'ttt', 3],
    ['an implied technology', [prior('ttt'), builder('ccc', { implies: 'ttt' })], 'ccc', 3],
    ['not a losing builder', [prior('bbb')], 'aaa bbb', undefined],
    ['not a hosting provider', [prior('hhh')], 'hhh', undefined],
    ['not a CDN', [prior('cdn')], 'cdn', undefined],
    ['two slugs give one medium', [prior(['aaa', 'ttt'])], 'aaa ttt', 3],
    ['two clauses give one medium', [prior('aaa', [{ found: 'ttt' }])], 'aaa ttt', 3],
    ['in addition to a medium clause', [prior('aaa', [medium({ element: 'body' })])], 'aaa', 6],
    [
      'not a hosting provider with the slug of a technology',
      [prior('hhh'), technology('hhh', { detect: [{ meta: 'none' }] })],
      'hhh',
      undefined,
    ],
  ])('%s', (_, rules, slugs, points) => {
    const page = { html: `<body>${strongPage(slugs)}` }
    const { evidence } = getVerdict([...rules, ...others], page)
    expect(evidence.find(({ kind }) => kind === 'site-type')?.points).toBe(points)
  })

  test('a prior alone is not sufficient for a site type', () => {
    expect(findSiteType([prior(['aaa', 'ttt']), ...others], { html: strongPage('aaa ttt') })).toBe(null)
  })
})
