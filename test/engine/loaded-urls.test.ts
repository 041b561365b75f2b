import { expect, test } from 'vitest'
import { preparePageInput } from '../../src/engine/page/page-input.ts'
import { buildPage, type PageInput } from '../../src/index.ts'

const url = 'https://acme.com/shop/'
const html = '<script src=/a.js></script><a href=/b>b</a>'

test.each<[string, PageInput['loaded'], string[]]>([
  ['nothing', null, []],
  [
    'a script, which is also an asset',
    [{ url: 'https://cdn.example/x.js', kind: 'script' }],
    ['script https://cdn.example/x.js', 'asset https://cdn.example/x.js'],
  ],
  ['an asset, relative to the page', [{ url: 'x.png', kind: 'asset' }], ['asset https://acme.com/shop/x.png']],
  ['a frame', [{ url: '//video.example/1', kind: 'frame' }], ['frame https://video.example/1']],
  ['no other scheme', [{ url: 'data:text/css,x', kind: 'asset' }], []],
])('URLs that a browser loaded follow those of the HTML: %s', (_, loaded, expected) => {
  const own = ['script https://acme.com/a.js', 'asset https://acme.com/a.js', 'anchor https://acme.com/b']
  const input = preparePageInput({ url, html, ...(loaded !== undefined && { loaded }) })
  expect(buildPage(input).urls.map((one) => `${one.kind} ${one.url.href}`)).toEqual([...own, ...expected])
})

test.each<[string, unknown]>([
  ['not a list', { url: 'x', kind: 'asset' }],
  ['a text', ['x']],
  ['null', [null]],
  ['without a kind', [{ url: 'x' }]],
  ['an unknown kind', [{ url: 'x', kind: 'anchor' }]],
  ['a URL object', [{ url: new URL(url), kind: 'asset' }]],
])('loaded that is %s throws a TypeError', (_, loaded) => {
  expect(() => buildPage({ html, loaded } as PageInput)).toThrow(
    new TypeError('loaded must be a list of {url, kind}, where kind is script, asset or frame, or null'),
  )
})
