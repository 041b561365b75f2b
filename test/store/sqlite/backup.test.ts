import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SetupError } from '../../../src/errors.ts'
import { backupSqlite } from '../../../src/store/sqlite/backup.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../../src/store/types.ts'
import { newFolder } from '../open-stores.ts'
import { readUsed } from '../read-used.ts'
import { sampleKey } from '../sample-key.ts'
import { buildStore, startStore } from '../store-process.ts'

const readMode = (file: string): string => (statSync(file).mode & 0o777).toString(8)

describe('a backup', () => {
  const folder = newFolder()
  let store: Store
  beforeAll(async () => {
    store = await openSqlite({ folder, role: 'server' })
    for (let n = 0; n < 50; n++) await store.keys.createKey(sampleKey())
  })
  afterAll(() => store.close())

  test('made while a server runs can be opened, has the same content, and is readable only by its owner', async () => {
    const target = join(newFolder(), 'one', 'two')
    await backupSqlite(folder, target)
    expect([target, join(target, 'siteprint.db')].map(readMode)).toEqual(['700', '600'])
    expect(readdirSync(target)).toEqual(['siteprint.db'])
    const copy = await openSqlite({ folder: target, role: 'server' })
    expect(await copy.keys.listKeys()).toEqual(await store.keys.listKeys())
    await copy.close()
    await store.ping()
  })

  test('of a database that another process writes is a consistent snapshot', async () => {
    const data = newFolder()
    // Two keys in one turn of the event loop: their counts would differ in a copy made between the two.
    const charge = (key: string) =>
      `store.usage.charge({ counter: '${key}', day: '2026-05-17', quota: 1e6, at: new Date(0) })`
    const code = `for (;;) { await Promise.all([${charge('a')}, ${charge('b')}]); say('') }`
    const writing = startStore(buildStore(), { data, role: 'server', code })
    const seen = new Set<number>()
    for (let round = 0; round < 20; round++) {
      await writing.wrote(20 * round + 20)
      const target = newFolder()
      await backupSqlite(data, target)
      const copy = await openSqlite({ folder: target, role: 'server' })
      const used = await Promise.all(['a', 'b'].map((key) => readUsed(copy, key, '2026-05')))
      expect(used[0]).toBe(used[1])
      expect(used[0]).toBeGreaterThanOrEqual(20 * round + 20)
      seen.add(used[0])
      await copy.close()
    }
    await writing.kill()
    expect(seen.size).toBeGreaterThan(10)
  })

  test.each([
    ['a folder that contains a database', 'siteprint.db', /already contains a database: choose another folder/],
    ['a file in place of the folder', '', /cannot be opened: check/],
  ])('into %s is rejected and leaves it unchanged', async (_, name, expected) => {
    const target = join(newFolder(), 'target')
    if (name !== '') mkdirSync(target)
    const file = join(target, name)
    writeFileSync(file, 'precious')
    const made = backupSqlite(folder, target)
    await expect(made).rejects.toThrow(SetupError)
    await expect(made).rejects.toThrow(expected)
    expect(statSync(file).size).toBe(8)
  })

  test('of a folder without a database is rejected and creates none', async () => {
    const empty = newFolder()
    const target = join(newFolder(), 'target')
    await expect(backupSqlite(empty, target)).rejects.toThrow(/does not contain a database: set DATA_DIR/)
    expect(readdirSync(empty)).toEqual([])
    expect(() => statSync(target)).toThrow()
  })

  test('of a damaged database leaves no copy', async () => {
    const damaged = newFolder()
    writeFileSync(join(damaged, 'siteprint.db'), 'hello '.repeat(9000))
    const target = newFolder()
    await expect(backupSqlite(damaged, target)).rejects.toThrow(/is damaged/)
    expect(readdirSync(target)).toEqual([])
  })

  test('that was interrupted does not prevent the next one', async () => {
    const target = newFolder()
    writeFileSync(join(target, 'siteprint.db.part'), 'half a copy')
    await backupSqlite(folder, target)
    expect(readdirSync(target)).toEqual(['siteprint.db'])
    rmSync(target, { recursive: true })
  })
})
