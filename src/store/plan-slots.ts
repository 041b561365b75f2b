import type { Key } from '../keys/types.ts'
import type { KeySlot } from './types.ts'

/** A stored key of an account. */
export interface SlottedKey extends Pick<Key, 'id' | 'createdAt' | 'revokedAt'> {
  /** The slot that it occupies; null for a revoked key. */
  readonly slot: number | null
  /** Null for a key of a version without counters, which is counted under its id. */
  readonly counter: string | null
}

/** The slot of a key, and the counter of this slot. */
export interface PlannedSlot extends Pick<KeySlot, 'slot' | 'counter'> {
  readonly key: string
}

/** A time during which a slot had a key, in milliseconds since 1970. */
interface Stay {
  readonly since: number
  readonly until: number
}

/**
 * Finds slots for keys that were stored without a counter. An active key stays in its slot. Of a revoked key, the slot is no longer
 * known: it gets the lowest one that had no other key in its time, as a new key would have. The first key of a slot gives it its id
 * as counter, so that requests that were counted under this id need not be moved.
 * @param keys all keys of one account
 * @param slots those of the account that have a counter
 * @returns the keys without a counter, in the order in which they take their slots
 */
export function planSlots(
  keys: readonly SlottedKey[],
  slots: readonly Pick<KeySlot, 'slot' | 'counter'>[],
): readonly PlannedSlot[] {
  const counters = new Map(slots.map(({ slot, counter }) => [slot, counter]))
  const numbers = new Map(slots.map(({ slot, counter }) => [counter, slot]))
  const stays = new Map<number, Stay[]>()
  const isFree = (slot: number, { since, until }: Stay): boolean =>
    (stays.get(slot) ?? []).every((other) => until <= other.since || other.until <= since)
  const findFree = (stay: Stay): number => {
    for (let slot = 0; ; slot++) if (isFree(slot, stay)) return slot
  }
  const planned: PlannedSlot[] = []
  for (const key of sortByCertainty(keys)) {
    const stay = { since: key.createdAt.getTime(), until: key.revokedAt?.getTime() ?? Number.POSITIVE_INFINITY }
    const slot = key.slot ?? numbers.get(key.counter ?? '') ?? findFree(stay)
    stays.set(slot, [...(stays.get(slot) ?? []), stay])
    if (key.counter !== null) continue
    const counter = counters.get(slot) ?? key.id
    counters.set(slot, counter)
    planned.push({ key: key.id, slot, counter })
  }
  return planned
}

/** Sorts keys: first those whose slot is known, then by creation. */
function sortByCertainty(keys: readonly SlottedKey[]): readonly SlottedKey[] {
  const isUnknown = ({ slot, counter }: SlottedKey): number => Number(slot === null && counter === null)
  return keys.toSorted((a, b) => isUnknown(a) - isUnknown(b) || Number(a.createdAt) - Number(b.createdAt))
}
