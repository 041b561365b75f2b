import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashSessionToken } from '../../../src/store/session-token.ts'
import { MIGRATIONS } from '../../../src/store/sqlite/schema.ts'
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
      const charge = { counter: 'key_old', day: '2026-05-17', quota: 100, at: new Date(3000) }
      expect(await store.usage.charge(charge)).toBe(41 + round)
      expect(await store.usage.listDays(['key_old'], '2026-05')).toEqual([
        { counter: 'key_old', day: '2026-05-17', used: round },
      ])
      expect(await store.usage.listMonths(['key_old'], '2026-05')).toEqual([
        { counter: 'key_old', month: '2026-05', used: 41 + round, lastUsedAt: new Date(3000) },
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

    test('is upgraded once by several that open it together', async () => {
      const data = createOldFolder()
      const code = `say(String((await store.usage.charge({ counter: 'key_old', day: '2026-05-17', quota: 100, at: new Date(3000) })) > 0))
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

/** Creates a folder with a database of version 4: two sessions whose tokens are not hashed, and audit entries. */
function createVersion4(): string {
  const folder = newFolder()
  const db = new Database(join(folder, 'siteprint.db'))
  for (const migration of MIGRATIONS.slice(0, 4)) db.exec(String(migration))
  const time = new Date(Date.UTC(2026, 4, 1)).toISOString()
  db.prepare("INSERT INTO accounts VALUES ('acc_1', 'Ann', 'ann@a.example', 1, NULL, ?, ?, 'pro', NULL)").run(
    time,
    time,
  )
  const expiry = new Date(Date.now() + 86_400_000).toISOString()
  const session = db.prepare("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, NULL, NULL, 'acc_1')")
  for (const n of [1, 2]) session.run(`ses_${n}`, expiry, `token ${n}`, time, time)
  const audit = db.prepare("INSERT INTO audit (at, action, actor, account) VALUES (?, ?, ?, 'acc_1')")
  for (let n = 0; n < 1000; n++) audit.run(n, n % 2 === 0 ? 'account_renamed' : 'key_rotated', 'acc_1')
  db.exec('PRAGMA user_version = 4')
  db.close()
  return folder
}

test('a database of version 4 keeps its sessions, whose tokens are hashed, and its audit entries', async () => {
  const folder = createVersion4()
  const store = await openSqlite({ folder, role: 'server' })
  if (store.authDatabase.kind !== 'sqlite') throw new Error('not SQLite')
  const sessions = store.authDatabase.db.prepare('SELECT id, token FROM sessions ORDER BY id').all()
  expect(sessions).toEqual([1, 2].map((n) => ({ id: `ses_${n}`, token: hashSessionToken(`token ${n}`) })))
  const entries = await store.audit.listAudit({ account: 'acc_1' })
  expect(entries.map(({ at }) => at.getTime())).toEqual(Array.from({ length: 1000 }, (_, n) => 999 - n))
  expect(new Set(entries.map(({ count }) => count))).toEqual(new Set([1]))
  // New events displace none of them.
  const event = { actor: 'acc_1', account: 'acc_1', key: null, detail: null, command: null, machine: null }
  for (let n = 0; n < 3; n++) await store.audit.addAudit({ ...event, at: new Date(n), action: 'account_renamed' })
  expect(await store.audit.listAudit({ account: 'acc_1' })).toHaveLength(1001)
  await store.close()
  const files = ['siteprint.db', 'siteprint.db-wal']
    .map((name) => join(folder, name))
    .filter((file) => existsSync(file))
  expect(files.map((file) => readFileSync(file).includes('token 1'))).not.toContain(true)
})
