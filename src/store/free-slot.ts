/**
 * Finds the lowest slot that no key of an account occupies. The slots of an account are 0, 1, 2 …; a unique index allows one key in
 * each, so that concurrent processes cannot create more keys than they counted.
 */
export function findFreeSlot(occupied: readonly number[]): number {
  const taken = new Set(occupied)
  let slot = 0
  while (taken.has(slot)) slot++
  return slot
}
