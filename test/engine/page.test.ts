import { describe, expect, test } from 'vitest'
import { readAttribute } from '../../src/engine/page/element.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import type { Page } from '../../src/engine/page/page-types.ts'

const buildHtmlPage = (html: string): Page => buildPage({ html })
const bytes = (...parts: (string | number[])[]): Uint8Array =>
  new Uint8Array(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part, 'latin1')] : part)))

describe('charset', () => {
  const utf8 = [0xc3, 0xa9] // é
  test.each<[string, Uint8Array, string | null, string]>([
    ['byte order mark before the header', bytes([0xef, 0xbb, 0xbf], utf8), 'text/html; charset=iso-8859-1', 'é'],
    ['header', bytes(utf8), 'text/html; charset=utf-8', 'é'],
    ['header in quotes', bytes(utf8), 'text/html;CHARSET="UTF-8"', 'é'],
    ['header before meta', bytes('<meta charset=koi8-r>', utf8), 'text/html; charset=utf-8', '<meta charset=koi8-r>é'],
    ['meta', bytes('<meta charset="utf-8">', utf8), null, '<meta charset="utf-8">é'],
    [
      'meta http-equiv',
      bytes('<meta http-equiv=content-type content="text/html; charset=windows-1251">', [0xe6]),
      null,
      '<meta http-equiv=content-type content="text/html; charset=windows-1251">ж',
    ],
    [
      'meta beyond the first KiB',
      bytes(' '.repeat(1024), '<meta charset=utf-8>', utf8),
      null,
      `${' '.repeat(1024)}<meta charset=utf-8>Ã©`,
    ],
    ['nothing: windows-1252', bytes([0x80, 0x93, 0xe9]), null, '€“é'],
    ['an unknown label: windows-1252', bytes([0x80]), 'text/html; charset=nonsense', '€'],
    ['a label without a decoder: windows-1252', bytes([0x80]), 'text/html; charset=hz-gb-2312', '€'],
    ['utf-16, by mark', bytes([0xff, 0xfe, 0xe9, 0, 0x42, 0]), null, 'éB'],
    ['utf-16, big end first', bytes([0xfe, 0xff, 0, 0xe9]), null, 'é'],
    ['utf-16, by header', bytes([0xe9, 0, 0x42, 0]), 'text/html; charset=utf-16', 'éB'],
    ['broken bytes', bytes([0xc3, 0x28]), 'text/html; charset=utf-8', '\ufffd('],
  ])('%s', (_, html, contentType, expected) => {
    expect(buildPage({ html, ...(contentType && { headers: { 'Content-Type': contentType } }) }).html).toBe(expected)
  })

  test('a string is not decoded', () => {
    expect(buildHtmlPage('\ufeff<p>é').html).toBe('<p>é')
  })

  test.each([
    ['UTF-8 whose bytes are characters', '<p>\u00e2\u0080\u0099\u00c3\u00a9', '<p>’é'],
    ['the same with a byte order mark', '\u00ef\u00bb\u00bf<p>\u00c3\u00a9', '<p>é'],
    ['the same, cut inside a character', '<p>\u00c3\u00a9\u00e2\u0080', '<p>é'],
    ['Latin-1', '<p>caf\u00e9 \u00c3\u00a9', '<p>caf\u00e9 \u00c3\u00a9'],
    ['other text', '<p>\u00c3\u00a9 ’', '<p>\u00c3\u00a9 ’'],
  ])('a text: %s', (_, html, expected) => {
    expect(buildHtmlPage(html).html).toBe(expected)
  })
})

describe('JSON-LD', () => {
  test.each<[string, string, unknown]>([
    ['an object', '{"@type":"Thing"}', { '@type': 'Thing' }],
    ['a list', ' [{"a":1},{"b":2}] ', [{ a: 1 }, { b: 2 }]],
    ['in a comment', '<!--\n{"a":1}\n-->', { a: 1 }],
    ['in CDATA', '<![CDATA[{"a":[1]}]]>', { a: [1] }],
    ['in CDATA in a line comment', '//<![CDATA[\n[{"a":1}]\n//]]>', [{ a: 1 }]],
    ['in CDATA in a comment', '/*<![CDATA[*/{"a":1}/*]]>*/', { a: 1 }],
    ['a semicolon at the end', '{"a":1};\n', { a: 1 }],
    ['trailing commas', '{"a":[1,2, ],}', { a: [1, 2] }],
    ['raw line breaks in a string', '{"a":"x\ny\tz"}', { a: 'x y z' }],
    ['escaped quotes', '{&quot;a&quot;:1}', { a: 1 }],
    ['wrapper marks in a string', '{"a":"x]]> -->"}', { a: 'x]]> -->' }],
  ])('%s', (_, source, expected) => {
    expect(buildHtmlPage(`<script type="Application/LD+JSON; charset=utf-8">${source}</script>`).jsonld).toEqual([
      expected,
    ])
  })

  test.each(['{"a":', '', 'null', '{"a":1}{"b":2}'])('%j is skipped, and the next block is read', (source) => {
    const html = [source, '{"a":1}'].map((data) => `<script type="application/ld+json">${data}</script>`).join('')
    expect(buildHtmlPage(html).jsonld).toEqual([{ a: 1 }])
  })
})

