import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, test } from 'vitest'
import { SetupError } from '../../../src/errors.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { type Charge, type Store, StoreError } from '../../../src/store/types.ts'
import { newFolder } from '../open-stores.ts'
import { sampleKey } from '../sample-key.ts'

const chargeOf = (key: string): Charge => ({ key, month: '2026-05', quota: 1e6, at: new Date(0) })
const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8)
const server = (folder: string): Promise<Store> => openSqlite({ folder, role: 'server' })
const fileOf = (folder: string): string => join(folder, 'siteprint.db')

async function faultOf(promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!(error instanceof Error)) throw new Error('it did not fail')
  return error
}

/** A folder whose database holds many keys, and is closed. */
async function filledFolder(): Promise<string> {
  const folder = newFolder()
  const store = await server(folder)
  for (let n = 0; n < 300; n++) await store.createKey(sampleKey())
  await store.close()
  return folder
}

describe('the folder', () => {
  test.each(['server', 'tool'] as const)('is for its owner alone, made by a %s', async (role) => {
    const folder = join(newFolder(), 'one', 'two')
    const store = await openSqlite({ folder, role })
    await store.charge(chargeOf('key'))
    expect([folder, join(folder, '..')].map(modeOf)).toEqual(['700', '700'])
    const files = readdirSync(folder).filter((name) => name !== 'server.lock')
    expect(files.sort()).toEqual(['siteprint.db', 'siteprint.db-shm', 'siteprint.db-wal'])
    expect(new Set(readdirSync(folder).map((name) => modeOf(join(folder, name))))).toEqual(new Set(['600']))
    await store.close()
  })

  test('a database that is there is left as it is', async () => {
    const folder = await filledFolder()
    chmodSync(folder, 0o750)
    const store = await server(folder)
    expect(await store.listKeys()).toHaveLength(300)
    expect(modeOf(folder)).toBe('750')
    await store.close()
  })

  test('the file alone holds everything once the server is closed', async () => {
    const folder = await filledFolder()
    const copy = newFolder()
    writeFileSync(fileOf(copy), readFileSync(fileOf(folder)))
    const store = await server(copy)
    expect(await store.listKeys()).toHaveLength(300)
    await store.close()
  })
})

/** What is wrong → what the operator reads. */
const FAULTS: readonly [string, (folder: string) => void, RegExp][] = [
  ['no database', (folder) => writeFileSync(fileOf(folder), 'hello '.repeat(9000)), /is damaged/],
  ['an overwritten header', (folder) => overwrite(fileOf(folder), { from: 0, to: 100 }), /is damaged/],
  ['overwritten pages', (folder) => overwrite(fileOf(folder), { from: 4096, to: 60_000 }), /is damaged/],
  ['half a file', (folder) => truncateSync(fileOf(folder), 30_000), /is damaged/],
  ['a folder in its place', (folder) => mkdirSync(fileOf(folder)), /cannot be opened: check/],
  ['a later version', (folder) => new Database(fileOf(folder)).exec('PRAGMA user_version = 99'), /later version/],
]

function overwrite(file: string, { from, to }: { from: number; to: number }): void {
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0xa5, from, Math.min(to, bytes.length)))
}

describe('what cannot be opened', () => {
  test.each(FAULTS)('%s', async (name, spoil, expected) => {
    const folder = name === 'a folder in its place' ? newFolder() : await filledFolder()
    spoil(folder)
    for (let round = 0; round < 2; round++) {
      // The second time it is no lock that is in the way.
      const error = await faultOf(server(folder))
      expect(error).toBeInstanceOf(SetupError)
      expect(error.message).toMatch(expected)
    }
  })

  test.each(['server', 'tool'] as const)('a file in place of the folder, for a %s', async (role) => {
    const folder = join(newFolder(), 'file')
    writeFileSync(folder, '')
    const error = await faultOf(openSqlite({ folder, role }))
    expect(error).toBeInstanceOf(SetupError)
    expect(error.message).toMatch(/cannot be opened: check that its folder can be made.*EEXIST/)
  })

  test('a second server, until the first is closed', async () => {
    const folder = newFolder()
    const first = await server(folder)
    const error = await faultOf(server(folder))
    expect(error).toBeInstanceOf(SetupError)
    expect(error.message).toMatch(/another server runs on .*: stop it/)
    const tool = await openSqlite({ folder, role: 'tool' })
    await first.close()
    await first.close()
    const second = await server(folder)
    for (const store of [tool, second]) await store.close()
  })
})

describe('one turn of the event loop', () => {
  test('shares one transaction, which is written when it answers', async () => {
    const folder = newFolder()
    const store = await server(folder)
    const tool = await openSqlite({ folder, role: 'tool' })
    await store.charge(chargeOf('key'))
    const before = statSync(`${fileOf(folder)}-wal`).size
    let answered = false
    const charges = Array.from({ length: 500 }, () => store.charge(chargeOf('key')))
    charges[0].then(() => (answered = true))
    expect(await tool.usedBy('key', '2026-05')).toBe(1)
    expect(answered).toBe(false)
    await charges[0]
    expect(await tool.usedBy('key', '2026-05')).toBe(501)
    // Transactions of their own would have written a page of 4 KB each.
    expect(statSync(`${fileOf(folder)}-wal`).size - before).toBeLessThan(10 * 4200)
    for (const one of [store, tool]) await one.close()
  })

  test('fails as a whole while another process holds the database, and the next one goes on', async () => {
    const folder = newFolder()
    const store = await server(folder)
    const other = new Database(fileOf(folder))
    other.exec('BEGIN IMMEDIATE')
    const start = performance.now()
    const waiting = [store.charge(chargeOf('key')), store.touch(chargeOf('key')), store.charge(chargeOf('other'))]
    for (const error of await Promise.all(waiting.map(faultOf))) expect(error).toBeInstanceOf(StoreError)
    expect(performance.now() - start).toBeLessThan(2000)
    expect(await faultOf(store.createKey(sampleKey()))).toBeInstanceOf(StoreError)
    other.exec('ROLLBACK')
    expect(await store.charge(chargeOf('key'))).toBe(1)
    await store.close()
  })

  test('is written before the store closes; later calls fail', async () => {
    const folder = newFolder()
    const store = await server(folder)
    const charged = store.charge(chargeOf('key'))
    await store.close()
    expect(await charged).toBe(1)
    const late = [store.charge(chargeOf('key')), store.getKey('key'), store.createKey(sampleKey()), store.ping()]
    for (const error of await Promise.all(late.map(faultOf))) expect(error).toBeInstanceOf(StoreError)
    const again = await server(folder)
    expect(await again.usedBy('key', '2026-05')).toBe(1)
    await again.close()
  })
})
