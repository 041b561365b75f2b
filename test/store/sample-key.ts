import { randomBytes } from 'node:crypto'
import type { Key, KeySecret } from '../../src/keys/types.ts'

let count = 0

/** A unique key, created a millisecond after the previous one. */
export function sampleKey(change: Partial<Key> = {}): Key {
  const id = change.id ?? `key_${randomBytes(8).toString('hex')}`
  return {
    id,
    name: 'Harbour Line',
    email: 'dev@harbourline.example',
    plan: 'free',
    revision: null,
    createdAt: new Date(Date.UTC(2026, 0, 1) + count++),
    account: null,
    counter: id,
    revokedAt: null,
    suspendedAt: null,
    expiresAt: null,
    perMinute: null,
    perMonth: null,
    secrets: [sampleSecret()],
    ...change,
  }
}

export function sampleSecret(expiresAt: Date | null = null): KeySecret {
  return { hash: randomBytes(32).toString('hex'), lastFour: 'a1B2', expiresAt }
}
