import { describe, expect, test } from 'vitest'
import { buildPage } from '../../src/engine/page/page.ts'
import type { Page, UrlKind } from '../../src/engine/page/page-types.ts'

const ADDRESS = 'https://www.example.com/dir/page.html?q=1#part'
const buildHtmlPage = (html: string, url: string | null = ADDRESS): Page => buildPage({ url, html })

/** Groups URLs by kind. URLs of the page's own host are shown from the path on. */
function groupUrls({ urls }: Page): Partial<Record<UrlKind, string[]>> {
  const found: Partial<Record<UrlKind, string[]>> = {}
  for (const { kind, url } of urls)
    found[kind] = [...(found[kind] ?? []), url.href.replace('https://www.example.com', '')]
  return found
}

test.each<[string, string, Partial<Record<UrlKind, string[]>>]>([
  ['script', '<script src="/a.js"></script>', { script: ['/a.js'], asset: ['/a.js'] }],
  ['image', '<img src="a.png?2#x">', { asset: ['/dir/a.png?2'] }],
  [
    'nothing in a template, except in a declarative shadow root',
    '<template><p><img src=/a.png></p><script src=/b.js></script></template><template shadowrootmode=open><img src=/c.png></template><img src=/d.png>',
    { asset: ['/c.png', '/d.png'] },
  ],
  ['input', '<input type=image src="/a.png">', { asset: ['/a.png'] }],
  ['lazy image', '<img data-src="/a.png"><img data-lazy-src="/b.png">', { asset: ['/a.png', '/b.png'] }],
  [
    'script that another script starts',
    '<script data-src="/a.js"></script><script data-rocket-src="/b.js"></script><script data-cmp-src="/c.js"></script>',
    { script: ['/a.js', '/b.js', '/c.js'], asset: ['/a.js', '/b.js', '/c.js'] },
  ],
  [
    'video',
    '<video poster="/a.png" src="/a.mp4"><source src="/b.mp4"></video>',
    { asset: ['/a.png', '/a.mp4', '/b.mp4'] },
  ],
  ['background', '<td background="/a.png">', { asset: ['/a.png'] }],
  [
    'srcset, by density and width',
    '<img srcset="/a.png, /b.png 2x,/c.png 640w ,/d.png">',
    { asset: ['/a.png', '/b.png', '/c.png', '/d.png'] },
  ],
  [
    'srcset, commas in a URL',
    '<source srcset="https://x.com/w_1,h_2/a.png 1x, https://x.com/w_2,h_4/a.png">',
    { asset: ['https://x.com/w_1,h_2/a.png', 'https://x.com/w_2,h_4/a.png'] },
  ],
  ['srcset, a name like a descriptor', '<img srcset="2x 1x">', { asset: ['/dir/2x'] }],
  ['srcset, nothing', '<img srcset=" , ,, ">', {}],
  ['lazy srcset', '<img data-srcset="/a.png 1x, /b.png 2x">', { asset: ['/a.png', '/b.png'] }],
  ['imagesrcset', '<link rel=preload imagesrcset="/a.png 1x">', { asset: ['/a.png'] }],
  [
    'style attribute',
    `<p style="background:url(/a.png),url( '/b.png' ),URL(&quot;/c.png&quot;)">`,
    { asset: ['/a.png', '/b.png', '/c.png'] },
  ],
  [
    'style sheet',
    '<style>@import "/a.css"; @import url(/b.css) screen; p{background:url("c d.png")}</style>',
    { asset: ['/a.css', '/b.css', '/dir/c%20d.png'] },
  ],
  [
    'url() that is never closed',
    '<p style="background:url(/a.png"><p style="background:url(url(/b.png)">',
    { asset: ['/b.png'] },
  ],
  ['style sheet tag', '<link rel="StyleSheet" href="/a.css">', { link: ['/a.css'], asset: ['/a.css'] }],
  ['icon', '<link rel="shortcut icon" href="/a.ico">', { link: ['/a.ico'], asset: ['/a.ico'] }],
  ['touch icon', '<link rel=apple-touch-icon href="/a.png">', { link: ['/a.png'], asset: ['/a.png'] }],
  ['manifest', '<link rel=manifest href="/a.json">', { link: ['/a.json'], asset: ['/a.json'] }],
  ['preload', '<link rel=preload href="/a.woff2" as=font>', { link: ['/a.woff2'], asset: ['/a.woff2'] }],
  ['modulepreload', '<link rel=modulepreload href="/a.mjs">', { link: ['/a.mjs'], asset: ['/a.mjs'] }],
  [
    'a link that loads nothing',
    '<link rel=canonical href="/a"><link rel=preconnect href="https://x.com">',
    { link: ['/a', 'https://x.com/'] },
  ],
  ['frames', '<iframe src="/a"></iframe><embed src="/b"><object data="/c"></object>', { frame: ['/a', '/b', '/c'] }],
  [
    'lazy frame',
    '<iframe data-src="/a"></iframe><iframe data-lazy-src="/b"></iframe><iframe data-cmp-src="/c"></iframe>',
    { frame: ['/a', '/b', '/c'] },
  ],
  ['anchor', '<a href="//x.com/b?c#d">', { anchor: ['https://x.com/b?c'] }],
  ['data and href of other elements', '<p data="/a" href="/b">', {}],
  [
    'URLs that do not lead to a page or file',
    '<a href="#top"><a href=""><a href="javascript:x()"><a href="mailto:a@b.c"><a href="tel:1"><img src="data:,x"><img src="blob:x">',
    {},
  ],
  ['invalid URLs', '<a href="https://"><a href="http://[::1">', {}],
  ['surrounding white space', '<a href=" /a\n">', { anchor: ['/a'] }],
  [
    'host and escapes',
    '<a href="HTTPS://BÜCHER.example:8080/%7Ea/../b c">',
    { anchor: ['https://xn--bcher-kva.example:8080/b%20c'] },
  ],
])('%s', (_, html, expected) => {
  expect(groupUrls(buildHtmlPage(html))).toEqual(expected)
})

