import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildPage } from '../../src/engine/page/page.ts'
import type { ClauseSource } from '../../src/engine/rule/types.ts'
import { buildBase, UrlResolver } from '../../src/engine/text/url.ts'
import { countWords } from '../../src/engine/text/words.ts'
import { type Analysis, analyzePage } from '../../src/engine/verdict/analyze-page.ts'
import { countRuns } from '../support/property-runs.ts'
import { written } from './support/arbitrary-urls.ts'
import { buildRuleset, compile, technology } from './support/tiny-rules.ts'

const PAGE = 'https://www.example.com:8443/abc/page.html?q'
const bases = fc.constantFrom(PAGE, 'http://example.com/', 'https://b.github.io/x/y/')
const parts = fc.constantFrom(
  'https:',
  'http:',
  'HTTP:',
  '//',
  '/',
  '\\',
  '.',
  '..',
  'example.com',
  'a',
  'b-c',
  'é',
  '_x',
  '%2e',
  '%61',
  '?',
  '#',
  ':',
  '80',
  '@',
  "'",
  '"',
  ' ',
  '\t',
  '\n',
  '\u0001',
  '1.2',
  '0x7f',
  'xn--',
  'ä.x',
  '&',
  '=',
  '|',
  '^',
  '`',
  '{',
  '[',
  '*',
  '~',
  '!',
  ',',
  ';',
)
const urlish = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  written,
  fc.array(parts, { maxLength: 12 }).map((all) => all.join('')),
)

/** Parses a URL with the standard parser; null for everything that is not the URL of a page or file. */
function parsePlain(text: string, base: string): { host: string; path: string; href: string } | null {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.startsWith('#')) return null
  try {
    const { protocol, hostname, pathname, origin, search } = new URL(trimmed, base)
    return /^https?:$/.test(protocol) ? { host: hostname, path: pathname, href: origin + pathname + search } : null
  } catch {
    return null
  }
}

describe('URLs', () => {
  test('are resolved like the URL standard, also without the parser', { tags: ['property'] }, () => {
    const property = fc.property(bases, urlish, (base, text) => {
      const url = new UrlResolver(buildBase(base, undefined)).resolve(text)
      expect(url && { host: url.host, path: url.path, href: url.href }).toEqual(parsePlain(text, base))
    })
    fc.assert(property, { numRuns: countRuns(6000) })
  })

  test.each([
    ['https://a.example.com/x', true],
    ['//other.example/x', false],
    ['/x', true],
    ['x', true],
    ['http://a.github.io/', false],
    ['\u0001https://other.example/', false],
    ['ht\ntps://other.example/', false],
  ])('%j is own: %s', (text, own) => {
    expect(new UrlResolver(buildBase(PAGE, undefined)).resolve(text)?.own).toBe(own)
  })

  test.each([
    ['/x', undefined, '', '/x'],
    ['/x', '/below/', '', '/x'],
    ['x', '/below/', '', '/below/x'],
    ['x', 'https://cdn.example.com/', 'cdn.example.com', '/x'],
    ['https://a.example.com/x', undefined, 'a.example.com', '/x'],
  ])('on a page without an address: %j, base %j: host %j, path %j', (text, base, host, path) => {
    const url = new UrlResolver(buildBase(null, base)).resolve(text)
    expect({ host: url?.host, path: url?.path }).toEqual({ host, path })
    expect(url?.href.includes('page.invalid')).toBe(false)
  })

  test('with letters outside of ASCII are parsed even when the call is hot', () => {
    const failed = Array.from({ length: 100_000 }, (_, i) => `https://b\u00fccher.example/${i % 2}`).filter(
      (text) => new UrlResolver(buildBase(PAGE, undefined)).resolve(text) === null,
    )
    expect(failed).toEqual([])
  })
})

