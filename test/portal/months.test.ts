import { describe, expect, test } from 'vitest'
import { countDays, listLastMonths, listPastDays, parseMonth, parseYear } from '../../src/portal/months.ts'

const NOW = Date.UTC(2026, 10, 22, 7)

describe('parseMonth', () => {
  test.each([
    ['2026-11', '2026-11'],
    ['2026-10', '2026-10'],
    ['2000-01', '2000-01'],
    ['2026-12', null],
    ['2027-01', null],
    ['2026-00', null],
    ['2026-13', null],
    ['2026-1', null],
    ['1999-12', null],
    ['2026-11-01', null],
    ['', null],
    ['٢٠٢٦-١١', null],
  ])('%s → %s', (text, month) => {
    expect(parseMonth(text, NOW)).toBe(month)
  })
})

describe('parseYear', () => {
  test.each([
    ['2026', { first: '2026-01', last: '2026-12' }],
    ['2025', { first: '2025-01', last: '2025-12' }],
    ['2027', null],
    ['26', null],
    ['', null],
  ])('%s', (text, span) => {
    expect(parseYear(text, NOW)).toEqual(span)
  })
})

test.each([
  [NOW, 3, ['2026-11', '2026-10', '2026-09']],
  [Date.UTC(2026, 0, 31, 23, 59), 3, ['2026-01', '2025-12', '2025-11']],
  [Date.UTC(2028, 2, 31), 2, ['2028-03', '2028-02']],
])('the last months of %i', (now, count, months) => {
  expect(listLastMonths(now, count)).toEqual(months)
})

test.each([
  ['2026-02', 28],
  ['2028-02', 29],
  ['2026-11', 30],
  ['2026-12', 31],
])('%s has %i days', (month, count) => {
  expect(countDays(month)).toBe(count)
})

test.each([
  ['2026-11', NOW, 22, '2026-11-22'],
  ['2026-10', NOW, 31, '2026-10-31'],
  ['2026-11', Date.UTC(2026, 10, 1), 1, '2026-11-01'],
  ['2026-11', Date.UTC(2026, 10, 30, 23, 59, 59, 999), 30, '2026-11-30'],
])('days of %s that have begun', (month, now, count, last) => {
  const days = listPastDays(month, now)
  expect([days.length, days.at(-1), days[0]]).toEqual([count, last, `${month}-01`])
})
