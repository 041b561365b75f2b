import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, test } from 'vitest'
import { SqliteWriter } from '../../../src/store/sqlite/writer.ts'
import { StoreError } from '../../../src/store/types.ts'
import { newFolder } from '../open-stores.ts'

const MANY =
  'SELECT 1 FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) SELECT i FROM n)'
const good = 'INSERT INTO child VALUES (1)'

/** SQL that the second of three pieces of work runs, and which of the three fail. */
const CASES: readonly [string, string, readonly boolean[]][] = [
  ['that is valid', good, [false, false, false]],
  ['that violates a constraint', 'INSERT INTO child VALUES (NULL)', [false, true, false]],
  ['with a syntax error', 'INSERT INTO', [false, true, false]],
  ['that cannot be committed', 'PRAGMA defer_foreign_keys = ON; INSERT INTO child VALUES (2)', [true, true, true]],
  ['that finds the disk full', `PRAGMA max_page_count = 1; INSERT INTO child ${MANY}`, [true, true, true]],
  ['that ends the transaction', 'INSERT OR ROLLBACK INTO child VALUES (NULL)', [true, true, true]],
]

describe('work of one turn of the event loop', () => {
  test.each(CASES)('%s', async (_, sql, expected) => {
    const db = new Database(join(newFolder(), 'file.db'))
    db.exec('PRAGMA foreign_keys = ON; CREATE TABLE parent (id INTEGER PRIMARY KEY); INSERT INTO parent VALUES (1)')
    db.exec('CREATE TABLE child (parent INTEGER NOT NULL REFERENCES parent (id))')
    const writer = new SqliteWriter(db)
    const count = (): unknown => db.prepare('SELECT count(*) AS n FROM child').all()
    const ends = await Promise.allSettled([good, sql, good].map((one) => writer.enqueue(() => db.exec(one))))
    expect(ends.map(({ status }) => status === 'rejected')).toEqual(expected)
    expect(count()).toEqual([{ n: expected.filter((isLost) => !isLost).length }])
    // The next turn is not affected.
    expect(await writer.enqueue(() => 7)).toBe(7)
    expect(db.inTransaction).toBe(false)
    db.close()
  })

  test('that throws another error fails alone, with a StoreError', async () => {
    const writer = new SqliteWriter(new Database(join(newFolder(), 'file.db')))
    const thrown = writer.enqueue(() => {
      throw new TypeError('of its own')
    })
    const [wrong, right] = await Promise.allSettled([thrown, writer.enqueue(() => 1)])
    expect(wrong.status === 'rejected' && wrong.reason).toBeInstanceOf(StoreError)
    expect(right).toEqual({ status: 'fulfilled', value: 1 })
  })
})
