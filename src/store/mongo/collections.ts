import type { Collection, Db, ObjectId } from 'mongodb'
import type { Key } from '../../keys/types.ts'
import type { StoredScan } from '../account-types.ts'
import type { AuditEntry } from '../audit-types.ts'
import type { Batch, BatchStatus, BatchUrl } from '../batch-types.ts'
import type { KeySlot } from '../types.ts'

/** Fields of a key that documents of earlier versions lack. */
type LaterFields = 'account' | 'counter' | 'suspendedAt' | 'expiresAt' | 'perMinute' | 'perMonth'

/** A stored key. `counter` is absent for a key without an account, and for one of an earlier version. */
export interface KeyDocument extends Omit<Key, 'id' | LaterFields>, Partial<Pick<Key, LaterFields>> {
  readonly _id: string
  /** The slot that the key occupies; absent if it has no account or is revoked. */
  readonly slot?: number
}

/** A slot that has had a key. */
export interface SlotDocument extends KeySlot {
  /** `<account>:<slot>` */
  readonly _id: string
}

/** The use of a counter in a month. */
export interface UsageDocument {
  /** `<counter>:<month>` */
  readonly _id: string
  /** The counter. Earlier versions counted each key under its id. */
  readonly key: string
  readonly month: string
  readonly used: number
  readonly lastUsedAt: Date
  /** Charged requests by day of the month: `d01` to `d31`. Charges of earlier versions are in no day. */
  readonly days?: Readonly<Record<string, number>>
  /** Ids of keys of earlier versions whose requests in this month were moved to this counter. */
  readonly moved?: readonly string[]
  /** Those of the charged requests that belong to batches, by the id of the batch and the day of the month. */
  readonly batches?: Readonly<Record<string, BatchCharges>>
}

/** The charges of a batch in a month, by day: `d01` to `d31`. A closed batch is no longer charged. */
type BatchCharges = Readonly<Record<`d${string}`, number>> & { readonly closed?: boolean }

/** A batch. Until its URLs are complete its status is `loading`, and `deleted` once its account is deleted. */
export interface BatchDocument extends Omit<Batch, 'id' | 'status' | 'idempotencyKey'> {
  readonly _id: string
  readonly status: BatchStatus | 'loading' | 'deleted'
  readonly idempotencyKey?: string
  /** When the webhook is due; absent if it is not. */
  readonly webhookAt?: Date
  /** Whether the charges are known to equal the successes. */
  readonly settled: boolean
}

/** A URL of a batch. */
export interface BatchItemDocument extends BatchUrl {
  /** `<batch>:<position>` */
  readonly _id: string
  readonly batch: string
  readonly state: 'waiting' | 'done' | 'failed'
  readonly tries: number
  /** When the outcome was stored, by the clock of the server. */
  readonly finishedAt?: Date
  readonly code?: string
  /** The result as JSON, or the message of the error. */
  readonly content?: string
  /** The day of the charge, `YYYY-MM-DD`. */
  readonly day?: string
}

/** An account, as better-auth writes it. */
export interface AccountDocument {
  readonly _id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly plan: string
  readonly createdAt: Date
  readonly suspendedAt?: Date | null
  /** When the deletion of the account began. From then on, it gets neither keys nor scans. */
  readonly deletedAt?: Date | null
}

/** An invitation. Its id is the hash of its token. */
interface InviteDocument {
  readonly _id: string
  readonly expiresAt: Date
}

/** A stored scan. */
export interface ScanDocument extends Omit<StoredScan, 'id' | 'entry'> {
  readonly _id: string
  /** JSON of the entry. */
  readonly entry: string
}

/** Fields of an audit entry that documents of earlier versions lack. */
type LaterAuditFields = 'command' | 'machine' | 'count' | 'firstAt'

/** An audit entry. */
export interface AuditDocument extends Omit<AuditEntry, LaterAuditFields>, Partial<Pick<AuditEntry, LaterAuditFields>> {
  readonly _id: ObjectId
  /** Identifies a merged entry: the events that it contains have the same. Absent for an entry of one event. */
  readonly group?: string
}

/** The switches (`switches`), a permanent value (`word:<name>`), or the time of the last probe (`probe`). */
export interface SettingDocument {
  readonly _id: string
  readonly maintenance?: boolean
  readonly apiOff?: boolean
  readonly value?: string
}

/** The collections of Siteprint itself, each with a validator. */
export interface OwnCollections {
  readonly keys: Collection<KeyDocument>
  readonly slots: Collection<SlotDocument>
  readonly usage: Collection<UsageDocument>
  readonly invites: Collection<InviteDocument>
  readonly scans: Collection<ScanDocument>
  readonly audit: Collection<AuditDocument>
  readonly settings: Collection<SettingDocument>
  readonly batches: Collection<BatchDocument>
  readonly batchItems: Collection<BatchItemDocument>
}

/** The collections of better-auth, which checks what it writes. */
interface AuthCollections {
  readonly accounts: Collection<AccountDocument>
  readonly sessions: Collection<{ readonly _id: string; readonly userId: string; readonly token: string }>
  readonly credentials: Collection<{ readonly _id: string; readonly userId: string }>
  readonly verifications: Collection<{ readonly _id: string; readonly identifier: string; readonly value: string }>
}

export interface Collections extends OwnCollections, AuthCollections {}

/** Reads a result in one round trip. By default a second one follows after 101 documents. */
export const ONE_BATCH = { batchSize: 10_000 } as const

export function getCollections(db: Db): Collections {
  return {
    keys: db.collection('keys'),
    slots: db.collection('slots'),
    usage: db.collection('usage'),
    audit: db.collection('audit'),
    settings: db.collection('settings'),
    batches: db.collection('batches'),
    batchItems: db.collection('batchItems'),
    invites: db.collection('invites'),
    scans: db.collection('scans'),
    accounts: db.collection('accounts'),
    sessions: db.collection('sessions'),
    credentials: db.collection('credentials'),
    verifications: db.collection('verifications'),
  }
}
