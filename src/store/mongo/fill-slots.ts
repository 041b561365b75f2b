import { planSlots, type SlottedKey } from '../plan-slots.ts'
import { takeCounter } from './account-slots.ts'
import { buildUsageId } from './charges.ts'
import type { Collections, KeyDocument, UsageDocument } from './collections.ts'
import { CHANGE_TIMEOUT_MS, isDuplicate } from './errors.ts'

const LIMITED = { maxTimeMS: CHANGE_TIMEOUT_MS } as const

type SlotCollections = Pick<Collections, 'keys' | 'slots' | 'usage'>

/**
 * Gives keys of accounts that were written by a version without counters their slots, see `planSlots`, and moves what was charged to
 * a key to its slot. Several nodes may do so concurrently, and a node that was interrupted continues at its next start.
 */
export async function fillSlots(all: SlotCollections): Promise<void> {
  const isUnassigned = { account: { $gte: '' }, counter: { $exists: false } }
  for (const account of await all.keys.distinct('account', isUnassigned)) await fillAccount(account ?? '', all)
}

async function fillAccount(account: string, all: SlotCollections): Promise<void> {
  const keys = await all.keys.find({ account }).sort({ _id: 1 }).toArray()
  const known = await all.slots.find({ account }).toArray()
  for (const { key, slot, counter: wanted } of planSlots(keys.map(toSlottedKey), known)) {
    const counter = await takeCounter(all.slots, { account, slot, counter: wanted })
    if (counter !== key) await moveUsage(all.usage, { from: key, to: counter })
    await all.keys.updateOne({ _id: key, counter: { $exists: false } }, { $set: { counter } }, LIMITED)
  }
}

function toSlottedKey({ _id, slot, counter, createdAt, revokedAt }: KeyDocument): SlottedKey {
  return { id: _id, slot: slot ?? null, counter: counter ?? null, createdAt, revokedAt }
}

/** Adds the requests of one counter to those of another. */
async function moveUsage(
  usage: SlotCollections['usage'],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  for (const document of await usage.find({ key: from }).toArray()) {
    await addUsage(usage, document, to)
    await usage.deleteOne({ _id: document._id }, LIMITED)
  }
}

/** Adds the requests of a document to those of a counter, once: the document of the counter records whose requests it contains. */
async function addUsage(usage: SlotCollections['usage'], document: UsageDocument, to: string): Promise<void> {
  const { key: from, month, used, lastUsedAt, days = {} } = document
  const added = Object.fromEntries(Object.entries(days).map(([day, requests]) => [`days.${day}`, requests]))
  const change = {
    $inc: { used, ...added },
    $max: { lastUsedAt },
    $push: { moved: from },
    $setOnInsert: { key: to, month },
  }
  const update = (upsert: boolean): Promise<unknown> =>
    usage.updateOne({ _id: buildUsageId(to, month), moved: { $ne: from } }, change, { ...LIMITED, upsert })
  try {
    await update(true)
  } catch (error) {
    // The document exists: it contains these requests, or was created since the query.
    if (!isDuplicate(error)) throw error
    await update(false)
  }
}
