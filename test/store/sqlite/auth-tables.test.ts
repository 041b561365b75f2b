import { getMigrations } from 'better-auth/db/migration'
import { SqliteDialect } from 'kysely'
import Database from 'libsql'
import { expect, test } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../../src/store/types.ts'
import { createAccount, writeRow } from '../create-account.ts'
import { newFolder } from '../open-stores.ts'

const MODELS = {
  user: {
    modelName: 'accounts',
    additionalFields: {
      plan: { type: 'string', input: false },
      suspendedAt: { type: 'date', input: false, required: false },
    },
  },
  session: { modelName: 'sessions' },
  account: { modelName: 'credentials' },
  verification: { modelName: 'verifications' },
} as const

test("the tables are those that better-auth's own migration would create", async () => {
  const folder = newFolder()
  const store = await openSqlite({ folder, role: 'server' })
  const { authDatabase } = store
  if (authDatabase.kind !== 'sqlite') throw new Error('not SQLite')
  const planFor = async (db: Database.Database): Promise<string> => {
    const dialect = new SqliteDialect({ database: db })
    const { compileMigrations } = await getMigrations({ database: { dialect, type: 'sqlite' }, ...MODELS })
    return await compileMigrations()
  }
  expect(await planFor(authDatabase.db)).toBe(';')
  const empty = new Database(':memory:')
  expect(await planFor(empty)).toContain('create table "accounts"')
  empty.close()
  await store.close()
})

test('a server deletes expired sessions, verifications and invitations when it starts', async () => {
  const folder = newFolder()
  const store = await openSqlite({ folder, role: 'server' })
  const account = await createAccount(store)
  const now = Date.now()
  const times = { createdAt: new Date(), updatedAt: new Date() }
  for (const [id, expiresAt] of [
    ['old', new Date(now - 1)],
    ['new', new Date(now + 600_000)],
  ] as const) {
    await writeRow(store, 'sessions', { id, token: id, userId: account, expiresAt, ...times })
    await writeRow(store, 'verifications', { id, identifier: id, value: id, expiresAt, ...times })
    await store.accounts.createInvite({ hash: id, expiresAt })
  }
  const listIds = ({ authDatabase }: Store): unknown =>
    authDatabase.kind === 'sqlite' &&
    ['id FROM sessions', 'id FROM verifications', 'hash AS id FROM invites'].map((from) =>
      authDatabase.db.prepare(`SELECT ${from} ORDER BY id`).all(),
    )
  const tool = await openSqlite({ folder, role: 'tool' })
  expect(listIds(tool)).toEqual(Array(3).fill([{ id: 'new' }, { id: 'old' }]))
  await tool.close()
  await store.close()
  const again = await openSqlite({ folder, role: 'server' })
  expect(listIds(again)).toEqual(Array(3).fill([{ id: 'new' }]))
  await again.close()
})
