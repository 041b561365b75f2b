import { describe, expect, test } from 'vitest'
import { findFold, findPart, HELD_OUT_PART } from '../../src/authoring/fit/labelled-pages.ts'
import { minimize } from '../../src/authoring/fit/minimize.ts'
import { fitRegression, type Sample } from '../../src/authoring/fit/regression.ts'
import { type RulePoints, writePoints } from '../../src/authoring/fit/write-points.ts'

const RULE = `# a comment of the file
name: Shop
detect:
  - meta: a                       # a comment of the clause
  - { meta: b, points: { shop: 7 } }
  - all:
      - { meta: c }               # inside
      - { meta: d }
    points: { shop: 9, blog: -4 }
source: https://example.com/
`

describe('writePoints', () => {
  test.each<[what: string, RulePoints, RegExp | string]>([
    ['inserts the prior', { prior: -12, clauses: [{}, { shop: 7 }, { shop: 9, blog: -4 }] }, '\nprior: -12\ndetect:\n'],
    ['adds a key to a block', { prior: 0, clauses: [{ shop: 3 }, {}, {}] }, '  - meta: a\n    points: { shop: 3 }'],
    [
      'replaces points',
      { prior: 0, clauses: [{}, { shop: -5, blog: 4 }, {}] },
      '{ meta: b, points: { shop: -5, blog: 4 } }',
    ],
    ['removes the key from a flow map', { prior: 0, clauses: [{}, {}, { shop: 1 }] }, '  - { meta: b }\n'],
    ['removes the key from a block', { prior: 0, clauses: [{}, {}, {}] }, '      - { meta: d }\nsource:'],
    [
      'keeps comments',
      { prior: 0, clauses: [{}, {}, {}] },
      /^# a comment of the file\n[\s\S]*# a comment of the clause\n[\s\S]*# inside\n/,
    ],
  ])('%s', (_, points, expected) => {
    const written = writePoints(RULE, points)
    if (typeof expected === 'string') expect(written).toContain(expected)
    else expect(written).toMatch(expected)
    expect(writePoints(written, points)).toBe(written)
  })

  test('needs points for each clause', () => {
    expect(() => writePoints(RULE, { prior: 0, clauses: [{}] })).toThrow('a rule with 1 clauses is needed')
  })
})

test('minimize finds the minimum of an uneven bowl', () => {
  const centre = [3, -2, 0.5]
  const steepness = [1, 40, 400]
  const point = minimize(
    (at) => ({
      value: centre.reduce((sum, c, i) => sum + steepness[i] * (at[i] - c) ** 2, 0),
      slope: Float64Array.from(centre, (c, i) => 2 * steepness[i] * (at[i] - c)),
    }),
    new Float64Array(3),
    { maxSteps: 100, minGain: 1e-12 },
  )
  for (const [i, c] of centre.entries()) expect(point[i]).toBeCloseTo(c, 4)
})

describe('fitRegression', () => {
  // Column 0 shows class 0, column 1 shows class 1, column 2 shows nothing, column 3 occurs nowhere and belongs to class 1.
  const pages = Array.from({ length: 60 }, (_, i) => ({
    label: i % 2,
    row: [i % 10 === 0 ? 1 - (i % 2) : i % 2, ...(i % 3 ? [2] : [])],
  }))
  const sample: Sample = {
    rows: pages.map(({ row }) => row),
    labels: pages.map(({ label }) => label),
    offsets: pages.map(() => new Float64Array(3)),
  }
  const shape = { columns: 4, classes: 3, fitted: [0, 1], owners: [0, 1, 0, 1], minWeight: 0.2 }
  const { weights, biases } = fitRegression(sample, shape)
  const weight = (column: number, k: number): number => weights[column * shape.classes + k]

  test('evidence speaks for its class and against the other', () => {
    expect(weight(0, 0)).toBeGreaterThan(0.5)
    expect(weight(1, 1)).toBeGreaterThan(0.5)
    expect(weight(1, 0)).toBeLessThan(0)
  })

  test('a column that occurs nowhere keeps what its author expects, and nothing for others', () => {
    expect(weight(3, 1)).toBeCloseTo(1.3, 2)
    expect(weight(3, 0)).toBe(0)
  })

  test('classes that are not fitted have no weights', () => {
    expect([0, 1, 2, 3].map((column) => weight(column, 2))).toEqual([0, 0, 0, 0])
    expect(biases[2]).toBe(0)
  })

  test('weights that are too small are left out', () => {
    expect([...weights].filter((value) => value !== 0 && Math.abs(value) < 0.2)).toEqual([])
  })

  test('equal samples give equal models', () => {
    expect(fitRegression(sample, shape).weights).toEqual(weights)
  })
})

test('sites are divided evenly, and parts and folds are independent', () => {
  const sites = Array.from({ length: 2000 }, (_, i) => `site-${i}.example`)
  const rest = sites.filter((site) => findPart(site) !== HELD_OUT_PART)
  expect(rest.length).toBeGreaterThan(1500)
  expect(rest.length).toBeLessThan(1700)
  for (const fold of [0, 1, 2, 3, 4]) {
    const size = rest.filter((site) => findFold(site) === fold).length
    expect(size).toBeGreaterThan(250)
    expect(size).toBeLessThan(400)
  }
})
