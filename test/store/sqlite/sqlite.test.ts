import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, test } from 'vitest'
import { SetupError } from '../../../src/errors.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { type Charge, type Store, StoreError } from '../../../src/store/types.ts'
import { newFolder } from '../open-stores.ts'
import { readUsed } from '../read-used.ts'
import { sampleKey } from '../sample-key.ts'

const buildCharge = (key: string): Charge => ({ counter: key, day: '2026-05-17', quota: 1e6, at: new Date(0) })
const readMode = (file: string): string => (statSync(file).mode & 0o777).toString(8)
const openServer = (folder: string): Promise<Store> => openSqlite({ folder, role: 'server' })
const databaseFile = (folder: string): string => join(folder, 'siteprint.db')

async function catchError(promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!(error instanceof Error)) throw new Error('the call did not fail')
  return error
}

/** Creates a folder with a closed database that contains many keys. */
async function fillFolder(): Promise<string> {
  const folder = newFolder()
  const store = await openServer(folder)
  for (let n = 0; n < 300; n++) await store.keys.createKey(sampleKey())
  await store.close()
  return folder
}

describe('the folder', () => {
  test.each(['server', 'tool'] as const)('is accessible only to its owner when created by a %s', async (role) => {
    const folder = join(newFolder(), 'one', 'two')
    const store = await openSqlite({ folder, role })
    await store.usage.charge(buildCharge('key'))
    expect([folder, join(folder, '..')].map(readMode)).toEqual(['700', '700'])
    const files = readdirSync(folder).filter((name) => name !== 'server.lock')
    expect(files.sort()).toEqual(['siteprint.db', 'siteprint.db-shm', 'siteprint.db-wal'])
    expect(new Set(readdirSync(folder).map((name) => readMode(join(folder, name))))).toEqual(new Set(['600']))
    await store.close()
  })

  test('an existing database stays unchanged', async () => {
    const folder = await fillFolder()
    chmodSync(folder, 0o750)
    const store = await openServer(folder)
    expect(await store.keys.listKeys()).toHaveLength(300)
    expect(readMode(folder)).toBe('750')
    await store.close()
  })

  test('the database file alone contains all data once the server is closed', async () => {
    const folder = await fillFolder()
    const copy = newFolder()
    writeFileSync(databaseFile(copy), readFileSync(databaseFile(folder)))
    const store = await openServer(copy)
    expect(await store.keys.listKeys()).toHaveLength(300)
    await store.close()
  })
})

/** The damage, how it is done, and the expected message. */
const DAMAGES: readonly [string, (folder: string) => void, RegExp][] = [
  ['another kind of file', (folder) => writeFileSync(databaseFile(folder), 'hello '.repeat(9000)), /is damaged/],
  ['an overwritten header', (folder) => overwrite(databaseFile(folder), { from: 0, to: 100 }), /is damaged/],
  ['overwritten pages', (folder) => overwrite(databaseFile(folder), { from: 4096, to: 60_000 }), /is damaged/],
  ['half a file', (folder) => truncateSync(databaseFile(folder), 30_000), /is damaged/],
  ['a folder in its place', (folder) => mkdirSync(databaseFile(folder)), /cannot be opened: check/],
  ['a later version', (folder) => new Database(databaseFile(folder)).exec('PRAGMA user_version = 99'), /later version/],
]

function overwrite(file: string, { from, to }: { from: number; to: number }): void {
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0xa5, from, Math.min(to, bytes.length)))
}

describe('opening fails with', () => {
  test.each(DAMAGES)('%s', async (name, spoil, expected) => {
    const folder = name === 'a folder in its place' ? newFolder() : await fillFolder()
    spoil(folder)
    for (let round = 0; round < 2; round++) {
      // The second attempt shows that the first one left no lock.
      const error = await catchError(openServer(folder))
      expect(error).toBeInstanceOf(SetupError)
      expect(error.message).toMatch(expected)
    }
  })

  test.each(['server', 'tool'] as const)('a file in place of the folder, for a %s', async (role) => {
    const folder = join(newFolder(), 'file')
    writeFileSync(folder, '')
    const error = await catchError(openSqlite({ folder, role }))
    expect(error).toBeInstanceOf(SetupError)
    expect(error.message).toMatch(/cannot be opened: check that its folder can be created.*EEXIST/)
  })

  test('a second server, until the first is closed', async () => {
    const folder = newFolder()
    const first = await openServer(folder)
    const error = await catchError(openServer(folder))
    expect(error).toBeInstanceOf(SetupError)
    expect(error.message).toMatch(/another server runs on .*: stop it/)
    const tool = await openSqlite({ folder, role: 'tool' })
    await first.close()
    await first.close()
    const second = await openServer(folder)
    for (const store of [tool, second]) await store.close()
  })
})

