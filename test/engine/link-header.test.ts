import { expect, test } from 'vitest'
import { readLinkHeaders } from '../../src/engine/page/link-header.ts'
import { buildPage, type PageInput } from '../../src/index.ts'

const readUrls = (input: PageInput): string[] =>
  buildPage(input).urls.map(({ kind, rel, url }) => [kind, ...rel, url.href].join(' '))

test.each<[string, string, string[]]>([
  ['a preload', '<https://cdn.example/a.css>; rel=preload; as=style', ['preload https://cdn.example/a.css']],
  ['quoted', '<https://cdn.example/a.css>; as="style"; rel="preload"', ['preload https://cdn.example/a.css']],
  ['several', '<https://a.example>; rel=preconnect, </b>;rel=preload', ['preconnect https://a.example', 'preload /b']],
  ['without spaces', '</a>;rel=preload,</b>;rel=prefetch', ['preload /a', 'prefetch /b']],
  ['several rels', '</a>; rel="Stylesheet PRELOAD"', ['stylesheet,preload /a']],
  ['the first rel', '</a>; rel=icon; rel=preload', ['icon /a']],
  ['a comma in a URL', '<https://a.example/w_1,h_2.png>; rel=preload', ['preload https://a.example/w_1,h_2.png']],
  ['a comma in a text', '</a>; title="a, b; rel=icon"; rel=preload', ['preload /a']],
  ['white space', '  < /a >  ;  rel = preload ', ['preload /a']],
  ['no rel', '</a>; as=style, </b>', []],
  ['an unclosed text', '</a>; title="a; rel=preload', []],
  ['an unclosed URL', '</a; rel=preload', []],
  ['no URL', 'rel=preload', []],
  ['nothing', '', []],
])('a Link header with %s', (_, value, expected) => {
  const links = [...readLinkHeaders([['link', value]])].map(({ target, rel }) => `${rel.join()} ${target}`)
  expect(links).toEqual(expected)
})

test.each<[string, PageInput, string[]]>([
  [
    'loads count as assets, connections as links alone',
    {
      url: 'https://acme.com/shop/',
      headers: { Link: ['</a.js>; rel=preload; as=script', '<https://b.example>; rel=preconnect'] },
    },
    ['link preload https://acme.com/a.js', 'asset https://acme.com/a.js', 'link preconnect https://b.example/'],
  ],
  [
    'a link is relative to the response, not to the base of the document',
    {
      url: 'https://acme.com/shop/',
      headers: { link: '<a.css>; rel=preload' },
      html: '<base href="https://cdn.example/x/"><img src=b.png>',
    },
    [
      'asset https://cdn.example/x/b.png',
      'link preload https://acme.com/shop/a.css',
      'asset https://acme.com/shop/a.css',
    ],
  ],
  [
    'without an address',
    { headers: { link: '<https://cdn.example/a.css>; rel=preload, </b.css>; rel=preload' } },
    [
      'link preload https://cdn.example/a.css',
      'asset https://cdn.example/a.css',
      'link preload /b.css',
      'asset /b.css',
    ],
  ],
  [
    'links that describe the document are none of its files',
    {
      url: 'https://acme.com/',
      headers: { link: '<https://acme.com/?p=7>; rel=shortlink, <https://acme.com/>; rel=canonical' },
    },
    [],
  ],
  ['an invalid URL', { url: 'https://acme.com/', headers: { link: '<http://[>; rel=preload' } }, []],
  ['another scheme', { url: 'https://acme.com/', headers: { link: '<data:,x>; rel=preload' } }, []],
])('URLs of Link headers: %s', (_, input, expected) => {
  expect(readUrls(input)).toEqual(expected)
})

test.each(['<', '<a>"', '<a>;', '; rel', '<>;rel="', '\t', '<a>;rel=preload,'])(
  'a Link header of a megabyte of %j is read in one pass',
  (part) => {
    const value = part.repeat(2 ** 20 / part.length)
    expect(() => [...readLinkHeaders([['link', value]])]).not.toThrow()
  },
)
