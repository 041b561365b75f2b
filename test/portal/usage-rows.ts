import type { Key } from '../../src/keys/types.ts'
import type { DayUsage, MonthUsage } from '../../src/store/types.ts'
import { sampleKey } from '../store/sample-key.ts'

export function accountKey(change: Partial<Key> = {}): Key {
  return { ...sampleKey(), account: 'account-1', suspendedAt: null, ...change }
}

export function monthRow(
  key: Key,
  month: string,
  used: number,
  lastUsedAt = new Date(`${month}-15T12:00:00Z`),
): MonthUsage {
  return { key: key.id, month, used, lastUsedAt }
}

export function dayRow(key: Key, day: string, used: number): DayUsage {
  return { key: key.id, day, used }
}