describe('one turn of the event loop', () => {
  test('shares one transaction, which is durable when its calls resolve', async () => {
    const folder = newFolder()
    const store = await openServer(folder)
    const tool = await openSqlite({ folder, role: 'tool' })
    await store.usage.charge(buildCharge('key'))
    const before = statSync(`${databaseFile(folder)}-wal`).size
    let answered = false
    const charges = Array.from({ length: 500 }, () => store.usage.charge(buildCharge('key')))
    charges[0].then(() => (answered = true))
    expect(await readUsed(tool, 'key', '2026-05')).toBe(1)
    expect(answered).toBe(false)
    await charges[0]
    expect(await readUsed(tool, 'key', '2026-05')).toBe(501)
    // Separate transactions would have written a page of 4 KB each.
    expect(statSync(`${databaseFile(folder)}-wal`).size - before).toBeLessThan(10 * 4200)
    for (const one of [store, tool]) await one.close()
  })

  test('fails as a whole if another process locks the database for half a second, and the next one succeeds', async () => {
    const folder = newFolder()
    const store = await openServer(folder)
    const other = new Database(databaseFile(folder))
    other.exec('BEGIN IMMEDIATE')
    const { authDatabase } = store
    if (authDatabase.kind !== 'sqlite') throw new Error('not SQLite')
    const { db } = authDatabase
    // The event loop is blocked for as long.
    expect(db.prepare('PRAGMA busy_timeout').all()).toEqual([{ timeout: 500 }])
    db.exec('PRAGMA busy_timeout = 1')
    const waiting = [
      store.usage.charge(buildCharge('key')),
      store.usage.touch(buildCharge('key')),
      store.usage.charge(buildCharge('other')),
    ]
    for (const error of await Promise.all(waiting.map(catchError))) expect(error).toBeInstanceOf(StoreError)
    expect(await catchError(store.keys.createKey(sampleKey()))).toBeInstanceOf(StoreError)
    other.exec('ROLLBACK')
    expect(await store.usage.charge(buildCharge('key'))).toBe(1)
    await store.close()
  })

  test('counts a month and its days alike when the database becomes full', async () => {
    const folder = newFolder()
    const store = await openServer(folder)
    const { authDatabase } = store
    if (authDatabase.kind !== 'sqlite') throw new Error('not SQLite')
    const { db } = authDatabase
    const [{ page_count: pages }] = db.prepare('PRAGMA page_count').all() as { page_count: number }[]
    const keys: string[] = []
    let failed = 0
    for (let more = 0; more < 12; more++) {
      db.exec(`PRAGMA max_page_count = ${pages + more}`)
      // Fills the pages of the two tables at different moments.
      for (let n = 0; n < 40; n++) {
        const some = Array.from({ length: 3 }, () => `${sampleKey().id}${'x'.repeat(n * 7)}`)
        keys.push(...some)
        const ends = await Promise.allSettled(some.map((key) => store.usage.charge(buildCharge(key))))
        failed += ends.filter(({ status }) => status === 'rejected').length
      }
    }
    expect(failed).toBeGreaterThan(0)
    expect(failed).toBeLessThan(keys.length)
    const used = await Promise.all(keys.map((key) => readUsed(store, key, '2026-05')))
    expect(used.filter((one) => one === 0)).toHaveLength(failed)
    await store.close()
  })

  test('is written before the store closes, and later calls fail', async () => {
    const folder = newFolder()
    const store = await openServer(folder)
    const charged = store.usage.charge(buildCharge('key'))
    await store.close()
    expect(await charged).toBe(1)
    const late = [
      store.usage.charge(buildCharge('key')),
      store.keys.getKey('key'),
      store.keys.createKey(sampleKey()),
      store.ping(),
    ]
    for (const error of await Promise.all(late.map(catchError))) expect(error).toBeInstanceOf(StoreError)
    const again = await openServer(folder)
    expect(await readUsed(again, 'key', '2026-05')).toBe(1)
    await again.close()
  })
})
