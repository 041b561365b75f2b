import { describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { buildPage, type PageInput } from '../../src/engine/page/page.ts'
import { readFinds } from '../engine/support/finds.ts'

test.each<[place: string, what: string, words: string[], PageInput, [string, string][]]>([
  ['url', 'the final URL', ['x.com'], { url: 'https://a.com/b?c#d' }, [['', 'https://a.com/b?c']]],
  [
    'suffix',
    'each label of the public suffix',
    ['gov'],
    { url: 'https://www.a.gov.uk/gov' },
    [
      ['gov', 'gov'],
      ['uk', 'uk'],
    ],
  ],
  ['suffix', 'one label', ['com'], { url: 'https://a.com/' }, [['com', 'com']]],
  ['suffix', 'none of an address', ['com'], { url: 'http://192.0.2.1/' }, []],
  [
    'header',
    'each value of a name',
    ['x-a'],
    { headers: { 'X-A': ['1', '2'], 'x-b': '3' } },
    [
      ['x-a', '1'],
      ['x-a', '2'],
    ],
  ],
  [
    'header',
    'names with the same beginning',
    ['x-wix-*'],
    { headers: { 'x-wix-a': '1', 'x-wixa': '2', 'X-Wix-': '3' } },
    [
      ['x-wix-a', '1'],
      ['x-wix-', '3'],
    ],
  ],
  [
    'cookie',
    'each cookie by name',
    ['sid', 'wp_*'],
    { headers: { 'set-cookie': ['sid=a=b; Path=/; sid=c', ' SID = d ', 'wp_1=', 'other=e'] } },
    [
      ['sid', 'a=b'],
      ['SID', 'd'],
      ['wp_1', ''],
    ],
  ],
  [
    'cookie',
    'no cookie without a name',
    ['sid'],
    {
      headers: [
        ['set-cookie', 'sid'],
        ['set-cookie', '=sid'],
        ['set-cookie', ''],
        ['cookie', 'sid=1'],
      ],
    },
    [],
  ],
  ['status', 'the code', ['404'], { status: 404 }, [['404', '404']]],
  [
    'dns',
    'each record of a type',
    ['a', 'TXT'],
    { dns: { A: ['192.0.2.1', ' 192.0.2.2 '], txt: ['v=1'], mx: ['m'] } },
    [
      ['a', '192.0.2.1'],
      ['a', '192.0.2.2'],
      ['txt', 'v=1'],
    ],
  ],
  [
    'dns',
    'only a type with a label',
    ['txt _vercel'],
    { dns: { txt: ['a'], 'TXT _Vercel': ['b'], 'txt _other': ['c'] } },
    [['txt _vercel', 'b']],
  ],
  ['dns', 'a type without the label', ['txt'], { dns: { 'txt _vercel': ['b'] } }, []],
  [
    'tls',
    'issuer and names',
    ['issuer', 'name'],
    { tls: { issuer: 'Let', names: ['a.com', '*.a.com'] } },
    [
      ['issuer', 'Let'],
      ['name', 'a.com'],
      ['name', '*.a.com'],
    ],
  ],
  ['tls', 'names without an issuer', ['issuer'], { tls: { names: ['a.com'] } }, [['name', 'a.com']]],
  ['robots', 'the file', ['abc'], { robots: 'User-agent: *' }, [['', 'User-agent: *']]],
  [
    'bundle',
    'each script of the site',
    ['abcde'],
    {
      html: '<script src="/b.js"></script><script src=main.js></script>',
      scripts: [
        { url: '/b.js', text: 'b' },
        { url: 'main.js', text: 'a' },
      ],
    },
    [
      ['', 'a'],
      ['', 'b'],
    ],
  ],
  [
    'stylesheet',
    'each style sheet of the site',
    ['abcde'],
    { html: '<link rel=stylesheet href=/a.css>', styles: [{ url: '/a.css', text: 'a {}' }] },
    [['', 'a {}']],
  ],
  [
    'global',
    'by its path',
    ['Vue.version'],
    { globals: { 'Vue.version': '3.4.21', 'Vue.set': '' } },
    [['Vue.version', '3.4.21']],
  ],
  ['cookie', 'of a browser', ['sid'], { cookies: { sid: '1', other: '2' } }, [['sid', '1']]],
  ['favicon', 'the hash', ['-1'], { favicon: -12 }, [['-12', '-12']]],
])('%s: %s', (place, _, words, input, expected) => {
  expect(readFinds(place, words, input)).toEqual(expected)
})

describe('a place is seen', () => {
  const sometimes: [place: string, word: string, PageInput, boolean][] = [
    ['url', 'a.com', { url: 'https://a.com/' }, true],
    ['suffix', 'com', { url: 'https://a.com/' }, true],
    ['header', 'x-a', { headers: {} }, true],
    ['cookie', 'sid', { headers: [] }, true],
    ['status', '404', { status: 200 }, true],
    ['size', 'slug', { url: 'https://a.com/' }, true],
    ['size', 'digits', { url: 'https://a.com/' }, true],
    ['dns', 'TXT', { dns: { txt: [] } }, true],
    ['dns', 'txt', { dns: { a: [] } }, false],
    ['dns', 'txt _Vercel', { dns: { 'txt _vercel': [] } }, true],
    ['dns', 'txt _vercel', { dns: { txt: [] } }, false],
    ['tls', 'issuer', { tls: {} }, true],
    ['network', '64496', { network: { asn: 64497, name: 'Others' } }, true],
    ['network', '64496', { address: '203.0.113.7', network: null }, true],
    ['network', '64496', { address: '203.0.113.7' }, false],
    ['network', '192.0.2.0/24', { address: '203.0.113.7' }, true],
    ['network', '192.0.2.0/24', { network: { asn: 64497, name: 'Others' } }, false],
    ['dns', 'ptr', { dns: { ptr: [] } }, true],
    ['robots', 'abc', { robots: '' }, true],
    ['favicon', '1', { favicon: 0 }, true],
    ['bundle', 'abcde', { scripts: [] }, true],
    ['bundle', 'abcde', { html: '<script src=/a.js></script>', scripts: [] }, false],
    ['stylesheet', 'abcde', { styles: [{ url: '/a.css', text: 'a {}' }] }, true],
    ['tag', '__hjtc', { scripts: [] }, true],
    ['global', 'Vue.version', { globals: {} }, true],
  ]
  const findDetector = (place: string) => detectors.find(({ key }) => key === place)
  test.each(sometimes)('%s %s with %j: %s', (place, word, input, expected) => {
    expect(findDetector(place)?.seen?.(buildPage(input), word)).toBe(expected)
    expect(findDetector(place)?.seen?.(buildPage({}), word)).toBe(false)
  })

  test.each(['words', 'links'])('size %s of a page without a URL', (word) => {
    expect(findDetector('size')?.seen?.(buildPage({}), word)).toBe(true)
  })

  test('places of the document are always seen', () => {
    const others = detectors.filter(({ key }) => !sometimes.some(([place]) => place === key))
    expect(others.filter(({ seen }) => seen !== undefined)).toEqual([])
    const document =
      'meta title jsonld script asset frame npm file extension link element comment inline style anchor label text html'
    expect(others.map(({ key }) => key).sort()).toEqual(document.split(' ').sort())
  })
})
