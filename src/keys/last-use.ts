import type { Key } from './types.ts'

/**
 * Finds the last use of a key among the uses of its counter. Other keys may have been in its slot before and after it.
 * @param uses times of uses, in any order
 * @returns null if none of them was a use of this key
 */
export function findLastUse(
  { account, createdAt, revokedAt }: Pick<Key, 'account' | 'createdAt' | 'revokedAt'>,
  uses: readonly Date[],
): Date | null {
  const isOwn = (at: Date): boolean => account === null || (at >= createdAt && (revokedAt === null || at <= revokedAt))
  return uses.filter(isOwn).reduce<Date | null>((last, at) => (last === null || last < at ? at : last), null)
}