describe('words', () => {
  const pieces = fc.constantFrom(
    'abc',
    'B',
    '12',
    '3.5',
    "don't",
    'e-mail',
    'é',
    'ñandú',
    'ẞ',
    'слово',
    'λόγος',
    '한국어',
    'हिन्दी',
    ' ',
    ' ',
    ' ',
    '.',
    ',',
    '_',
    "'",
    '’',
    ':',
    '@',
    '/',
    '-',
    '—',
    '«',
    '(',
    ')',
    '%',
    '€',
    '\u0301',
    '\u200d',
    '\u00ad',
    '😀',
    '🇫🇷',
    'x²',
    '½',
    'ⅳ',
    '1,000',
    'a.b',
    'A:b',
    '10:30',
    '::',
    '，',
    '：',
    '¸',
    'א"א',
    '中文字',
    'カー',
    'ไทย',
    '\u{20000}',
    '\u0e34',
    '\ud840',
    '\udc00',
    '𝒜',
    '。',
    '（',
  )
  const dense = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\u30fc'
  const word = new RegExp(`[${dense}]{1,2}|[[\\p{L}\\p{N}]--[${dense}]][[\\p{L}\\p{N}\\p{M}'’.]--[${dense}]]*`, 'gv')
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 40, size: 'max' }).map((all) => all.join('')),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.lorem({ maxCount: 40 }),
  )

  test('are counted as the definition says', { tags: ['property'] }, () => {
    const property = fc.property(texts, (text) => {
      expect(countWords(text)).toBe(text.match(word)?.length ?? 0)
    })
    fc.assert(property, { numRuns: countRuns(6000) })
  })

  test.each([
    ["don't e-mail 3.5 km", 5],
    ['1,000 x.', 3],
    ["— … ! 'quoted'", 1],
    ['हिन्दी', 1],
    ['中文', 1],
    ['一二三', 2],
    ['使用 React 构建', 3],
    ['カタカナ', 2],
    ['我们,你们', 2],
    ['v2的 a中b', 5],
    ['文'.repeat(1001), 501],
  ])('of %s: %i', (text, words) => {
    expect(countWords(text)).toBe(words)
  })
})

const TITLE: ClauseSource = { title: 'Denied' }
const MANY_WORDS: ClauseSource = { not: { size: 'words', atLeast: 5 } }

describe('a clause that excludes something', () => {
  const short = '<title>Denied</title><p>one two three</p>'
  const long = '<title>Denied</title><p>one two three four five</p>'
  const withLinks = `${short}<nav><a href=/a>a</a></nav>`

  test.each<[string, ClauseSource, string, { holds: boolean; isRead: boolean }]>([
    ['few words', { all: [TITLE, MANY_WORDS] }, short, { holds: true, isRead: true }],
    ['as many words as it excludes', { all: [TITLE, MANY_WORDS] }, long, { holds: false, isRead: false }],
    [
      'a bound in one of two ways',
      { all: [TITLE, { any: [MANY_WORDS, { text: 'three' }] }] },
      long,
      { holds: true, isRead: true },
    ],
    [
      'two bounds',
      { all: [TITLE, { not: { size: 'words', atLeast: 50 } }, MANY_WORDS] },
      long,
      { holds: false, isRead: false },
    ],
    [
      'a bound with an exception',
      { all: [TITLE, { not: { all: [{ size: 'words', atLeast: 5 }, { text: 'six' }] } }] },
      long,
      { holds: true, isRead: true },
    ],
    [
      'another amount',
      { all: [TITLE, { not: { size: 'links', atLeast: 1 } }] },
      withLinks,
      { holds: false, isRead: true },
    ],
    [
      'no such element',
      { all: [TITLE, { not: { element: 'nav a, footer a' } }] },
      short,
      { holds: true, isRead: true },
    ],
    [
      'an element',
      { all: [TITLE, { not: { element: 'nav a, footer a' } }] },
      withLinks,
      { holds: false, isRead: true },
    ],
    [
      'fewer elements than it excludes',
      { all: [TITLE, { not: { element: 'p', atLeast: 2 } }] },
      short,
      { holds: true, isRead: true },
    ],
    [
      'as many elements',
      { all: [TITLE, { not: { element: 'p', atLeast: 2 } }] },
      `${short}<p>`,
      { holds: false, isRead: true },
    ],
  ])('%s', (_, clause, html, { holds, isRead }) => {
    const ruleset = buildRuleset(compile([technology('acme', { detect: [clause] })]))
    const page = buildPage({ html })
    const whole = analyzePage(ruleset, page)
    const deciding = analyzePage(ruleset, page, 'deciding')
    const readNames = ({ technologies }: Analysis): string[] => technologies.map(({ rule }) => rule.name)
    expect(readNames(deciding)).toEqual(holds ? ['ACME'] : [])
    expect(readNames(deciding)).toEqual(readNames(whole))
    expect([...whole.hits.lifted]).toHaveLength(1)
    expect([...deciding.hits.lifted]).toHaveLength(isRead ? 1 : 0)
  })
})
