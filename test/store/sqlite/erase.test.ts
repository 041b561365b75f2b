import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { expect, test } from 'vitest'
import { backupSqlite } from '../../../src/store/sqlite/backup.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../../src/store/types.ts'
import { createAccount, writeRow } from '../create-account.ts'
import { newFolder } from '../open-stores.ts'
import { sampleKey } from '../sample-key.ts'

const NAME = 'Ida to Forget'
const EMAIL = 'ida.to.forget@a.example'

/** Texts of a list that any file of a folder contains. */
function findIn(folder: string, texts: readonly string[]): readonly string[] {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
  return texts.filter((text) => files.some((file) => file.includes(text)))
}

/** Creates an account whose name and address are in every table that may contain them. */
async function createMentioned(store: Store, { name = NAME, email = EMAIL } = {}): Promise<string> {
  const account = await createAccount(store, { email, name })
  const times = { createdAt: new Date(), updatedAt: new Date() }
  const id = `id of ${account}`
  await store.keys.createAccountKey(sampleKey({ account, email, name }), 1)
  const credential = { id, accountId: email, providerId: 'credential', userId: account, password: 'x', ...times }
  await writeRow(store, 'credentials', credential)
  await writeRow(store, 'sessions', {
    id,
    token: id,
    userId: account,
    userAgent: name,
    expiresAt: new Date(),
    ...times,
  })
  await writeRow(store, 'verifications', {
    id,
    identifier: name,
    value: `${account} ${name}`,
    expiresAt: new Date(),
    ...times,
  })
  const entry = { at: 1, result: JSON.stringify(email.repeat(1000)) }
  await store.accounts.addScan({ id, account, url: email, builder: name, at: new Date(), entry }, 5)
  return account
}

test.each<['server' | 'tool']>([['server'], ['tool']])(
  'when a %s has deleted an account, no file contains its names and addresses, while both run',
  async (role) => {
    const folder = newFolder()
    const server = await openSqlite({ folder, role: 'server' })
    const tool = await openSqlite({ folder, role: 'tool' })
    const account = await createMentioned(server)
    if (server.authDatabase.kind !== 'sqlite') throw new Error('not SQLite')
    const change = server.authDatabase.db.prepare('UPDATE accounts SET name = ?, email = ? WHERE id = ?')
    change.run('Ida the Second', 'ida.2@a.example', account)
    const all = [NAME, EMAIL, 'Ida the Second', 'ida.2@a.example']
    expect(findIn(folder, all)).toEqual(all)
    const store = role === 'server' ? server : tool
    expect(await store.accounts.deleteAccount(account, new Date())).toBe(true)
    expect(findIn(folder, all)).toEqual([])
    await tool.close()
    await server.close()
    expect(findIn(folder, all)).toEqual([])
  },
)

test('of many accounts, nothing is left of those that are deleted, and all of the others', async () => {
  const folder = newFolder()
  const store = await openSqlite({ folder, role: 'server' })
  const people = Array.from({ length: 150 }, (_, n) => ({ name: `Name <${n}>`, email: `person-${n}@a.example` }))
  const ids: string[] = []
  for (const person of people) ids.push(await createMentioned(store, person))
  const isGone = (_: unknown, n: number): boolean => n % 3 === 0
  for (const id of ids.filter(isGone)) await store.accounts.deleteAccount(id, new Date())
  const texts = people.flatMap(({ name, email }, n) => (isGone(name, n) ? [name, email] : []))
  expect(findIn(folder, texts)).toEqual([])
  const others = people.flatMap(({ name, email }, n) => (isGone(name, n) ? [] : [name, email]))
  expect(findIn(folder, others)).toEqual(others)
  await store.close()
})

test('a deletion is confirmed when other processes no longer read what it has deleted', async () => {
  const folder = newFolder()
  const store = await openSqlite({ folder, role: 'server' })
  const account = await createMentioned(store)
  const reader = new Database(join(folder, 'siteprint.db'))
  reader.exec('BEGIN')
  expect(reader.prepare('SELECT name FROM accounts').all()).toEqual([{ name: NAME }])
  let isConfirmed = false
  const deletion = store.accounts.deleteAccount(account, new Date()).then(() => {
    isConfirmed = true
  })
  // Other work continues, and the files still contain the name.
  await store.ping()
  expect([isConfirmed, findIn(folder, [NAME])]).toEqual([false, [NAME]])
  reader.exec('COMMIT')
  await deletion
  expect(findIn(folder, [NAME, EMAIL])).toEqual([])
  reader.close()
  await store.close()
})

test('what an earlier version has deleted is removed by the next start, and backups never contain it', async () => {
  const folder = newFolder()
  const file = join(folder, 'siteprint.db')
  const store = await openSqlite({ folder, role: 'server' })
  const account = await createMentioned(store)
  await createMentioned(store, { name: 'Ben Okoye', email: 'ben@a.example' })
  await store.close()
  // As earlier versions did.
  const db = new Database(file)
  db.exec('PRAGMA foreign_keys = ON; PRAGMA secure_delete = OFF; PRAGMA application_id = 0')
  db.prepare("UPDATE keys SET name = '', email = '' WHERE account = ?").run(account)
  db.prepare('DELETE FROM verifications WHERE identifier = ?').run(NAME)
  db.prepare('DELETE FROM accounts WHERE id = ?').run(account)
  db.close()
  expect(findIn(folder, [NAME, EMAIL])).toEqual([NAME, EMAIL])
  const target = join(newFolder(), 'backup')
  await backupSqlite(folder, target)
  expect(findIn(target, [NAME, EMAIL])).toEqual([])
  const again = await openSqlite({ folder, role: 'server' })
  expect(findIn(folder, [NAME, EMAIL])).toEqual([])
  expect(findIn(folder, ['Ben Okoye', 'ben@a.example'])).toHaveLength(2)
  await again.close()
})

test('the log that a killed process has left is emptied by the next start', async () => {
  const [folder, killed] = [newFolder(), newFolder()]
  const store = await openSqlite({ folder, role: 'server' })
  await createMentioned(store)
  for (const name of ['siteprint.db', 'siteprint.db-wal']) copyFileSync(join(folder, name), join(killed, name))
  await store.close()
  const log = join(killed, 'siteprint.db-wal')
  expect(readFileSync(log).includes(NAME)).toBe(true)
  const again = await openSqlite({ folder: killed, role: 'server' })
  expect(readFileSync(log).includes(NAME)).toBe(false)
  expect(await again.accounts.findAccount(EMAIL)).toMatchObject({ name: NAME })
  await again.close()
})
