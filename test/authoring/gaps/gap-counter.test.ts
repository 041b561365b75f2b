import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GapCounter, type PageMarks } from '../../../src/authoring/gaps/gap-counter.ts'
import type { Mark } from '../../../src/authoring/gaps/mark.ts'
import { hashText, SiteSketch } from '../../../src/authoring/gaps/site-sketch.ts'

const mark = (key: string, isExplained = false, kind: Mark['kind'] = 'global'): Mark => ({
  kind,
  key,
  shown: `${key} = 1`,
  isExplained,
})
const page = (site: string, marks: readonly Mark[], more: Partial<PageMarks> = {}): PageMarks => ({
  page: `${site}/`,
  site,
  rules: [],
  builder: null,
  marks,
  ...more,
})

function count(...pages: readonly PageMarks[]): GapCounter {
  const counter = new GapCounter()
  for (const one of pages) counter.add(one, 'pages.jsonl')
  return counter
}

const sites = (n: number, name = 'site'): string[] => Array.from({ length: n }, (_, i) => `${name}${i}.com`)
const list = (counter: GapCounter): [string, number][] => counter.list(2).map(({ key, sites }) => [key, sites])

describe('gaps', () => {
  test('are ranked by sites: pages of one site count once', () => {
    const counter = count(
      ...['a', 'a', 'a', 'b'].map((site) => page(site, [mark('one')])),
      ...['a', 'b', 'c'].map((site) => page(site, [mark('two')])),
    )
    expect(list(counter)).toEqual([
      ['two', 3],
      ['one', 2],
    ])
  })

  test('have examples of three sites, and the builders of their pages', () => {
    const pages = sites(5).map((site, i) => page(site, [mark('one')], { builder: i < 3 ? 'Kiln' : null }))
    expect(count(...pages, pages[0]).list(2)).toMatchObject([
      {
        examples: sites(3).map((site) => ({ page: `${site}/`, file: 'pages.jsonl', shown: 'one = 1' })),
        builders: [
          ['Kiln', 4],
          [null, 2],
        ],
      },
    ])
  })

  test('leave out what is on one site, and what rules explain on as many sites', () => {
    const pages = sites(4).map((site, i) => page(site, [mark('half', i < 2), mark('most', i < 1), mark(`only${i}`)]))
    expect(list(count(...pages))).toEqual([['most', 3]])
  })

  test.each([
    ['the same rare rule', 'technology/kiln', 40, []],
    ['the same common rule', 'technology/kiln', 0, [['one', 3]]],
  ])('of pages that have %s', (_, rule, others, expected) => {
    const pages = sites(3).map((site) => page(site, [mark('one')], { rules: [rule] }))
    const rest = sites(others || 40, 'other').map((site) => page(site, [], { rules: others === 0 ? [rule] : [] }))
    expect(list(count(...pages, ...rest))).toEqual(expected)
  })

  test.each([
    ['a technology does not explain', 'technology/kiln', [['kiln', 3]]],
    ['a builder explains', 'builder/kiln', []],
  ])('%s a generator on the same pages', (_, rule, expected) => {
    const pages = sites(3).map((site) => page(site, [mark('kiln', false, 'generator')], { rules: [rule] }))
    expect(list(count(...pages, ...sites(40, 'other').map((site) => page(site, []))))).toEqual(expected)
  })

  test('are counted in bounded memory: frequent marks stay, those of one site go', () => {
    const counter = new GapCounter(100)
    for (const [i, site] of sites(2000).entries())
      counter.add(page(site, [mark(`rare${i}`), ...(i % 10 === 0 ? [mark('frequent')] : [])]), 'pages.jsonl')
    const [[key, found], ...rest] = list(counter)
    expect({ key, rest }).toEqual({ key: 'frequent', rest: [] })
    expect(found).toBeGreaterThan(140)
    expect(found).toBeLessThan(260)
  })
})

describe('SiteSketch', () => {
  const measure = (names: readonly string[]): number => {
    const sketch = new SiteSketch()
    for (const name of [...names, ...names]) sketch.add(hashText(name))
    return sketch.count
  }

  test('counts few sites exactly', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ maxLength: 8 }), { maxLength: 120 }), (names) => {
        // Two of 120 hashes are equal in one of 600,000 lists.
        expect(new Set(names.map(hashText)).size).toBe(measure(names))
      }),
    )
  })

  test.each([200, 5000, 100_000])('estimates %i sites', (n) => {
    expect(Math.abs(measure(sites(n)) / n - 1)).toBeLessThan(0.3)
  })
})
