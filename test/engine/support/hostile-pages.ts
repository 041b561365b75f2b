import type { PageInput } from '../../../src/engine/page/page.ts'

const MB = 2 ** 20
const html = (text: string): PageInput => ({ url: 'https://hostile.example/', status: 200, headers: {}, html: text })
const ld = (text: string): PageInput => html(`<script type="application/ld+json">${text}</script>`)
const many = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('')
const letters = (count: number): string => many(count, (i) => String.fromCharCode(0x4e00 + (i % 5000)))

const DEEP = /(?:element is|elements are) nested deeper than 512/
const CROWDED = /(?:attribute was|attributes were) skipped: only the first 256 of a tag are read/
const LONG = /only the first 4194304 of \d+ characters were read/
const PARSED = /^only the first \d+ of \d+ characters were parsed: the page has more than 150000 tags/
const TEXT = /^only the first 1048576 of \d+ characters of visible text were read/
const WORDS = /^words were counted in the first 98304 of \d+ characters/
const URLS = /^\d+ (?:URL was|URLs were) skipped: the limit is 10000 different URLs/
const LD_DEEP = /^1 JSON-LD block was not parsed: the data is nested deeper than 64/
const LD_LARGE =
  /^\d+ JSON-LD (?:block was|blocks were) not parsed: the limit is 256 blocks and 524288 characters in total/
const HEADERS = /only the first 200 of 5000 headers were read/