test('an element and its rel tokens are known', () => {
  const { urls, tape } = buildHtmlPage('<p><link REL=" Icon  alternate " href=/a>')
  expect(urls.map(({ kind, rel, at }) => [kind, rel, tape.tags[at]])).toEqual([
    ['link', ['icon', 'alternate'], 'link'],
    ['asset', [], 'link'],
  ])
})

describe('URLs are resolved against the base', () => {
  test.each<[string, string, string | null, string, boolean | null]>([
    ['the page', '<a href="b">', ADDRESS, 'https://www.example.com/dir/b', true],
    ['base', '<base href="/other/"><a href="b">', ADDRESS, 'https://www.example.com/other/b', true],
    [
      'base of another host: a relative URL is own',
      '<base href="https://cdn.net/"><a href="b">',
      ADDRESS,
      'https://cdn.net/b',
      true,
    ],
    ['base after the link', '<a href="b"><base href="/other/">', ADDRESS, 'https://www.example.com/other/b', true],
    [
      'the first base with an address',
      '<base target=_blank><base href="/one/"><base href="/two/"><a href="b">',
      ADDRESS,
      'https://www.example.com/one/b',
      true,
    ],
    ['an invalid base', '<base href="javascript:"><a href="b">', ADDRESS, 'https://www.example.com/dir/b', true],
    ['no page address', '<a href="b?c">', null, '/b?c', true],
    [
      'no page address, but a base',
      '<base href="https://example.com/x/"><a href="b">',
      null,
      'https://example.com/x/b',
      true,
    ],
    [
      'no page address: an absolute URL is neither own nor other',
      '<a href="https://example.com/">',
      null,
      'https://example.com/',
      null,
    ],
    [
      'no page address, but a base: an absolute URL is neither',
      '<base href="https://example.com/"><a href="https://example.com/b">',
      null,
      'https://example.com/b',
      null,
    ],
    ['same host', '<a href="https://www.example.com/">', ADDRESS, 'https://www.example.com/', true],
    ['same registrable domain', '<a href="//cdn.example.com/">', ADDRESS, 'https://cdn.example.com/', true],
    ['another domain', '<a href="//example.net/">', ADDRESS, 'https://example.net/', false],
    ['a domain with the same ending', '<a href="//notexample.com/">', ADDRESS, 'https://notexample.com/', false],
    ['a public suffix', '<a href="//b.co.uk/">', 'http://a.co.uk/', 'http://b.co.uk/', false],
    ['a private suffix', '<a href="//b.github.io/">', 'https://a.github.io/', 'https://b.github.io/', false],
    ['below a private suffix', '<a href="//x.a.github.io/">', 'https://a.github.io/', 'https://x.a.github.io/', true],
    ['an IP address', '<a href="//192.0.2.2/">', 'https://192.0.2.1/', 'https://192.0.2.2/', false],
  ])('%s', (_, html, url, href, own) => {
    const [use] = buildHtmlPage(html, url).urls
    expect([use.url.href, use.url.own]).toEqual([href, own])
  })

  test.each<[string, string | null, string | undefined]>([
    ['without fragment', ADDRESS, 'https://www.example.com/dir/page.html?q=1'],
    ['with a path', 'http://EXAMPLE.com', 'http://example.com/'],
    ['none', null, undefined],
  ])("the page's own URL: %s", (_, url, href) => {
    expect(buildHtmlPage('<base href="https://cdn.net/">', url).url?.href).toBe(href)
  })

  test.each(['/page', 'example.com', 'ftp://example.com/', 'javascript:1', ''])(
    '%j is rejected as the URL of a page',
    (url) => {
      expect(() => buildHtmlPage('', url)).toThrow(TypeError)
    },
  )
})

