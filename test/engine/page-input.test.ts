import { expect, test } from 'vitest'
import { buildPage, type PageInput } from '../../src/engine/page/page.ts'
import type { Page } from '../../src/engine/page/page-types.ts'

test.each<[string, PageInput['headers'], Page['headers']]>([
  ['absent', undefined, null],
  ['an empty object', {}, []],
  [
    'names and values',
    { Server: ' nginx ', 'X-A': '' },
    [
      ['server', 'nginx'],
      ['x-a', ''],
    ],
  ],
  [
    'lists of values',
    { 'Set-Cookie': ['a=1', 'b=2'] },
    [
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ],
  ],
  [
    'pairs',
    [
      ['Set-Cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ],
    [
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ],
  ],
  [
    'a map',
    new Map<string, string | string[]>([['A', ['1', ' 2']]]),
    [
      ['a', '1'],
      ['a', '2'],
    ],
  ],
  ['a Headers object', new Headers({ 'X-A': '1' }), [['x-a', '1']]],
])('headers: %s', (_, headers, expected) => {
  expect(buildPage({ ...(headers !== undefined && { headers }) }).headers).toEqual(expected)
})

test.each<[key: string, values: unknown[]]>([
  ['url', [5, '', {}]],
  ['status', ['200', 200.5, NaN, {}]],
  ['headers', ['x', 5, { a: 5 }, { a: [5] }, { a: null }, ['a'], [['a']], [['a', 5]], [[5, 'a']], new Map([['a', 5]])]],
  ['html', [5, {}, ['x'], new ArrayBuffer(1)]],
  ['dns', ['x', 5, { a: '1.2.3.4' }, { a: [5] }, { a: null }, ['a']]],
  ['tls', ['x', 5, true, { issuer: 5 }, { names: 'a.com' }, { names: [5] }]],
  ['robots', [5, {}]],
  ['favicon', ['5', {}]],
  [
    'scripts',
    ['x', {}, [5], [null], [{ url: '/a.js' }], [{ text: 'a' }], [{ url: 5, text: 'a' }], [{ url: '/a.js', text: 5 }]],
  ],
  ['styles', ['x', {}, [{ url: '/a.css', text: null }]]],
])('%s of another type throws a TypeError', (key, values) => {
  for (const value of values) expect(() => buildPage({ [key]: value })).toThrow(new RegExp(`^${key} must be `))
})

test('absent and null values mean that a place was not looked at', () => {
  const nothing = { url: null, status: null, headers: null, dns: null, tls: null, robots: null, favicon: null }
  const bodies = { bundles: null, stylesheets: null }
  expect(buildPage({})).toMatchObject({ ...nothing, ...bodies })
  expect(buildPage({ scripts: null, styles: null })).toMatchObject(bodies)
  expect(buildPage({ ...nothing, html: null })).toMatchObject({
    ...nothing,
    html: '',
    text: '',
    words: 0,
    title: null,
    warnings: [],
  })
})
