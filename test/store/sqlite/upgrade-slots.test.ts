import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { beforeAll, describe, expect, test } from 'vitest'
import { SetupError } from '../../../src/errors.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { newFolder } from '../open-stores.ts'
import { sampleKey } from '../sample-key.ts'
import { buildStore, startStore } from '../store-process.ts'
import { describeUpgraded, readVersion4, UPGRADED, VERSION_4 } from '../version-4.ts'

const COPY = 'siteprint.db.version-4'

/** Creates a folder with a database of version 4. */
function createOldFolder(): string {
  const folder = newFolder()
  const db = new Database(join(folder, 'siteprint.db'))
  db.exec(VERSION_4)
  db.close()
  return folder
}

/** Reads all rows of a database as texts, without those of SQLite itself. */
function readRows(file: string, tables: readonly string[]): unknown {
  const db = new Database(file)
  const rows = tables.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all()])
  db.close()
  return rows
}

const TABLES = ['accounts', 'keys', 'secrets', 'usage', 'usage_days', 'words']

describe('a database in which every key was counted on its own', () => {
  test.each(['server', 'tool'] as const)('moves to slots when a %s opens it, once, and loses nothing', async (role) => {
    const folder = createOldFolder()
    for (let round = 0; round < 2; round++) {
      const store = await openSqlite({ folder, role })
      expect(await describeUpgraded(store)).toEqual(UPGRADED)
      expect((await store.accounts.getAccount('ann'))?.plan).toBe('starter')
      expect((await store.keys.findKey('hash of key_ann4'))?.id).toBe('key_ann4')
      await store.close()
    }
    const sessions = readRows(join(folder, 'siteprint.db'), ['sessions'])
    expect(JSON.stringify(sessions)).toContain('session_ann')
  })

  test('is copied before, without its sessions, to a file that only its owner can read', async () => {
    const folder = createOldFolder()
    const before = readRows(join(folder, 'siteprint.db'), TABLES)
    await (await openSqlite({ folder, role: 'server' })).close()
    const copy = join(folder, COPY)
    expect(readRows(copy, TABLES)).toEqual(before)
    expect(readRows(copy, ['sessions'])).toEqual([['sessions', []]])
    expect(readFileSync(copy).includes('token of ann')).toBe(false)
    expect(readRows(copy, ['pragma_user_version'])).toEqual([['pragma_user_version', [{ user_version: 4 }]]])
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('leaves no name and address of an account in its copy when the account is deleted', async () => {
    const folder = createOldFolder()
    const store = await openSqlite({ folder, role: 'server' })
    const copy = join(folder, COPY)
    writeFileSync(`${copy}.1.part`, 'half a copy, with ann@a.example')
    const has = (text: string): boolean => readFileSync(copy).includes(text)
    // The account of the holder of this key is deleted, too.
    await store.keys.attachKey('key_cli1', 'ann')
    expect(['ann@a.example', 'bob@a.example', 'null@a.example'].map(has)).toEqual([true, true, true])
    expect(await store.accounts.deleteAccount('ann', new Date())).toBe(true)
    expect(['ann@a.example', 'bob@a.example', 'null@a.example'].map(has)).toEqual([false, true, false])
    expect(readdirSync(folder).filter((name) => name.includes('version'))).toEqual([COPY])
    expect(readRows(copy, ['usage'])).toEqual([['usage', readVersion4('usage')]])
    await store.close()
  })

  test('is not upgraded if it cannot be copied', async () => {
    const folder = createOldFolder()
    mkdirSync(join(folder, COPY))
    writeFileSync(join(folder, COPY, 'x'), '')
    await expect(openSqlite({ folder, role: 'server' })).rejects.toThrow(SetupError)
    expect(readRows(join(folder, 'siteprint.db'), ['pragma_user_version'])).toEqual([
      ['pragma_user_version', [{ user_version: 4 }]],
    ])
  })

  test('charges continue in the slots: those of revoked keys count against the quota', async () => {
    const store = await openSqlite({ folder: createOldFolder(), role: 'server' })
    const key = sampleKey({ account: 'bob' })
    expect(await store.keys.createAccountKey(key, 1)).toBe(true)
    const { counter = '' } = (await store.keys.getKey(key.id)) ?? {}
    const charge = () => store.usage.charge({ counter, day: '2026-05-07', quota: 100, at: new Date() })
    const counts = await Promise.all(Array.from({ length: 12 }, charge))
    expect(counts).toEqual([91, 92, 93, 94, 95, 96, 97, 98, 99, 100, null, null])
    await store.close()
  })

  test('keys that a server of version 4 writes during the upgrade get their slots at the next start', async () => {
    const folder = createOldFolder()
    await (await openSqlite({ folder, role: 'tool' })).close()
    const db = new Database(join(folder, 'siteprint.db'))
    db.exec(`
      UPDATE keys SET slot = NULL, revoked_at = 1778000000000 WHERE id = 'key_ann4';
      INSERT INTO keys (id, name, email, plan, created_at, account, slot)
        VALUES ('key_late', 'Late', 'ann@a.example', 'starter', 1778000000001, 'ann', 0);
      INSERT INTO usage VALUES ('key_late', '2026-05', 6, 1778000000002);
      INSERT INTO usage_days VALUES ('key_late', '2026-05-04', 6);`)
    db.close()
    const store = await openSqlite({ folder, role: 'server' })
    expect((await store.keys.getKey('key_late'))?.counter).toBe('key_ann4')
    expect(await store.usage.usedBy('key_ann4', '2026-05')).toBe(16)
    expect(await store.usage.listDays(['key_ann4', 'key_late'], '2026-05')).toContainEqual({
      counter: 'key_ann4',
      day: '2026-05-04',
      used: 10,
    })
    expect(await store.usage.usedBy('key_late', '2026-05')).toBe(0)
    await store.close()
  })

  describe('with processes', () => {
    let built: string
    beforeAll(() => {
      built = buildStore()
    }, 60_000)

    test('moves to slots once, and is copied, by several that open it together', { timeout: 60_000 }, async () => {
      const data = createOldFolder()
      const code = `say(String(await store.usage.usedBy('key_ann4', '2026-05')))
        await store.close()`
      const processes = Array.from({ length: 6 }, () => startStore(built, { data, role: 'tool', code }))
      await Promise.all(processes.map((one) => one.ended()))
      expect(processes.map(({ lines }) => lines)).toEqual(Array(6).fill(['10']))
      const store = await openSqlite({ folder: data, role: 'server' })
      expect(await describeUpgraded(store)).toEqual(UPGRADED)
      await store.close()
      expect(readRows(join(data, COPY), ['pragma_user_version'])).toEqual([
        ['pragma_user_version', [{ user_version: 4 }]],
      ])
      expect(readdirSync(data).filter((name) => name.includes('version'))).toEqual([COPY])
    })
  })
})

test('a new database, and one that is current, are not copied', async () => {
  const folder = newFolder()
  for (let round = 0; round < 2; round++) await (await openSqlite({ folder, role: 'server' })).close()
  expect(readdirSync(folder).filter((name) => name.includes('version'))).toEqual([])
})
