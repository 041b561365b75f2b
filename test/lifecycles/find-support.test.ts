import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findSupport, isExact } from '../../src/lifecycles/find-support.ts'
import type { Cycle, Lifecycles, Product } from '../../src/lifecycles/lifecycle-types.ts'
import { ownFolder } from '../../src/rules/built.ts'

const { products } = JSON.parse(readFileSync(join(ownFolder, 'lifecycles.json'), 'utf8')) as Lifecycles

/** Versions as pages show them, with the cycle that they belong to and its state on this day. */
const DAY = '2026-11-27'
const VERSIONS: readonly (readonly [slug: string, version: string, cycle: string | null, state: string])[] = [
  ['jquery', '1.12.4', '1', 'ended'],
  ['jquery', '2.2.4', '2', 'ended'],
  ['jquery', '3.7.1', '3', 'supported'],
  ['jquery', '4.0.0', '4', 'supported'],
  ['jquery', '3', '3', 'supported'],
  ['jquery', '1.x', '1', 'ended'],
  ['jquery-ui', '1.12.1', '1.12', 'ended'],
  ['jquery-ui', '1.14.1', '1.14', 'supported'],
  ['wordpress', '7.1', '7.1', 'supported'],
  ['wordpress', '7.0.2', '7.0', 'ended'],
  ['wordpress', '6.9.7', '6.9', 'ended'],
  ['wordpress', '6.4.2', '6.4', 'ended'],
  ['wordpress', '4.9.8', '4.9', 'ended'],
  ['wordpress', '6', null, 'ended'],
  ['wordpress', '7', null, 'unknown'],
  ['angular', '17.3.0', '17', 'ended'],
  ['angular', '20.3.1', '20', 'security-only'],
  ['angular', '21.0.4', '21', 'security-only'],
  ['angular', '22.1.3', '22', 'supported'],
  ['angularjs', '1.8.2', '1.8', 'ended'],
  ['php', '5.6.40', '5.6', 'ended'],
  ['php', '7.4.33', '7.4', 'ended'],
  ['php', '8.2.30', '8.2', 'security-only'],
  ['php', '8.3.6', '8.3', 'security-only'],
  ['php', '8.4.1', '8.4', 'supported'],
  ['php', '8.5.9', '8.5', 'supported'],
  ['php', '8', null, 'unknown'],
  ['php', '7', null, 'ended'],
  ['drupal', '7.98', '7', 'ended'],
  ['drupal', '9', null, 'ended'],
  ['drupal', '10', null, 'unknown'],
  ['drupal', '10.6.2', '10.6', 'security-only'],
  ['drupal', '11.2.1', '11.2', 'ended'],
  ['drupal', '11.4.0', '11.4', 'supported'],
  ['bootstrap', '3.3.7', '3', 'ended'],
  ['bootstrap', '4.6.2', '4', 'ended'],
  ['bootstrap', '5.3.3', '5', 'supported'],
  ['nginx', '1.18.0', '1.18', 'ended'],
  ['nginx', '1.30.1', '1.30', 'supported'],
  ['nginx', '1.31.2', '1.31', 'supported'],
  ['nginx', '1.2', '1.2', 'ended'],
  ['apache', '2.2.34', '2.2', 'ended'],
  ['apache', '2.4.38', '2.4', 'supported'],
  ['openssl', '1.1.1d', '1.1.1', 'ended'],
  ['openssl', '1.0.2k-fips', '1.0.2', 'ended'],
  ['openssl', '3.0.2', '3.0', 'ended'],
  ['react', '16.14.0', '16', 'security-only'],
  ['react', '18.3.1', '18', 'security-only'],
  ['react', '19.2.0', '19', 'supported'],
  ['nextjs', '12.3.4', '12', 'ended'],
  ['nextjs', '15.5.0', '15', 'ended'],
  ['nuxt', '2.17.0', '2', 'ended'],
  ['joomla', '3.10.12', '3', 'ended'],
  ['joomla', '5.4.1', '5', 'security-only'],
  ['magento', '2.4', null, 'unknown'],
  ['magento', '2.3.7-p4', '2.3', 'ended'],
  ['magento', '2.4.8-p1', '2.4.8', 'supported'],
  ['typo3', '11.5.30', '11', 'ended'],
  ['mediawiki', '1.39.11', '1.39', 'ended'],
  ['django', '4.2.9', '4.2', 'ended'],
  ['ruby', '3.1.4', '3.1', 'ended'],
  ['node-js', '18.20.1', '18', 'ended'],
  ['mysql', '5.7.44', '5.7', 'ended'],
  ['debian', '10', '10', 'ended'],
  ['svelte', '4.2.0', '4', 'ended'],
  ['matomo', '5.1.0', '5', 'supported'],
]

