import { type Collection, ObjectId } from 'mongodb'
import type { AuditEntry } from '../../accounts/audit.ts'
import { type AuditQuery, type AuditStore, MAX_AUDIT_ENTRIES } from '../types.ts'
import { CHANGE_TIMEOUT_MS } from './errors.ts'
import type { AuditDocument } from './schema.ts'

const LIMITED = { maxTimeMS: CHANGE_TIMEOUT_MS } as const
// Entries of one millisecond are in the order in which this node wrote them.
const NEWEST_FIRST = { at: -1, _id: -1 } as const

/** The collection of audit entries. */
export class MongoAudit implements AuditStore {
  readonly #audit: Collection<AuditDocument>

  constructor(audit: Collection<AuditDocument>) {
    this.#audit = audit
  }

  async addAudit({ at, action, actor, account, key, detail, command, machine }: AuditEntry): Promise<void> {
    const entry = { at, action, actor, account, key, detail, command, machine }
    await this.#audit.insertOne({ _id: new ObjectId(), ...entry }, LIMITED)
    const [last] = await this.#audit.find({ account }).sort(NEWEST_FIRST).skip(MAX_AUDIT_ENTRIES).limit(1).toArray()
    if (last !== undefined) await this.#audit.deleteMany({ account, $or: listUpTo(last) }, LIMITED)
  }

  async listAudit({ account, since, limit }: AuditQuery): Promise<readonly AuditEntry[]> {
    const filter = { ...(account !== null && { account }), ...(since !== undefined && { at: { $gte: since } }) }
    const found = this.#audit
      .find(filter, { projection: { _id: 0 } })
      .sort(NEWEST_FIRST)
      .limit(limit)
    // Entries of earlier versions lack both.
    return (await found.toArray()).map((entry) => ({
      ...entry,
      command: entry.command ?? null,
      machine: entry.machine ?? null,
    }))
  }
}

/** Matches an entry and all entries after it in the order of the list. */
function listUpTo({ _id, at }: AuditDocument): object[] {
  return [{ at: { $lt: at } }, { at, _id: { $lte: _id } }]
}
