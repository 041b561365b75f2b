import { join } from 'node:path'
import Database from 'libsql'
import { beforeAll, describe, expect, test } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { createAccount } from '../create-account.ts'
import { newFolder } from '../open-stores.ts'
import { sampleKey } from '../sample-key.ts'
import { buildStore, startStore } from '../store-process.ts'

/** The tables of version 1, with a key, its usage, and a switch. */
const VERSION_1 = `
  CREATE TABLE keys (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, plan TEXT NOT NULL,
    revision INTEGER CHECK (revision IN (1, 2)), created_at INTEGER NOT NULL, revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE secrets (
    place INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL REFERENCES keys (id), hash TEXT NOT NULL UNIQUE,
    last_four TEXT NOT NULL, expires_at INTEGER
  ) STRICT;
  CREATE INDEX secrets_of_key ON secrets (key);
  CREATE TABLE usage (
    key TEXT NOT NULL,
    month TEXT NOT NULL CHECK (
      month GLOB '[0-9][0-9][0-9][0-9]-0[1-9]' OR month GLOB '[0-9][0-9][0-9][0-9]-1[0-2]'
    ),
    used INTEGER NOT NULL CHECK (used >= 0), last_used_at INTEGER NOT NULL, PRIMARY KEY (key, month)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE switches (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    maintenance INTEGER NOT NULL DEFAULT 0 CHECK (maintenance IN (0, 1)),
    api_off INTEGER NOT NULL DEFAULT 0 CHECK (api_off IN (0, 1))
  ) STRICT;
  INSERT INTO switches VALUES (1, 1, 0);
  CREATE TABLE words (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO words VALUES ('pepper', 'x');
  INSERT INTO keys VALUES ('key_old', 'Old', 'old@a.example', 'pro', 1, 1000, NULL);
  INSERT INTO secrets (key, hash, last_four) VALUES ('key_old', 'hash', 'a1B2');
  INSERT INTO usage VALUES ('key_old', '2026-05', 41, 2000);
  PRAGMA user_version = 1;`

/** Creates a folder with a database of version 1. */
function createOldFolder(): string {
  const folder = newFolder()
  const db = new Database(join(folder, 'siteprint.db'))
  db.exec(VERSION_1)
  db.close()
  return folder
}

const OLD_KEY = sampleKey({
  id: 'key_old',
  name: 'Old',
  email: 'old@a.example',
  plan: 'pro',
  revision: 1,
  createdAt: new Date(1000),
  secrets: [{ hash: 'hash', lastFour: 'a1B2', expiresAt: null }],
})

describe('a database of version 1', () => {
  test('keeps its data, counts days from now on, and can have accounts', async () => {
    const folder = createOldFolder()
    for (let round = 1; round <= 2; round++) {
      const store = await openSqlite({ folder, role: 'server' })
      expect(await store.keys.findKey('hash')).toEqual(OLD_KEY)
      expect(await store.settings.switches()).toEqual({ maintenance: true, apiOff: false })
      expect(await store.settings.putIfAbsent('pepper', 'y')).toBe('x')
      const charge = { key: 'key_old', day: '2026-05-17', quota: 100, at: new Date(3000) }
      expect(await store.usage.charge(charge)).toBe(41 + round)
      expect(await store.usage.listDays(['key_old'], '2026-05')).toEqual([
        { key: 'key_old', day: '2026-05-17', used: round },
      ])
      expect(await store.usage.listMonths(['key_old'], '2026-05')).toEqual([
        { key: 'key_old', month: '2026-05', used: 41 + round, lastUsedAt: new Date(3000) },
      ])
      await store.close()
    }
    const store = await openSqlite({ folder, role: 'server' })
    const account = await createAccount(store)
    expect(await store.keys.attachKey('key_old', account)).toBe(true)
    expect(await store.keys.getKey('key_old')).toEqual({ ...OLD_KEY, account, plan: 'free' })
    await store.close()
  })

  describe('with processes', () => {
    let built: string
    beforeAll(() => {
      built = buildStore()
    }, 60_000)

    test('is upgraded once by several that open it together', { timeout: 60_000 }, async () => {
      const data = createOldFolder()
      const code = `say(String((await store.usage.charge({ key: 'key_old', day: '2026-05-17', quota: 100, at: new Date(3000) })) > 0))
        await store.close()`
      const processes = Array.from({ length: 6 }, () => startStore(built, { data, role: 'tool', code }))
      await Promise.all(processes.map((one) => one.ended()))
      expect(processes.map(({ lines }) => lines)).toEqual(Array(6).fill(['true']))
      const store = await openSqlite({ folder: data, role: 'server' })
      expect(await store.usage.usedBy('key_old', '2026-05')).toBe(47)
      expect(await store.usage.listDays(['key_old'], '2026-05')).toMatchObject([{ used: 6 }])
      await store.close()
    })
  })
})
