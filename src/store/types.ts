import type { Key, KeySecret } from '../keys/types.ts'

/** The use of a key at a point in time. */
export interface KeyUse {
  /** The key's id. */
  readonly key: string
  /** `YYYY-MM`, UTC. */
  readonly month: string
  readonly at: Date
}

/** A charge of one request. */
export interface Charge extends KeyUse {
  /** Requests that may be charged in the month. */
  readonly quota: number
}

/** A new secret for a key. */
export interface Rotation {
  readonly secret: KeySecret
  /** Expiry of the former secrets that would expire later. */
  readonly oldEndAt: Date
  /** Former secrets that expired before this time are deleted. */
  readonly now: Date
}

/** The operator's switches, which can be changed while the service runs. */
export interface Switches {
  readonly maintenance: boolean
  readonly apiOff: boolean
}

export interface KeyStore {
  /** Finds the key that has a secret with this hash. Revoked and expired keys are found too. */
  findKey(hash: string): Promise<Key | null>
  getKey(id: string): Promise<Key | null>
  /** All keys, ordered by their creation. */
  listKeys(): Promise<readonly Key[]>
  createKey(key: Key): Promise<void>
  /** Revokes a key. A key that is already revoked keeps its time of revocation. @returns false if there is no such key */
  revokeKey(id: string, at: Date): Promise<boolean>
  /** Adds a new secret in front of the others. @returns false if there is no such key, or if it is revoked */
  rotateKey(id: string, rotation: Rotation): Promise<boolean>
  /** @returns false if there is no such key */
  setPlan(id: string, plan: string): Promise<boolean>
}

export interface UsageStore {
  /** The number of requests charged to a key in a month (`YYYY-MM`). */
  usedBy(key: string, month: string): Promise<number>
  /**
   * Charges one request unless the quota is used up. Atomic across all processes, and durable when it resolves.
   * @returns the number of charged requests, including this one; null if the quota is used up and nothing was charged
   */
  charge(charge: Charge): Promise<number | null>
  /** Records the use of a key without charging it. @returns the number of requests charged in the month */
  touch(use: KeyUse): Promise<number>
  /** The time of the last charge or touch; null if the key was never used. */
  lastUsed(key: string): Promise<Date | null>
}

export interface SettingStore {
  switches(): Promise<Switches>
  setSwitches(change: Partial<Switches>): Promise<void>
  /** Stores a value permanently unless the name already has one. @returns the stored value */
  putIfAbsent(name: string, value: string): Promise<string>
}

/** The durable data of the service. Every method throws `StoreError` if the store cannot answer in time. */
export interface Store {
  readonly keys: KeyStore
  readonly usage: UsageStore
  readonly settings: SettingStore
  /**
   * Writes a probe value as durably as a charge: a store that can only be read cannot serve requests.
   * @throws StoreError if the store cannot be written at the moment
   */
  ping(): Promise<void>
  close(): Promise<void>
}

/** The store is down or took too long. The call may or may not have taken effect. */
export class StoreError extends Error {}
