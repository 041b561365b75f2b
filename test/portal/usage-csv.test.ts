import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUsageCsv } from '../../src/portal/usage-csv.ts'
import { codePoint } from '../support/code-point.ts'
import { countRuns } from '../support/property-runs.ts'
import { accountKey, dayRow, monthRow, slotsOf } from './usage-rows.ts'

const HEADER = 'month,day,slot,key,name,last_four,requests'
const first = accountKey({ id: 'key_1', name: 'First', secrets: [{ hash: '', lastFour: 'aB12', expiresAt: null }] })
const second = accountKey({ id: 'key_2', name: 'Second', secrets: [{ hash: '', lastFour: 'cD34', expiresAt: null }] })

function formatName(name: string): string {
  const key = accountKey({ name })
  const text = formatUsageCsv({ keys: [key], slots: slotsOf(key), months: [], days: [dayRow(key, '2026-11-01', 1)] })
  return (parse(text, { bom: true, columns: true }) as { name: string }[])[0].name
}

test('one row per slot and day, and one for what has no day', () => {
  const text = formatUsageCsv({
    keys: [first, second],
    slots: slotsOf(first, second),
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
    '2026-10,,1,key_1,First,aB12,8',
    '2026-11,,1,key_1,First,aB12,5',
    '2026-11,2026-11-03,1,key_1,First,aB12,5',
    '2026-11,2026-11-04,1,key_1,First,aB12,2',
    '2026-11,2026-11-03,2,key_2,Second,cD34,4',
    '',
  ])
})

test('a row names the key that was in the slot at the end of its day', () => {
  const created = (id: string, createdAt: string) =>
    accountKey({ id, name: id, counter: 'key_1', createdAt: new Date(createdAt), secrets: [] })
  const keys = [created('key_1', '2026-10-05T00:00Z'), created('key_2', '2026-11-03T23:59Z')]
  const slot = { account: 'account-1', slot: 4, counter: 'key_1' }
  const deleted = { account: 'account-1', slot: 5, counter: 'key_gone' }
  const row = (month: string, used: number) => monthRow(keys[0], month, used)
  const text = formatUsageCsv({
    keys,
    slots: [slot, deleted],
    months: [row('2026-09', 1), row('2026-10', 2), row('2026-11', 12), { ...row('2026-11', 3), counter: 'key_gone' }],
    days: [dayRow(keys[0], '2026-11-02', 5), dayRow(keys[0], '2026-11-03', 4), dayRow(keys[0], '2026-11-04', 3)],
  })
  expect(text.split('\r\n').slice(1, -1)).toEqual([
    '2026-09,,5,key_1,key_1,,1',
    '2026-10,,5,key_1,key_1,,2',
    '2026-11,2026-11-02,5,key_1,key_1,,5',
    '2026-11,2026-11-03,5,key_2,key_2,,4',
    '2026-11,2026-11-04,5,key_2,key_2,,3',
    '2026-11,,6,,,,3',
  ])
})

test('without usage there is only the header', () => {
  expect(formatUsageCsv({ keys: [first], slots: slotsOf(first), months: [], days: [] })).toBe(`\uFEFF${HEADER}\r\n`)
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

  test('any name is one cell', { tags: ['property'] }, () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: codePoint }), (name) => {
        expect([name, `'${name}`]).toContain(formatName(name))
      }),
      { numRuns: countRuns(40) },
    )
  })
})
