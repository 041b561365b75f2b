import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUsageCsv } from '../../src/portal/usage-csv.ts'
import { codePoint } from '../support/code-point.ts'
import { accountKey, dayRow, monthRow } from './usage-rows.ts'

const HEADER = 'month,day,key,name,last_four,requests'
const first = accountKey({ id: 'key_1', name: 'First', secrets: [{ hash: '', lastFour: 'aB12', expiresAt: null }] })
const second = accountKey({ id: 'key_2', name: 'Second', secrets: [{ hash: '', lastFour: 'cD34', expiresAt: null }] })

function formatName(name: string): string {
  const key = accountKey({ name })
  const text = formatUsageCsv({ keys: [key], months: [], days: [dayRow(key, '2026-11-01', 1)] })
  return (parse(text, { bom: true, columns: true }) as { name: string }[])[0].name
}

test('one row per key and day, and one for what has no day', () => {
  const text = formatUsageCsv({
    keys: [first, second],
    months: [monthRow(first, '2026-11', 12), monthRow(second, '2026-11', 4), monthRow(first, '2026-10', 8)],
    days: [
      dayRow(second, '2026-11-03', 4),
      dayRow(first, '2026-11-04', 2),
      dayRow(first, '2026-11-03', 5),
      dayRow(first, '2026-11-05', 0),
    ],
  })
  expect(text.split('\r\n')).toEqual([
    `\uFEFF${HEADER}`,
    '2026-10,,key_1,First,aB12,8',
    '2026-11,,key_1,First,aB12,5',
    '2026-11,2026-11-03,key_1,First,aB12,5',
    '2026-11,2026-11-04,key_1,First,aB12,2',
    '2026-11,2026-11-03,key_2,Second,cD34,4',
    '',
  ])
})

test('without usage there is only the header', () => {
  expect(formatUsageCsv({ keys: [first], months: [], days: [] })).toBe(`\uFEFF${HEADER}\r\n`)
})

describe('a name cannot become a formula', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['=HYPERLINK("http://evil.example","x"),2', '\'=HYPERLINK("http://evil.example","x"),2'],
    ['\uFF1D1+1', "'\uFF1D1+1"],
    ['a=1', 'a=1'],
    ['say "hi", please', 'say "hi", please'],
    ['Приложение 🚀', 'Приложение 🚀'],
  ])('%s', (name, cell) => {
    expect(formatName(name)).toBe(cell)
  })

  test('any name is one cell', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: codePoint }), (name) => {
        expect([name, `'${name}`]).toContain(formatName(name))
      }),
      { numRuns: 40 },
    )
  })
})
