import type { Key } from '../../src/keys/types.ts'
import type { DayUsage, KeySlot, MonthUsage } from '../../src/store/types.ts'
import { sampleKey } from '../store/sample-key.ts'

export function accountKey(change: Partial<Key> = {}): Key {
  return { ...sampleKey(), account: 'account-1', suspendedAt: null, ...change }
}

/** The slots of keys, in the order of their first key. */
export function slotsOf(...keys: readonly Key[]): KeySlot[] {
  const counters = [...new Set(keys.map(({ counter }) => counter))]
  return counters.map((counter, slot) => ({ account: 'account-1', slot, counter }))
}

export function monthRow(
  key: Key,
  month: string,
  used: number,
  lastUsedAt = new Date(`${month}-15T12:00:00Z`),
): MonthUsage {
  return { counter: key.counter, month, used, lastUsedAt }
}

export function dayRow(key: Key, day: string, used: number): DayUsage {
  return { counter: key.counter, day, used }
}