test.each<[string, string, Partial<Page>]>([
  [
    'inline scripts, also those that a tool starts later, without loaded scripts',
    '<script>a</script><script src=x>b</script><script type="text/plain">c</script><script type="text/template">d</script><script type=module>e</script>',
    { scripts: ['a', 'c', 'd', 'e'] },
  ],
  [
    'blocks of JSON are no scripts',
    [
      'application/json',
      'text/json; charset=utf-8',
      'application/ld+json',
      'application/vnd.x+json',
      'importmap',
      'speculationrules',
    ]
      .map((type) => `<script type="${type}">{}</script>`)
      .join('<script>a</script>'),
    { scripts: Array(5).fill('a') },
  ],
  [
    'nothing in a template, except in a declarative shadow root',
    '<template><p><script>a</script></p><style>b{}</style></template><template shadowrootmode=open><script>c</script><style>d{}</style></template>',
    { scripts: ['c'], styles: ['d{}'] },
  ],
  ['tags in a script are text', '<script>if (a<b) "</p>"</script><p>c', { scripts: ['if (a<b) "</p>"'], text: 'c' }],
  ['a script has no entities', '<script>a&amp;b</script><xmp>&lt;</xmp>', { scripts: ['a&amp;b'], text: '&lt;' }],
  ['a script in SVG has entities and tags', '<svg><script>a&amp;b<i>c</script></svg>', { scripts: ['a&bc'] }],
  ['a text area has entities', '<textarea>&lt;p> & <b</textarea>', { text: '<p> & <b' }],
  ['style sheets', '<style>a{}</style><svg><style>b{}</style></svg>', { styles: ['a{}', 'b{}'] }],
  [
    'comments, trimmed',
    '<!-- a --><p><!--b--></p><!--[if IE]> c <![endif]-->',
    { comments: ['a', 'b', '[if IE]> c <![endif]'] },
  ],
  ['the title, white space collapsed', '<title>\n A  &amp; B </title>', { title: 'A & B' }],
  ['the first title', '<title>a</title><title>b</title>', { title: 'a' }],
  ['not the title of an SVG', '<svg><title>icon</title></svg>', { title: null }],
  ['not the title of an SVG before it', '<body><svg><title>icon</title></svg><title>late</title>', { title: 'late' }],
  ['an empty title', '<title></title>', { title: '' }],
])('%s', (_, html, expected) => {
  expect(buildHtmlPage(html)).toMatchObject(expected)
})

test.each<[string, string, string]>([
  [
    'head, script, style, template, noscript',
    '<head><title>a</title></head><body>b<script>c</script><style>d</style><template><p>e</p></template><noscript><i>f</i></noscript>g',
    'bg',
  ],
  ['a head that is never closed', '<head><title>a</title><meta name=x><link rel=y><script>b</script><p>c</p>', 'c'],
  ['no head at all', '<title>a</title>b', 'b'],
  ['text after a head', '<head></head>a', 'a'],
  ['block tags separate words', 'a<p>b</p>c<div>d</div><li>e<br>f<td>g', 'a b c d e f g'],
  ['inline tags do not separate words', 'a<b>b</b><i>c</i><a href=x>d</a><span>e</span>', 'abcde'],
  ['white space is collapsed', '  a\n\t b&nbsp;&#160;c \u3000 d  ', 'a b c d'],
  ['entities', '&lt;p&gt; &eacute; &#x41;', '<p> é A'],
  ['a comment is not text', 'a<!-- b -->c', 'ac'],
  ['stray end tags', '</script></template></head>a', 'a'],
])('visible text: %s', (_, html, expected) => {
  expect(buildHtmlPage(html).text).toBe(expected)
})

test.each<[string, number]>([
  ['', 0],
  ['one, two; three.', 3],
  ["don't 3.5 e-mail", 4],
  ['— … ! 12', 1],
  ['中文 abc', 2],
])('words of %j: %i', (text, words) => {
  expect(buildHtmlPage(text).words).toBe(words)
})

describe('attributes', () => {
  test.each<[string, string, string, (string | undefined)[]]>([
    ['names in lower case, decoded entities, the first of two', '<p DATA-A="x&amp;y" data-a=z>', 'p', ['x&y']],
    [
      'entities without a semicolon, in and before a word',
      '<p data-a="&amp &ampx &copy=1 &#65">',
      'p',
      ['& &ampx &copy=1 A'],
    ],
    ['entities in other values', '<p data-a=1>&amp;<p data-a=x&y>&amp;<p data-a="&lt;">', 'p', ['1', 'x&y', '<']],
    ['without value', '<p data-a>', 'p', ['']],
    ['of a form in a form: ignored', '<p><form data-a=1><form data-a=2><b>', 'form', ['1']],
    ['of a form in a form: not on the previous element', '<form><b></b><form data-a=2><i data-b>', 'b', [undefined]],
    ['of a form in a form: not on the next element', '<form><form data-a=2><i>', 'i', [undefined]],
    ['of SVG tags', '<svg><linearGradient data-a=1 /></svg>', 'lineargradient', ['1']],
  ])('%s', (_, html, tag, expected) => {
    const { tape } = buildHtmlPage(html)
    const found = tape.tags.flatMap((name, at) => (name === tag ? [readAttribute(tape, at, 'data-a')] : []))
    expect(found).toEqual(expected)
  })
})
