import { describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { buildPage, type PageInput } from '../../src/engine/page.ts'
import type { PlaceIndex } from '../../src/engine/place-index.ts'
import { compile, rulesetOf, technology } from '../tiny-rules.ts'

/** The index of one place, as rules that ask for these words make it. */
function indexOf(place: string, words: readonly string[]): PlaceIndex {
  const kind = place === 'size' ? { atLeast: 1 } : {}
  const index = rulesetOf(compile([technology('x', { detect: [{ [place]: words, ...kind }] })])).places.get(place)
  if (index === undefined) throw new Error(`no place ${place}`)
  return index
}

/** What a detector yields: name and text; of an element its tag. */
function finds(place: string, words: readonly string[], input: PageInput): [string, string][] {
  const page = buildPage(input)
  const index = indexOf(place, words)
  return [...index.detector.read(page, index)].map(({ name, text, at = -1 }) => [name, text ?? page.tape.tags[at]])
}

const html = (text: string): PageInput => ({ html: text })
const asked: [place: string, what: string, words: string[], PageInput, [string, string][]][] = [
  ['url', 'the final URL', ['x.com'], { url: 'https://a.com/b?c#d' }, [['', 'https://a.com/b?c']]],
  ['header', 'each value of a name', ['x-a'], { headers: { 'X-A': ['1', '2'], 'x-b': '3' } }, [['x-a', '1'], ['x-a', '2']]],
  ['header', 'names that begin so', ['x-wix-*'], { headers: { 'x-wix-a': '1', 'x-wixa': '2', 'X-Wix-': '3' } }, [['x-wix-a', '1'], ['x-wix-', '3']]],
  ['cookie', 'each by name', ['sid', 'wp_*'], { headers: { 'set-cookie': ['sid=a=b; Path=/; sid=c', ' SID = d ', 'wp_1=', 'other=e'] } }, [['sid', 'a=b'], ['SID', 'd'], ['wp_1', '']]],
  ['cookie', 'none without a name', ['sid'], { headers: [['set-cookie', 'sid'], ['set-cookie', '=sid'], ['set-cookie', ''], ['cookie', 'sid=1']] }, []],
  ['status', 'the code', ['404'], { status: 404 }, [['404', '404']]],
  ['dns', 'each record of a type', ['a', 'TXT'], { dns: { A: ['192.0.2.1', ' 192.0.2.2 '], txt: ['v=1'], mx: ['m'] } }, [['a', '192.0.2.1'], ['a', '192.0.2.2'], ['txt', 'v=1']]],
  ['dns', 'a type with a label alone', ['txt _vercel'], { dns: { txt: ['a'], 'TXT _Vercel': ['b'], 'txt _other': ['c'] } }, [['txt _vercel', 'b']]],
  ['dns', 'a type without the label', ['txt'], { dns: { 'txt _vercel': ['b'] } }, []],
  ['tls', 'issuer and names', ['issuer', 'name'], { tls: { issuer: 'Let', names: ['a.com', '*.a.com'] } }, [['issuer', 'Let'], ['name', 'a.com'], ['name', '*.a.com']]],
  ['tls', 'no issuer', ['issuer'], { tls: { names: ['a.com'] } }, [['name', 'a.com']]],
  ['meta', 'name, property, itemprop', ['one', 'og:*'], html('<meta name=" One " content=" a "><META property="og:b" content=c><meta itemprop=one content=d>'), [['One', 'a'], ['og:b', 'c'], ['one', 'd']]],
  ['meta', 'none without content', ['one'], html('<meta name=one><meta http-equiv=one content=a><meta name=two content=b><b name=one content=c>'), []],
  ['meta', 'an empty content', ['one'], html('<meta name=one content="">'), [['one', '']]],
  ['title', 'the title', ['abc'], html('<title> A b </title>'), [['', 'A b']]],
  ['title', 'none', ['abc'], html('<p>'), []],
  ['comment', 'each', ['abc'], html('<!-- a --><!--b-->'), [['', 'a'], ['', 'b']]],
  ['inline', 'scripts without src, JSON-LD not', ['abc'], html('<script>a</script><script type=x>b</script><script src=c>d</script><script type="application/ld+json">1</script>'), [['', 'a'], ['', 'b']]],
  ['style', 'each sheet', ['abc'], html('<style>a</style><p style="b"><style>c</style>'), [['', 'a'], ['', 'c']]],
  ['text', 'what is seen', ['abc'], html('<title>a</title><p>b</p>c'), [['', 'b c']]],
  ['html', 'the source', ['abc'], html('<p CLASS=a>b'), [['', '<p CLASS=a>b']]],
  ['size', 'both amounts', ['words', 'characters'], html('<p>one two</p>'), [['words', '2'], ['characters', '7']]],
  ['robots', 'the file', ['abc'], { robots: 'User-agent: *' }, [['', 'User-agent: *']]],
  ['favicon', 'the hash', ['-1'], { favicon: -12 }, [['-12', '-12']]],
  ['script', 'src alone', ['/a'], html('<script src="//a.com/b"></script><img src=/c><link rel=modulepreload href=/d>'), [['', 'http://a.com/b']]],
  ['asset', 'scripts too, frames and links not', ['/a'], html('<script src=/b></script><img src=/c><iframe src=/d></iframe><a href=/e></a>'), [['', '/b'], ['', '/c']]],
  ['frame', 'iframe, embed, object', ['/a'], html('<iframe src=/b></iframe><embed src=/c><object data=/d></object>'), [['', '/b'], ['', '/c'], ['', '/d']]],
  ['anchor', 'a[href]', ['/a'], html('<a href=/b></a><a name=c></a><link href=/d>'), [['', '/b']]],
  ['link', 'by each token of rel', ['icon', 'alternate'], html('<link rel="Shortcut ICON" href=/a><link rel="alternate icon" href=/b><link rel=next href=/c><a rel=icon href=/d></a>'), [['icon', '/a'], ['alternate', '/b'], ['icon', '/b']]],
  ['element', 'what a selector fits', ['p.x', '[data-a]'], html('<p class="y x" data-a><p class=xx><i data-a=1>'), [['p.x', 'p'], ['[data-a]', 'p'], ['[data-a]', 'i']]],
]

const ld = (...blocks: unknown[]): PageInput => html(blocks.map((block) => `<script type="application/ld+json">${JSON.stringify(block)}</script>`).join(''))
const jsonld: [string, string[], PageInput, [string, string][]][] = [
  ['a type', ['Shop'], ld({ '@type': 'Shop', name: 'A' }, { '@type': 'Other' }), [['Shop', 'A']]],
  ['whatever the case, with vocabulary', ['shop'], ld({ '@type': 'https://schema.org/Shop' }, { '@type': 'schema:SHOP' }), [['Shop', ''], ['SHOP', '']]],
  ['lists of types', ['Shop', 'Place'], ld({ '@type': ['Shop', 'Place'], url: '/a' }), [['Shop', '/a'], ['Place', '/a']]],
  ['lists, @graph, nodes within nodes', ['Shop'], ld([{ '@type': 'Shop', name: 'A' }], { '@graph': [{ '@type': 'Shop', name: 'B' }] }, { '@type': 'Page', about: { '@type': 'Shop', name: 'C' } }), [['Shop', 'A'], ['Shop', 'B'], ['Shop', 'C']]],
  ['a field', ['Shop.offers.price'], ld({ '@type': 'Shop', offers: { price: 1.5 } }), [['Shop', ''], ['Shop.offers', ''], ['Shop.offers.price', '1.5']]],
  ['a field of several, and of values that are objects', ['Shop.seller'], ld({ '@type': 'Shop', seller: ['A', { name: 'B' }, { '@id': '#c' }, null, true] }), [['Shop', ''], ['Shop.seller', 'A'], ['Shop.seller', 'B'], ['Shop.seller', '#c'], ['Shop.seller', 'true']]],
  ['no field of another type', ['Shop.price'], ld({ '@type': 'Other', price: 1 }), []],
  ['types that are none', ['Shop'], ld({ '@type': { a: 'Shop' } }, { '@type': null }, { type: 'Shop' }, 'Shop', 1), []],
]

describe('what a place finds', () => {
  test.each([...asked, ...jsonld.map((row) => ['jsonld', ...row] as const)])('%s: %s', (place, _, words, input, expected) => {
    expect(finds(place, words, input)).toEqual(expected)
  })

  test('no place is left out', () => {
    expect([...new Set([...asked.map(([place]) => place), 'jsonld'])].sort()).toEqual(detectors.map(({ key }) => key).sort())
  })

  test('the amount of size is the hit', () => {
    const index = indexOf('size', ['words'])
    expect([...index.detector.read(buildPage(html('one two')), index)].map(({ amount }) => amount)).toEqual([2, 7])
  })
})

describe('what was looked at', () => {
  const sometimes: [place: string, word: string, PageInput, boolean][] = [
    ['url', 'a.com', { url: 'https://a.com/' }, true],
    ['header', 'x-a', { headers: {} }, true],
    ['cookie', 'sid', { headers: [] }, true],
    ['status', '404', { status: 200 }, true],
    ['dns', 'TXT', { dns: { txt: [] } }, true],
    ['dns', 'txt', { dns: { a: [] } }, false],
    ['dns', 'txt _Vercel', { dns: { 'txt _vercel': [] } }, true],
    ['dns', 'txt _vercel', { dns: { txt: [] } }, false],
    ['tls', 'issuer', { tls: {} }, true],
    ['robots', 'abc', { robots: '' }, true],
    ['favicon', '1', { favicon: 0 }, true],
  ]
  const detectorOf = (place: string) => detectors.find(({ key }) => key === place)
  test.each(sometimes)('%s %s on %j: %s', (place, word, input, expected) => {
    expect(detectorOf(place)?.seen?.(buildPage(input), word)).toBe(expected)
    expect(detectorOf(place)?.seen?.(buildPage({}), word)).toBe(false)
  })

  test('what a document holds was always looked at', () => {
    const others = detectors.filter(({ key }) => !sometimes.some(([place]) => place === key))
    expect(others.filter(({ seen }) => seen !== undefined)).toEqual([])
    expect(others).toHaveLength(15)
  })
})