test('10,000 different links leave the address of the page and its scripts known', () => {
  const links = Array.from({ length: 10_001 }, (_, i) => `<a href="/${i}">${i}</a>`).join('')
  const scripts = [{ url: 'https://www.example.com/assets/app.js', text: 'let a' }]
  const page = buildPage({ url: ADDRESS, html: `<script src="/assets/app.js"></script>${links}`, scripts })
  expect(page.url?.href).toBe('https://www.example.com/dir/page.html?q=1')
  expect(page.bundles?.bodies.map(({ text }) => text)).toEqual(['let a'])
  expect(page.warnings).toHaveLength(1)
})

test.each<[string, string[], Partial<Record<UrlKind, string[]>>]>([
  ['preload', ['</a.js>; rel=preload; as=script'], { link: ['/a.js'], asset: ['/a.js'] }],
  ['preconnect', ['<https://cdn.example>; rel="preconnect"'], { link: ['https://cdn.example/'] }],
  [
    'several, with a comma and an arrow in quotes',
    ['<a.css>; title="1, <2>"; rel="preload next", <https://x.example/b>; REL=canonical', '</c.css>;rel=stylesheet'],
    { link: ['/dir/a.css', '/c.css'], asset: ['/dir/a.css', '/c.css'] },
  ],
  ['without a rel or a target', ['</a.js>; as=script, rel=preload, </b.js', ''], {}],
])('a Link header: %s', (_, headers, expected) => {
  const page = buildPage({ url: ADDRESS, html: '<base href="https://base.example/">', headers: { link: headers } })
  expect(groupUrls(page)).toEqual(expected)
})

test('a Link header of the longest value that a server may send is bounded', () => {
  for (const part of ['<', '<a>;', '<a>;rel="', '<a>; rel=preload,', '"'])
    expect(buildPage({ url: ADDRESS, headers: { link: part.repeat(100_000) } }).urls.length).toBeLessThanOrEqual(50_000)
})
