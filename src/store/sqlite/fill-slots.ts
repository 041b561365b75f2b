import type Database from 'libsql'
import { planSlots, type SlottedKey } from '../plan-slots.ts'
import type { KeySlot } from '../types.ts'
import { readFirstRow } from './connection.ts'

interface SlotRow extends Pick<SlottedKey, 'id' | 'slot' | 'counter'> {
  readonly createdAt: number
  readonly revokedAt: number | null
}

const WITHOUT_SLOTS = 'account IS NOT NULL AND counter IS NULL'

/** Whether there are keys that `fillSlots` would change. */
export function hasKeysWithoutSlots(db: Database.Database): boolean {
  return readFirstRow(db.prepare(`SELECT 1 FROM keys WHERE ${WITHOUT_SLOTS} LIMIT 1`)) !== undefined
}

/**
 * Gives keys of accounts that were written by a version without counters their slots, see `planSlots`, and moves what was charged to
 * a key to its slot. Runs inside a transaction.
 */
export function fillSlots(db: Database.Database): void {
  const sql = prepare(db)
  for (const { account } of sql.listAccounts.all() as { readonly account: string }[]) {
    const keys = (sql.listKeys.all(account) as SlotRow[]).map(toSlottedKey)
    const slots = sql.listSlots.all(account) as Pick<KeySlot, 'slot' | 'counter'>[]
    for (const { key, slot, counter } of planSlots(keys, slots)) {
      sql.addSlot.run(account, slot, counter)
      sql.setCounter.run(counter, key)
      if (counter === key) continue
      for (const move of sql.moves) move.run(counter, key)
      for (const remove of sql.removals) remove.run(key)
    }
  }
}

function toSlottedKey({ createdAt, revokedAt, ...key }: SlotRow): SlottedKey {
  return { ...key, createdAt: new Date(createdAt), revokedAt: revokedAt === null ? null : new Date(revokedAt) }
}

function prepare(db: Database.Database) {
  return {
    listAccounts: db.prepare(`SELECT DISTINCT account FROM keys WHERE ${WITHOUT_SLOTS}`),
    listKeys: db.prepare(
      'SELECT id, slot, counter, created_at AS createdAt, revoked_at AS revokedAt FROM keys WHERE account = ? ORDER BY id',
    ),
    listSlots: db.prepare('SELECT slot, counter FROM slots WHERE account = ?'),
    addSlot: db.prepare('INSERT INTO slots (account, slot, counter) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
    setCounter: db.prepare('UPDATE keys SET counter = ? WHERE id = ?'),
    moves: [
      db.prepare(
        `INSERT INTO usage (key, month, used, last_used_at) SELECT ?, month, used, last_used_at FROM usage WHERE key = ?
         ON CONFLICT (key, month) DO UPDATE
           SET used = used + excluded.used, last_used_at = max(last_used_at, excluded.last_used_at)`,
      ),
      db.prepare(
        `INSERT INTO usage_days (key, day, used) SELECT ?, day, used FROM usage_days WHERE key = ?
         ON CONFLICT (key, day) DO UPDATE SET used = used + excluded.used`,
      ),
    ],
    removals: [db.prepare('DELETE FROM usage WHERE key = ?'), db.prepare('DELETE FROM usage_days WHERE key = ?')],
  }
}
