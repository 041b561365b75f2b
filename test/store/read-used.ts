import { expect } from 'vitest'
import type { Store } from '../../src/store/types.ts'

/** Reads the charged requests of a month, which must be the sum of its days. */
export async function readUsed({ usage }: Pick<Store, 'usage'>, key: string, month: string): Promise<number> {
  const used = await usage.usedBy(key, month)
  const days = await usage.listDays([key], month)
  expect(
    days.reduce((sum, day) => sum + day.used, 0),
    'the sum of the days',
  ).toBe(used)
  return used
}
