import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import type { Store } from '../../src/store/types.ts'

/**
 * SQL that makes a database of version 4, in which every key was counted on its own: accounts with active and revoked keys, an account
 * that was deleted, a key without an account, charges and a session. It was written by that version.
 */
export const VERSION_4 = readFileSync(join(import.meta.dirname, 'version-4.sql'), 'utf8')

type Row = Readonly<Record<string, string | number | null>>

/** Reads the rows of a table of that database. */
export function readVersion4(table: string): readonly Row[] {
  const db = new Database(':memory:')
  db.exec(VERSION_4)
  const rows = db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all() as Row[]
  db.close()
  return rows
}

/** What the store of that database contains after the upgrade. */
export const UPGRADED = {
  // The slot of a revoked key is the lowest that was free in its time.
  counters: {
    key_ann1: 'key_ann4',
    key_ann2: 'key_ann2',
    key_ann3: 'key_ann4',
    key_ann4: 'key_ann4',
    key_bob1: 'key_bob1',
    key_bob2: 'key_bob1',
    key_cli1: 'key_cli1',
    key_eve1: 'key_eve1',
  },
  slots: ['ann 0 key_ann4', 'ann 1 key_ann2', 'bob 0 key_bob1', 'eve 0 key_eve1'],
  months: [
    '2026-04 key_ann4 7',
    '2026-05 key_ann2 5',
    '2026-05 key_ann4 10',
    '2026-05 key_bob1 90',
    '2026-05 key_cli1 9',
    '2026-05 key_eve1 8',
  ],
  days: [
    '2026-04-30 key_ann4 7',
    '2026-05-01 key_bob1 60',
    '2026-05-02 key_ann2 5',
    '2026-05-02 key_ann4 3',
    '2026-05-02 key_bob1 30',
    '2026-05-03 key_ann4 3',
    '2026-05-04 key_ann4 4',
    '2026-05-05 key_eve1 8',
    '2026-05-06 key_cli1 9',
  ],
  lastUse: new Date('2026-05-04T10:00:00.000Z'),
}

/** Reads what `UPGRADED` describes. */
export async function describeUpgraded({ keys, usage }: Store): Promise<typeof UPGRADED> {
  const found = await keys.listKeys()
  const counters = [...new Set(found.flatMap(({ id, counter }) => [id, counter]))]
  const months = [...(await usage.listMonth('2026-04')), ...(await usage.listMonth('2026-05'))]
  const days = await usage.listDays(counters, '2026-04', '2026-05')
  return {
    counters: Object.fromEntries(found.map(({ id, counter }) => [id, counter]).sort()) as (typeof UPGRADED)['counters'],
    slots: (await keys.listSlots()).map(({ account, slot, counter }) => `${account} ${slot} ${counter}`),
    months: months.map(({ month, counter, used }) => `${month} ${counter} ${used}`).sort(),
    days: days.map(({ day, counter, used }) => `${day} ${counter} ${used}`).sort(),
    lastUse: (await usage.lastUsed('key_ann4')) ?? new Date(0),
  }
}
