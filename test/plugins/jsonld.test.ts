import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PageInput } from '../../src/engine/page/page.ts'
import { html, readFinds } from '../engine/support/finds.ts'
import { damageJson, listDamaged } from '../support/arbitrary-json.ts'

const ld = (...blocks: unknown[]): PageInput =>
  html(blocks.map((block) => `<script type="application/ld+json">${JSON.stringify(block)}</script>`).join(''))

test.each<[what: string, words: string[], PageInput, [string, string][]]>([
  ['a type', ['Shop'], ld({ '@type': 'Shop', name: 'A' }, { '@type': 'Other' }), [['Shop', 'A']]],
  [
    'a type in any case, with its vocabulary',
    ['shop'],
    ld({ '@type': 'https://schema.org/Shop' }, { '@type': 'schema:SHOP' }),
    [
      ['Shop', ''],
      ['SHOP', ''],
    ],
  ],
  [
    'lists of types',
    ['Shop', 'Place'],
    ld({ '@type': ['Shop', 'Place'], url: '/a' }),
    [
      ['Shop', '/a'],
      ['Place', '/a'],
    ],
  ],
  [
    'lists, @graph and nested nodes',
    ['Shop'],
    ld(
      [{ '@type': 'Shop', name: 'A' }],
      { '@graph': [{ '@type': 'Shop', name: 'B' }] },
      { '@type': 'Page', about: { '@type': 'Shop', name: 'C' } },
    ),
    [
      ['Shop', 'A'],
      ['Shop', 'B'],
      ['Shop', 'C'],
    ],
  ],
  [
    'a field',
    ['Shop.offers.price'],
    ld({ '@type': 'Shop', offers: { price: 1.5 } }),
    [
      ['Shop', ''],
      ['Shop.offers', ''],
      ['Shop.offers.price', '1.5'],
    ],
  ],
  [
    'a field with several values, including objects',
    ['Shop.seller'],
    ld({ '@type': 'Shop', seller: ['A', { name: 'B' }, { '@id': '#c' }, null, true] }),
    [
      ['Shop', ''],
      ['Shop.seller', 'A'],
      ['Shop.seller', 'B'],
      ['Shop.seller', '#c'],
      ['Shop.seller', 'true'],
    ],
  ],
  ['not a field of another type', ['Shop.price'], ld({ '@type': 'Other', price: 1 }), []],
  ['invalid types', ['Shop'], ld({ '@type': { a: 'Shop' } }, { '@type': null }, { type: 'Shop' }, 'Shop', 1), []],
])('%s', (_, words, input, expected) => {
  expect(readFinds('jsonld', words, input)).toEqual(expected)
})

const SHOP = {
  '@context': 'https://schema.org',
  '@graph': [
    { '@type': ['Shop', 'Place'], name: 'A', url: '/a', '@id': '#a', offers: [{ '@type': 'Offer', price: 7 }] },
  ],
}

test('data with any types of values is read', { tags: ['property'] }, () => {
  const words = ['Shop', 'Place', 'Offer', 'Shop.name', 'Shop.offers.price', 'Offer.price']
  const read = (text: string) => readFinds('jsonld', words, html(`<script type="application/ld+json">${text}</script>`))
  expect(read(JSON.stringify(SHOP))).toHaveLength(7)
  for (const text of listDamaged(SHOP)) read(text)
  fc.assert(fc.property(damageJson(SHOP), (text) => void read(text)))
})
