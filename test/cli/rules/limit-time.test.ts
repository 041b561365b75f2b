import { describe, expect, test } from 'vitest'
import { limitTime } from '../../../src/cli/rules/limit-time.ts'

/** Far more than the functions of these tests need. */
const LONG_MS = 600_000

describe('limitTime', () => {
  test('returns what the function returns', () => {
    expect(limitTime(() => [1, 'a'], LONG_MS)).toEqual([1, 'a'])
  })

  test('passes on what the function throws', () => {
    const error = new TypeError('no page')
    const run = () =>
      limitTime(() => {
        throw error
      }, LONG_MS)
    expect(run).toThrow(error)
  })

  test.each<[name: string, run: () => unknown]>([
    [
      'a loop',
      () => {
        for (;;);
      },
    ],
    ['a slow expression', () => /^(?:a+)+$/.test(`${'a'.repeat(50)}b`)],
  ])('stops %s, and the next function runs', (_, run) => {
    const late = expect.objectContaining({ code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' })
    expect(() => limitTime(run, 20)).toThrow(late)
    expect(limitTime(() => 1, LONG_MS)).toBe(1)
  })
})
