import type { Key, KeySecret } from '../keys/types.ts'

/** One charge of one request. */
export interface Charge {
  /** The key's id. */
  readonly key: string
  /** `YYYY-MM`, UTC. */
  readonly month: string
  readonly quota: number
  readonly at: Date
}

/** What an operator switches while the service runs. */
export interface Switches {
  readonly maintenance: boolean
  readonly apiOff: boolean
}

/** Keys, usage and switches: what must not get lost. Every method throws `StoreError` when the store cannot answer in time. */
export interface Store {
  /** Keys are looked up in this process's own memory or file: no cache in front of them is needed. */
  readonly isLocal: boolean
  /** The key that has this secret, revoked and expired ones too; null when there is none. */
  findKey(hash: string): Promise<Key | null>
  getKey(id: string): Promise<Key | null>
  /** In the order of their creation. */
  listKeys(): Promise<readonly Key[]>
  createKey(key: Key): Promise<void>
  /** @returns false when there is no such key; a key that is revoked already stays as it was */
  revokeKey(id: string, at: Date): Promise<boolean>
  /**
   * Puts a new secret before the others, which end at `oldEndAt` unless they end before; those that ended before `now` go.
   * @returns false when there is no such key that is not revoked
   */
  rotateKey(
    id: string,
    change: { readonly secret: KeySecret; readonly oldEndAt: Date; readonly now: Date },
  ): Promise<boolean>
  /** @returns false when there is no such key */
  setPlan(id: string, plan: string): Promise<boolean>

  /** Requests that the key was charged for in a month (`YYYY-MM`). */
  usedBy(key: string, month: string): Promise<number>
  /**
   * Charges one request, if the quota is not used up: atomic over all processes. Written for good when it answers.
   * @returns the number of requests with this one; null when the quota is used up, and nothing was charged
   */
  charge(charge: Charge): Promise<number | null>
  /**
   * Notes that a key was used and not charged.
   * @returns the requests it was charged for in the month
   */
  touch(use: Omit<Charge, 'quota'>): Promise<number>
  /** When the key was last charged or touched; null when never. */
  lastUsed(key: string): Promise<Date | null>

  switches(): Promise<Switches>
  setSwitches(change: Partial<Switches>): Promise<void>

  /** A word that is kept for good: the first that somebody keeps under a name stays. @returns what is kept */
  keepOnce(name: string, value: string): Promise<string>
  /**
   * Writes something without meaning, as durably as a charge: a store that can only be read cannot serve.
   * @throws StoreError when that is not possible at the moment
   */
  ping(): Promise<void>
  close(): Promise<void>
}

/** The store cannot answer: it is away, or took too long. What was asked of it may have happened or not. */
export class StoreError extends Error {}
