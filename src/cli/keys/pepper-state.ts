import { hasExpired, identifyPepper } from '../../keys/key.ts'
import type { Key } from '../../keys/types.ts'
import type { OpenedStore } from '../../store/open/open-store.ts'

/** The peppers of an open store. */
export type Peppers = Pick<OpenedStore, 'pepper' | 'oldPepper' | 'firstPepper'>

/** The state of the peppers of a key's valid secrets, see `KeyView`. */
export type PepperState = 'current' | 'old' | 'missing'

/** Finds the state of a key: the worst of its valid secrets. @returns null if it has none, or is revoked or expired */
export function describePepper(key: Key, { pepper, oldPepper, firstPepper }: Peppers): PepperState | null {
  const now = Date.now()
  if (key.revokedAt !== null || hasExpired(key, now)) return null
  const valid = key.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt.getTime() > now)
  const ids = valid.map((secret) => secret.pepper ?? firstPepper)
  if (ids.length === 0) return null
  const current = identifyPepper(pepper)
  if (ids.every((id) => id === current)) return 'current'
  const accepted = oldPepper === null ? [current] : [current, identifyPepper(oldPepper)]
  return ids.every((id) => accepted.includes(id)) ? 'old' : 'missing'
}