/**
 * A second reading of the same data, in another way: names and versions as lists of numbers and words, and days as times. It shares no
 * code with the first one.
 */
function readAgain({ cycles }: Product, version: string): { cycle: string | null; state: string } {
  const stated = splitName(version).filter((part) => part !== 'x')
  const isPartOf = (short: readonly string[], long: readonly string[]): boolean =>
    short.length <= long.length && short.every((part, at) => part === long[at])
  const below = cycles.filter(({ cycle }) => isPartOf(stated, splitName(cycle)))
  const above = cycles.filter(({ cycle }) => isPartOf(splitName(cycle), stated))
  const longest = above.toSorted((a, b) => splitName(b.cycle).length - splitName(a.cycle).length).slice(0, 1)
  const possible = below.length > 0 ? below : longest
  const states = new Set(possible.map(readState))
  return {
    cycle: possible.length === 1 ? possible[0].cycle : null,
    state: states.size === 1 ? [...states][0] : 'unknown',
  }
}

function splitName(name: string): readonly string[] {
  return name.match(/\d+|[a-z]+/g) ?? []
}

function readState({ ends, activeEnds = false }: Cycle): string {
  const noon = Date.parse(`${DAY}T12:00:00Z`)
  const isOver = (last: string | boolean): boolean =>
    typeof last === 'boolean' ? last : Date.parse(`${last}T23:59:59Z`) < noon
  return isOver(ends) ? 'ended' : isOver(activeEnds) ? 'security-only' : 'supported'
}

test.each(VERSIONS)('%s %s is of cycle %j: %s', (slug, version, cycle, state) => {
  expect(findSupport(products[slug], version, DAY)).toMatchObject({ cycle, state })
  expect(readAgain(products[slug], version)).toEqual({ cycle, state })
})

test('the table has versions of many products', () => {
  expect(VERSIONS.length).toBeGreaterThanOrEqual(60)
  expect(new Set(VERSIONS.map(([slug]) => slug)).size).toBeGreaterThanOrEqual(25)
})

test('both readings agree on the latest version of every cycle', () => {
  const differing = Object.entries(products).flatMap(([slug, product]) =>
    product.cycles.flatMap(({ latest = '' }) => {
      const { cycle, state } = findSupport(product, latest.toLowerCase(), DAY)
      const again = readAgain(product, latest.toLowerCase())
      return cycle === again.cycle && state === again.state ? [] : [`${slug} ${latest}: ${state}, ${again.state}`]
    }),
  )
  expect(differing).toEqual([])
})

const PRODUCT: Product = {
  product: 'acme',
  cpe: null,
  npm: null,
  cycles: [
    { cycle: '3', released: '2025-01-01', ends: false, latest: '3.1' },
    { cycle: '2.10', released: '2024-01-01', activeEnds: '2026-01-31', ends: '2026-06-30', latest: '2.10.4' },
    { cycle: '2.1', released: '2023-01-01', ends: '2026-06-30', latest: '2.1.9' },
    { cycle: '1', released: '2020-01-01', ends: true },
  ],
}
const NONE = { cycle: null, state: 'unknown', ends: null, latest: null }

describe('one file gives other states on other days', () => {
  test.each([
    ['2026-01-31', 'supported'],
    ['2026-02-01', 'security-only'],
    ['2026-06-30', 'security-only'],
    ['2026-07-01', 'ended'],
  ])('on %s: %s', (day, state) => {
    const support = { cycle: '2.10', state, ends: '2026-06-30', latest: '2.10.4' }
    expect(findSupport(PRODUCT, '2.10.2', day)).toEqual(support)
  })
})

test.each([
  ['2', '2026-01-31', { ...NONE, state: 'supported', ends: '2026-06-30' }],
  ['2.x', '2026-02-01', NONE],
  ['2.*', '2026-07-01', { ...NONE, state: 'ended', ends: '2026-06-30' }],
  ['v3.0.1', '2026-07-01', { cycle: '3', state: 'supported', ends: null, latest: '3.1' }],
  ['2.100', '2026-07-01', NONE],
  ['30.1', '2026-07-01', NONE],
  ['4.0', '2026-07-01', NONE],
  ['1.5-beta', '2026-07-01', { cycle: '1', state: 'ended', ends: null, latest: null }],
  ['', '2026-07-01', NONE],
  ['x', '2026-07-01', NONE],
  ['constructor', '2026-07-01', NONE],
])('version %j on %s', (version, day, support) => {
  expect(findSupport(PRODUCT, version, day)).toEqual(support)
})

test.each([
  ['2.10.2', true],
  ['2.1', true],
  ['2', false],
  ['3', false],
  ['3.x', false],
  ['9.9', true],
])('version %s is exact: %s', (version, exact) => {
  expect(isExact(PRODUCT, version)).toBe(exact)
})
