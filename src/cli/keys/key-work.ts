import type { Writable } from 'node:stream'
import { findByAddress } from '../../accounts/form-rules.ts'
import { SetupError } from '../../errors.ts'
import type { Plan } from '../../keys/plans.ts'
import type { Key } from '../../keys/types.ts'
import type { Account } from '../../store/account-types.ts'
import type { OpenedStore } from '../../store/open/open-store.ts'
import type { KeySlot } from '../../store/types.ts'
import type { StoreCreatingWork } from '../command/with-store.ts'

/** The action of a verb of `keys`, which runs once the store is open. */
export type KeyWork = ((opened: OpenedStore) => Promise<void>) & StoreCreatingWork

/** The dependencies of the verbs of `keys`. */
export interface KeyContext {
  readonly plans: ReadonlyMap<string, Plan>
  readonly stdout: Writable
  /** Writes a sentence to stderr. */
  readonly report: (sentence: string) => void
}

/** @throws SetupError if there is no such key */
export async function requireKey({ store }: OpenedStore, id: string): Promise<Key> {
  const key = await store.keys.getKey(id)
  if (key === null) throw buildUnknownKeyError(id)
  return key
}

/** @throws SetupError if there is no such key, or if it is revoked */
export async function requireActiveKey(opened: OpenedStore, id: string): Promise<Key> {
  const key = await requireKey(opened, id)
  if (key.revokedAt !== null) throw buildRevokedKeyError(id)
  return key
}

/** @throws SetupError if no account has this e-mail address, or if it is suspended */
export async function requireAccount({ store }: OpenedStore, email: string): Promise<Account> {
  const account = await findByAddress(store.accounts, email)
  if (account === null) throw new SetupError(`There is no account with the e-mail address "${email}".`)
  if (account.suspendedAt === null) return account
  throw new SetupError(`The account ${account.email} is suspended. Lift the suspension first.`)
}

/** Builds a function that finds the number of a slot by its counter, from 1 on; null if the counter is not that of a slot. */
export function buildSlotFinder(slots: readonly KeySlot[]): (counter: string) => number | null {
  const numbers = new Map(slots.map(({ slot, counter }) => [counter, slot + 1]))
  return (counter) => numbers.get(counter) ?? null
}

/** Builds a function that names the account of a key or slot: its e-mail address, or its id if it was deleted. */
export function buildAccountNamer({
  accounts,
}: OpenedStore['store']): (owned: Pick<Key, 'account'>) => Promise<string | null> {
  const names = new Map<string, string>()
  return async ({ account }) => {
    if (account === null) return null
    const name = names.get(account) ?? (await accounts.getAccount(account))?.email ?? account
    names.set(account, name)
    return name
  }
}

export function buildUnknownKeyError(id: string): SetupError {
  return new SetupError(`There is no key "${id}". Run "keys list" to see all keys.`)
}

export function buildRevokedKeyError(id: string): SetupError {
  return new SetupError(`The key ${id} is revoked. Create another with "keys create".`)
}