/** Pages that could break a scanner, and the warnings that they cause. */
export const hostilePages: readonly [name: string, page: PageInput, warnings: readonly RegExp[]][] = [
  ['100,000 nested tags', html('<b>'.repeat(100_000)), [DEEP]],
  ['100,000 nested tags, closed', html(`${'<div>'.repeat(100_000)}x${'</div>'.repeat(100_000)}`), [DEEP, PARSED]],
  ['100,000 nested forms', html('<form data-a=1>'.repeat(100_000)), [PARSED]],
  ['100,000 nested lists of several tags', html('<ul><li><p><a href=/x>'.repeat(25_000)), [DEEP]],
  ['500,000 stray end tags below 512 open ones', html(`${'<div>'.repeat(512)}${'</x>'.repeat(500_000)}`), [PARSED]],
  ['300,000 attributes on one tag', html(`<p ${many(300_000, (i) => `a${i}=1 `)}>`), [CROWDED, PARSED]],
  ['300,000 times the same attribute', html(`<p ${'class=a '.repeat(300_000)}>`), [CROWDED, PARSED]],
  ['one attribute of 4 MB', html(`<p class="${'a '.repeat(2 * MB - 10)}">`), []],
  ['300,000 classes on one tag', html(`<p class="${many(300_000, (i) => `c${i} `)}">`), []],
  ['a 5 MB comment', html(`<!--${'x'.repeat(5 * MB)}-->`), [LONG]],
  ['100,000 comments', html('<!-- made by -->'.repeat(100_000)), []],
  ['a comment that is never closed', html(`<p>a<!--${'<p>'.repeat(MB)}`), []],
  ['a script that is never closed', html(`<p>a<script>${'<p>"'.repeat(MB - 10)}`), []],
  ['NUL bytes', { ...html(''), html: new Uint8Array(MB) }, [WORDS]],
  ['NUL characters in tags and texts', html('<p\0 a\0="\0">\0</p\0><\0>'.repeat(10_000)), []],
  [
    'all bytes in turn, 1 MB',
    { ...html(''), html: Uint8Array.from({ length: MB }, (_, i) => (i * 7) % 256) },
    [DEEP, WORDS],
  ],
  ['4 MB of <', html('<'.repeat(4 * MB)), [PARSED, WORDS]],
  ['4 MB of </', html('</'.repeat(2 * MB)), []],
  ['4 MB of <a', html('<a'.repeat(2 * MB)), []],
  ['4 MB of &', html('&'.repeat(4 * MB)), [TEXT, WORDS]],
  ['one line of 4 MB', html('lorem ipsum '.repeat(MB / 3)), [TEXT, WORDS]],
  ['4 MB of line breaks', html(`${' \n'.repeat(2 * MB - 1)}x`), [TEXT]],
  ['4 MB of dots', html(`${'.'.repeat(4 * MB - 1)}x`), [TEXT, WORDS]],
  ['4 MB without a space', html('x'.repeat(4 * MB)), [TEXT, WORDS]],
  ['300,000 Chinese characters without spaces', html(letters(300_000)), [WORDS]],
  ['100,000 capitals beyond ASCII', html(`<p title="${'ÄÉ'.repeat(50_000)}">${'ÄÉ'.repeat(50_000)}`), [WORDS]],
  ['10,000 meta tags', html(many(10_000, (i) => `<meta name=generator content="Thing ${i}">`)), []],
  ['100,000 distinct URLs', html(many(100_000, (i) => `<a href=/p/${i}>`)), [PARSED, URLS]],
  ['100,000 distinct hosts', html(many(100_000, (i) => `<img src=//h${i}.example.com/>`)), [PARSED, URLS]],
  ['a URL of 1 MB', html(`<a href="/${'a/'.repeat(MB / 2)}">`), []],
  ['a URL of 1 MB of dots', html(`<a href="/${'../'.repeat(MB / 3)}">`), []],
  ['a host of 1 MB', html(`<a href="//${'a.'.repeat(MB / 2)}com/">`), []],
  ['a srcset of 1 MB', html(`<img srcset="${many(50_000, (i) => `/img/${i}.png ${i}w, `)}">`), [URLS]],
  ['a srcset of 1 MB of commas', html(`<img srcset="${','.repeat(MB)}">`), []],
  ['a srcset of 1 MB of spaces', html(`<img srcset="a${' '.repeat(MB)}b">`), []],
  ['a style of 1 MB of unclosed url(', html(`<p style="${'url('.repeat(MB / 4)}">`), []],
  ['a style of an unclosed url( of 1 MB', html(`<p style="x:url(${'a'.repeat(MB)}">`), []],
  ['a sheet of 1 MB of unclosed quotes', html(`<style>${`url("' url('`.repeat(MB / 10)}`), []],
  ['broken JSON-LD', ld('{"@type":"Shop",'), []],
  ['1 MB of broken JSON-LD', ld(`{"a":"${' ;, '.repeat(MB / 4)}x`), [LD_LARGE]],
  [
    '50,000 blocks of broken JSON-LD',
    html('<script type="application/ld+json">{"a":</script>'.repeat(50_000)),
    [PARSED, LD_LARGE],
  ],
  ['JSON-LD of 100,000 brackets', ld('['.repeat(100_000) + ']'.repeat(100_000)), [LD_DEEP]],
  [
    'JSON-LD of 100,000 nested objects',
    ld('{"@type":"Shop","a":'.repeat(100_000) + 1 + '}'.repeat(100_000)),
    [LD_LARGE],
  ],
  [
    'JSON-LD of 100,000 nodes',
    ld(`[${many(100_000, () => '{"@type":"Product","offers":{"price":1}},')}1]`),
    [LD_LARGE],
  ],
  ['JSON-LD that names __proto__', ld('{"@type":["__proto__","constructor"],"__proto__":{"@type":"Shop"}}'), []],
  [
    '5,000 headers',
    { ...html(''), headers: Array.from({ length: 5000 }, (_, i): [string, string] => [`x-${i}`, 'a']) },
    [HEADERS],
  ],
  [
    'a cookie of 1 MB of spaces',
    { ...html(''), headers: { 'set-cookie': `a${' '.repeat(MB)}b=${' '.repeat(MB)}c` } },
    [],
  ],
  [
    'a header of 1 MB',
    { ...html(''), headers: { server: 'nginx/'.repeat(MB / 6), 'x-powered-by': ' '.repeat(MB) } },
    [],
  ],
  ['a title of 4 MB', html(`<title>${'a '.repeat(2 * MB - 10)}`), []],
  ['a robots.txt of 4 MB', { ...html(''), robots: 'Disallow: /\n'.repeat(MB / 3) }, []],
  [
    'all at once',
    {
      ...html(`<p ${'a '.repeat(300)}>${'<div>'.repeat(600)}${'x'.repeat(5 * MB)}`),
      headers: Array.from({ length: 5000 }, (): [string, string] => ['a', 'b']),
    },
    [HEADERS, LONG, DEEP, CROWDED, TEXT, WORDS],
  ],
]
