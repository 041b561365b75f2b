import type { PageInput } from '../../../src/engine/page/page.ts'
import type { ClauseSource } from '../../../src/engine/rule/types.ts'
import { buildRule, type Case } from './compare.ts'

const makeCase = (
  name: string,
  input: PageInput,
  clauses: readonly ClauseSource[],
  settled: readonly string[] = [],
): [string, Case] => [name, { rules: clauses.map((clause, i) => buildRule([clause], i)), input, settled }]
const html = (body: string): PageInput => ({
  url: 'https://www.example.com/',
  html: `<!doctype html><html><body>${body}</body></html>`,
})

const OVERLAPPING = ['bcd', 'abcde', 'cde', 'xyz', 'zzz1', 'zzz2', 'zzz3', 'end.', 'Sta']

/** Literals of 36 different letters and digits, more than an automaton has columns; and one of them with a `v` instead of the `o`. */
const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(
  (first) => `${first}ijklmnopqrstuvwxyz0123456789${'abcdefgh'.replace(first, '')}`,
)
const SHARING = LETTERS[0].replace('o', 'v')

/** The edge cases of every lookup. */
export const handmadeCases: readonly (readonly [string, Case])[] = [
  makeCase('literals inside literals', html('<p>Start abcdx abcdé ABCDEF the end.</p>'), [
    ...OVERLAPPING.map((text) => ({ text })),
    { text: OVERLAPPING },
  ]),
  makeCase('a literal at the end of a literal that fails', html('<p>abcdx</p>'), [
    ...OVERLAPPING.map((text) => ({ text })),
    { html: OVERLAPPING },
  ]),
  makeCase('more letters than classes, of which some share one', html(`<p>${'n'.repeat(300)} ${SHARING}</p>`), [
    ...LETTERS.map((text) => ({ text })),
    { element: 'p', has: LETTERS },
  ]),
  makeCase('a short text with letters that share a class', { html: `<title>${SHARING}</title>` }, [
    ...LETTERS.map((title) => ({ title })),
  ]),
  makeCase('a literal is the whole title', { html: '<title>ABC</title>' }, [
    { title: OVERLAPPING },
    { title: 'abc' },
    { title: 'abc', case: 'exact' },
    { title: 'abcd' },
  ]),
  makeCase('whole segments', { url: 'https://shop.example.com/abcd/ef?abc#abc', html: '' }, [
    ...[
      '/abc',
      '/abc*',
      '/abcd',
      '/abcd/',
      '/ef',
      '/e',
      '/abcd/ef',
      '/abcd/e',
      '/abcd/e*',
      '/abcd/ef/',
      '/abcd/ef*',
      '/',
      '/ABCD/',
    ].map((url) => ({ url })),
    ...[
      'example.com',
      '.example.com',
      'shop.example.com',
      '.shop.example.com',
      'shop.*',
      'sho.*',
      'shop.example.com/abc',
      'shop.*/abcd',
      '.example.com/ef',
    ].map((url) => ({ url })),
  ]),
  makeCase(
    'a bare host',
    { url: 'https://example.com/', html: '' },
    ['example.com', '.example.com', 'example.*', '/', 'example.com/a*'].map((url) => ({ url })),
  ),
  makeCase(
    'a star within a segment',
    html('<script src="//cdn.example.com/lib/wixui/x.js"></script>'),
    ['/lib/wix*', '/lib/w*', '/wixui*', '/lib/wixuis*', 'cdn.example.com/lib/wi*', '/lib/wix', '/lib/*'].map(
      (script) => ({ script }),
    ),
  ),
  makeCase(
    'tokens, ids and parts of attributes',
    html('<div id="Main" class="one Two\nthree" data-kind="alpha-beta gamma"><b title=" Bold\n"></b></div>'),
    [
      ...[
        '#main',
        '.two',
        '.three',
        '.on',
        '.one.two',
        'div > b',
        '[data-kind^=alpha]',
        '[data-kind*="ETA g"]',
        '[data-kind$=gamma]',
        '[data-kind|=alpha]',
        '[data-kind~=gamma]',
        '[data-kind="alpha-beta gamma"]',
        '[DATA-KIND]',
        'div:not(.four) b',
        ':is(#main, p)',
      ].map((element) => ({ element })),
      { element: '#main', case: 'exact' },
      { element: '#Main', case: 'exact' },
      { element: 'div:not(.two)', case: 'exact' },
      { element: 'div:not(.two)' },
      { element: '[data-kind]', attr: 'DATA-kind', has: 'BETA' },
      { element: 'b', attr: 'title', is: 'bold' },
      { element: 'b', attr: 'lang' },
      { element: 'div, [data-kind], #main' },
    ],
  ),
  makeCase(
    'values of headers and records',
    {
      headers: [
        ['Server', 'ABC/1.2'],
        ['server', 'abc'],
        ['X-Abc-Id', '1'],
        ['set-cookie', 'AbcSession=1; Path=/'],
      ],
      dns: { TXT: ['abc=1', 'abc=1'], cname: ['x.example.com.'] },
      html: '',
    },
    [
      { header: 'server', is: 'Abc' },
      { header: 'server', is: 'abc', case: 'exact' },
      { header: 'server', match: '^abc/1\\.2' },
      { header: 'server', match: '^abcd?/' },
      { header: 'server', match: '^xyz|abc' },
      { header: 'server', match: '^(?:xyz|abc)/' },
      { header: 'server', match: '^abcx*/1' },
      { header: 'server', match: '^abc/12{0,1}' },
      { header: 'SERVER', has: 'BC', atLeast: 2 },
      { header: ['server', 'x-abc*'] },
      { header: 'x-abc*' },
      { header: 'x-abc-i*' },
      { header: 'x-abc-idx*' },
      { cookie: 'abcs*' },
      { dns: 'txt', has: 'abc', atLeast: 2 },
      { dns: 'cname', under: '.example.com' },
      { dns: 'cname', under: 'example.com' },
      { all: [{ dns: 'TXT' }, { not: { dns: 'NS' } }] },
      { all: [{ dns: 'TXT' }, { not: { dns: 'CNAME', has: 'nothing' } }] },
      { all: [{ dns: 'TXT' }, { not: { dns: ['CNAME', 'NS'], has: 'nothing' } }] },
    ],
  ),
  makeCase(
    'URLs count once',
    html('<img src="/a/x.png"><img src="/a/x.png#y"><img src="https://www.example.com/a/x.png"><img src="/a/x.png?z">'),
    [
      ...[1, 2, 3, 4].map((atLeast) => ({ asset: '/a/', atLeast })),
      ...[1, 2, 3, 4].map((atLeast) => ({ asset: ['/a/', 'www.example.com', '/x.png'], atLeast })),
      { element: 'img, [src]', atLeast: 5 },
    ],
  ),
  makeCase('entities', html('<p title="&#97;bc &amp; d">x &#97;bc &amp; d</p><a href="/x?a=1&amp;b=2">y</a>'), [
    { text: 'abc & d' },
    { element: '[title="abc & d"]' },
    { anchor: '/x', has: 'a=1&b=2' },
    { html: '&amp;' },
  ]),
  makeCase('unseen places', { html: '<title>abc</title>' }, [
    ...[
      { url: '/' },
      { header: 'server' },
      { cookie: 'abc' },
      { status: 404 },
      { dns: 'a' },
      { tls: 'name' },
      { robots: 'abc' },
      { favicon: 1 },
    ].flatMap((inner) => [
      { all: [{ title: 'abc' }, { not: inner }] },
      { all: [{ title: 'abc' }, { not: { all: [inner, { title: 'zzz' }] } }] },
      {
        all: [
          { title: 'abc' },
          { of: [{ title: 'abc' }, { not: { any: [inner, { title: 'zzz' }] } }, { not: inner }], atLeast: 2 },
        ],
      },
    ]),
  ]),
  makeCase(
    'JSON-LD',
    html(
      `<script type="application/ld+json">[{"@graph":[{"@type":["Abc","schema:Abc","Bcd"],"name":"abc",
        "offers":[{"@type":"Offer","price":1},{"price":"2"}]}]}]</script>`,
    ),
    [
      ...['Abc', 'abc', 'Bcd', 'Abc.name', 'Abc.offers.price', 'Offer', 'Offer.price', 'Abc.offers'].flatMap(
        (jsonld) => [{ jsonld }, { jsonld, atLeast: 2 }, { jsonld, is: ['abc', '2'] }],
      ),
    ],
  ),
  makeCase(
    'amounts, and what is already detected',
    html('<p>one two three</p>'),
    [
      ...[2, 3, 4].map((atLeast) => ({ size: 'words', atLeast })),
      { all: [{ text: 'one' }, { not: { size: 'words', atLeast: 4 } }] },
      { all: [{ text: 'one' }, { found: ['abc', 'bcd'], atLeast: 2 }] },
    ],
    ['abc', 'bcd'],
  ),
  makeCase(
    'windows around literals in scripts and style sheets',
    {
      url: 'https://www.example.com/',
      html: '<script src="/main.js"></script><script src="/other.js"></script><link rel=stylesheet href="/app.css">',
      scripts: [
        { url: '/main.js', text: `abcde 1.2${'é'.repeat(200)}ABCDE 3.4${'x'.repeat(400)}end abcde` },
        { url: '/other.js', text: `${'\u{1f600}'.repeat(100)}abcdeabcde${'-'.repeat(195)}final${'-'.repeat(200)}end` },
        { url: '/third.js', text: `first9${'-'.repeat(150)}KILN9${'-'.repeat(150)}kiln9` },
      ],
      styles: [{ url: '/app.css', text: '/*! bcdef v1.2 | MIT */ a{}' }],
    },
    [
      ...['abcde', 'abcdex', 'end', 'deabc', 'ABCDE'].flatMap((bundle) => [
        { bundle },
        { bundle, case: 'exact' },
        { bundle, atLeast: 2 },
        { bundle, has: ['1.2', 'final'] },
        { bundle, has: 'end' },
        { bundle, match: 'e (\\d)\\.4' },
        { bundle, match: 'E (\\d)\\.4', case: 'exact' },
        { bundle, match: 'e-{195}f' },
        { bundle, match: 'e-{195}fi' },
        { bundle, match: 'x{200}' },
      ]),
      { bundle: OVERLAPPING },
      { bundle: 'kiln9', has: 'first9' },
      { bundle: 'kiln9', has: 'first9', case: 'exact' },
      { stylesheet: 'bcdef', match: 'v1\\.2' },
      { stylesheet: 'abcde' },
      { all: [{ bundle: 'abcde' }, { not: { stylesheet: 'abcde' } }] },
    ],
  ),
  makeCase(
    'scripts that were not read, or only in part, may contain a literal',
    {
      html: '<script src="/main.js"></script><script src="/app.js"></script>',
      scripts: [{ url: '/main.js', text: 'abcde' }],
    },
    [
      { all: [{ bundle: 'abcde' }, { not: { bundle: 'xyzzy' } }] },
      { all: [{ bundle: 'abcde' }, { not: { stylesheet: 'xyzzy' } }] },
    ],
  ),
]
