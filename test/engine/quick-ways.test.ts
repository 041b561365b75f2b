import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { collapse } from '../../src/engine/text/text.ts'
import { buildBase, UrlResolver } from '../../src/engine/text/url.ts'
import { countWords } from '../../src/engine/text/words.ts'
import { written } from './support/arbitrary-urls.ts'

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

/** Host, path and the rest of a URL as the URL standard has them; null for what is no page's or file's address. */
function plain(text: string, base: string): { host: string; path: string; href: string } | null {
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
  test('are resolved as the URL standard says, the quick way too', () => {
    const property = fc.property(bases, urlish, (base, text) => {
      const url = new UrlResolver(buildBase(base, undefined)).resolve(text)
      expect(url && { host: url.host, path: url.path, href: url.href }).toEqual(plain(text, base))
    })
    fc.assert(property, { numRuns: 20_000 })
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
  ])('of a page without address: %j, base %j: host %j, path %j', (text, base, host, path) => {
    const url = new UrlResolver(buildBase(null, base)).resolve(text)
    expect({ host: url?.host, path: url?.path }).toEqual({ host, path })
    expect(url?.href.includes('page.invalid')).toBe(false)
  })

  test('with letters beyond ASCII are parsed however often', () => {
    const failed = Array.from({ length: 100_000 }, (_, i) => `https://b\u00fccher.example/${i % 2}`).filter(
      (text) => new UrlResolver(buildBase(PAGE, undefined)).resolve(text) === null,
    )
    expect(failed).toEqual([])
  })
})

describe('words', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
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
    '。',
    '（',
  )
  const dense = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u30fc]/u
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 40, size: 'max' }).map((all) => all.join('')),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.lorem({ maxCount: 40 }),
  )

  test('are counted as Intl.Segmenter counts them', () => {
    const property = fc.property(texts, (text) => {
      const collapsed = collapse(text).slice(0, 999)
      fc.pre(!dense.test(collapsed))
      expect(countWords(collapsed)).toBe(
        [...segmenter.segment(collapsed)].filter(({ isWordLike }) => isWordLike).length,
      )
    })
    fc.assert(property, { numRuns: 5000 })
  })

  test.each([
    ['中文', 1],
    ['一二三', 2],
    ['使用 React 构建', 3],
    ['カタカナ', 2],
    ['我们,你们', 2],
    ['v2的 a中b', 5],
    ['文'.repeat(1001), 501],
  ])('of scripts without spaces: %s has %i', (text, words) => {
    expect(countWords(text)).toBe(words)
  })
})
