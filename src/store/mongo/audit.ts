import { type Collection, type Document, type Filter, ObjectId } from 'mongodb'
import { type AuditRule, findAuditRule, MAX_HARMLESS_ENTRIES, toMerged } from '../audit-rule.ts'
import type { AuditEntry, AuditEvent } from '../audit-types.ts'
import type { AuditQuery, AuditStore } from '../types.ts'
import type { AuditDocument } from './collections.ts'
import { CHANGE_TIMEOUT_MS, isDuplicate } from './errors.ts'

const LIMITED = { maxTimeMS: CHANGE_TIMEOUT_MS } as const
// Entries of one millisecond are in the order in which this node wrote them.
const NEWEST_FIRST = { at: -1, _id: -1 } as const

/** The collection of audit entries. */
export class MongoAudit implements AuditStore {
  readonly #audit: Collection<AuditDocument>

  constructor(audit: Collection<AuditDocument>) {
    this.#audit = audit
  }

  async addAudit(event: AuditEvent): Promise<void> {
    const rule = findAuditRule(event)
    if (await this.#isAlone(event, rule)) {
      await this.#audit.insertOne({ _id: new ObjectId(), ...pickEvent(event), count: 1, firstAt: null }, LIMITED)
      return
    }
    await this.#merge(toMerged(event, rule), rule)
    if (rule.isHarmless) await this.#prune(event)
  }

  async listAudit({ account, actions, since, limit = 0 }: AuditQuery): Promise<readonly AuditEntry[]> {
    const filter = {
      ...(account !== null && { account }),
      ...(actions !== undefined && { action: { $in: [...actions] } }),
      ...(since !== undefined && { at: { $gte: since } }),
    }
    const found = this.#audit
      .find(filter, { projection: { _id: 0, group: 0 } })
      .sort(NEWEST_FIRST)
      .limit(limit)
    return (await found.toArray()).map(toEntry)
  }

  async deleteAudit(before: Date): Promise<void> {
    await this.#audit.deleteMany({ at: { $lt: before } }, LIMITED)
  }

  /**
   * Whether an event gets an entry of its own. Concurrent events may all be alone, beyond the maximum: as many as there are requests
   * at once.
   */
  async #isAlone({ account, action, actor }: AuditEvent, { maxPerDay, day }: AuditRule): Promise<boolean> {
    if (maxPerDay === null) return true
    if (maxPerDay === 0) return false
    const ofDay = { account, action, at: { $gte: day[0], $lt: day[1] }, actor, group: { $exists: false } }
    return (await this.#audit.countDocuments(ofDay, { ...LIMITED, limit: maxPerDay })) < maxPerDay
  }

  /** Concurrent events are merged into one entry, on all nodes: its group is unique. */
  async #merge(event: AuditEvent, rule: AuditRule): Promise<void> {
    const group = JSON.stringify([event.account, event.action, event.actor, event.key, rule.day[0].toISOString()])
    const { at, command, machine, ...rest } = pickEvent(event)
    const change = {
      $max: { at },
      $min: { firstAt: at },
      $inc: { count: 1 },
      $set: { command, machine },
      $setOnInsert: { _id: new ObjectId(), ...rest },
    }
    const update = { ...LIMITED, upsert: true }
    try {
      await this.#audit.updateOne({ group }, change, update)
    } catch (error) {
      // Another call has just inserted the entry.
      if (!isDuplicate(error)) throw error
      await this.#audit.updateOne({ group }, change, update)
    }
  }

  async #prune({ account, action, actor }: AuditEvent): Promise<void> {
    const kind: Filter<AuditDocument> = { account, action, actor, group: { $exists: true } }
    const [last] = await this.#audit.find(kind).sort(NEWEST_FIRST).skip(MAX_HARMLESS_ENTRIES).limit(1).toArray()
    if (last !== undefined) await this.#audit.deleteMany({ ...kind, $or: listUpTo(last) }, LIMITED)
  }
}

/** The fields of an event, without any other that its object may have. */
function pickEvent({ at, action, actor, account, key, detail, command, machine }: AuditEvent): AuditEvent {
  return { at, action, actor, account, key, detail, command, machine }
}

/** Matches an entry and all entries after it in the order of the list. */
function listUpTo({ _id, at }: AuditDocument): Document[] {
  return [{ at: { $lt: at } }, { at, _id: { $lte: _id } }]
}

/** Entries of earlier versions lack the later fields. */
function toEntry({ count = 1, firstAt = null, command = null, machine = null, ...entry }: AuditDocument): AuditEntry {
  return { ...entry, command, machine, count, firstAt: count > 1 ? firstAt : null }
}
