import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SetupError } from '../../../src/errors.ts'
import { DATABASE_FILE } from '../../../src/store/sqlite/database.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { newFolder } from '../open-stores.ts'
import { readUsed } from '../read-used.ts'
import { buildStore, type StoreProcess, startCode, startStore } from '../store-process.ts'

const use = (quota: number) => ({ counter: 'key', day: '2026-05-17', quota, at: new Date(0) })
/** The value of `use` as source code. */
const useText = (quota: number): string => `{ counter: 'key', day: '2026-05-17', quota: ${quota}, at: new Date(0) }`

let built: string
const started: StoreProcess[] = []
beforeAll(() => {
  built = buildStore()
})
afterAll(async () => {
  for (const one of started) await one.kill()
})

function start(data: string, role: 'server' | 'tool', code: string): StoreProcess {
  const one = startStore(built, { data, role, code })
  started.push(one)
  return one
}

test('ten processes that create one database concurrently can all use it', async () => {
  for (let round = 0; round < 3; round++) {
    const folder = join(newFolder(), 'data')
    const code = `say(await store.usage.charge(${useText(100)}))`
    const all = Array.from({ length: 10 }, (_, n) => start(folder, n === 0 ? 'server' : 'tool', code))
    await Promise.all(all.map((one) => one.ended()))
    const counts = all.map(({ lines }) => Number(lines[0])).sort((a, b) => a - b)
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  }
})

test.each(['server', 'tool'] as const)('a %s waits for a process that is creating the same tables', async (role) => {
  const folder = newFolder()
  const holder = startCode(
    built,
    `import Database from 'libsql'
     const db = new Database(${JSON.stringify(join(folder, DATABASE_FILE))})
     db.exec('BEGIN IMMEDIATE; CREATE TABLE other (id)')
     say('held')
     setTimeout(() => { db.exec('COMMIT'); db.close() }, 800)`,
  )
  started.push(holder)
  await holder.wrote(1)
  const store = await openSqlite({ folder, role })
  expect(await store.usage.charge(use(1))).toBe(1)
  await store.close()
  await holder.ended()
})

test('two processes charge one key concurrently: the quota is enforced and no charge is lost', async () => {
  const folder = newFolder()
  const store = await openSqlite({ folder, role: 'server' })
  // Single charges and bundles, so that the two processes conflict at many different points.
  const other = start(
    folder,
    'tool',
    `say('ready')
     let counted = 0
     for (let n = 0; n < 60; n++) {
       const bundle = Array.from({ length: 1 + n % 60 }, () => store.usage.charge(${useText(3000)}))
       counted += (await Promise.all(bundle)).filter((count) => count !== null).length
     }
     say(counted)`,
  )
  await other.wrote(1)
  let counted = 0
  for (let n = 0; n < 100; n++) {
    const bundle = Array.from({ length: 1 + (n % 50) }, () => store.usage.charge(use(3000)))
    counted += (await Promise.all(bundle)).filter((count) => count !== null).length
  }
  await other.ended()
  const theirs = Number(other.lines[1])
  expect(theirs).toBeGreaterThan(0)
  expect(counted).toBeGreaterThan(0)
  // 1,830 and 2,550 charges were attempted.
  expect(counted + theirs).toBe(3000)
  expect(await readUsed(store, 'key', '2026-05')).toBe(3000)
  await store.close()
})

describe('a server that is killed', () => {
  test('kept a second one out while it ran, and leaves no lock', async () => {
    const folder = newFolder()
    const first = start(folder, 'server', `say('ready'); setInterval(() => {}, 1000)`)
    await first.wrote(1)
    await expect(openSqlite({ folder, role: 'server' })).rejects.toThrow(SetupError)
    await first.kill()
    const second = await openSqlite({ folder, role: 'server' })
    expect(await second.settings.switches()).toEqual({ maintenance: false, apiOff: false })
    await second.close()
  })

  test('has lost no charge that it answered', async () => {
    for (let round = 0; round < 5; round++) {
      const folder = newFolder()
      const loop = `for (;;) say(Math.max(...await Promise.all([1, 2, 3].map(() => store.usage.charge(${useText(1e6)})))))`
      const killed = start(folder, 'server', loop)
      await killed.wrote(20 + round * 50)
      await killed.kill()
      const reported = Number(killed.lines.at(-1))
      const store = await openSqlite({ folder, role: 'server' })
      const used = await readUsed(store, 'key', '2026-05')
      // The three charges of the last turn may be stored without having been reported.
      expect([reported, reported + 3]).toContain(used)
      await store.close()
    }
  })
})

test('a running server immediately reads what a tool writes', async () => {
  const folder = newFolder()
  const store = await openSqlite({ folder, role: 'server' })
  await store.usage.charge(use(9))
  const code = `await store.settings.setSwitches({ maintenance: true }); await store.usage.charge(${useText(9)}); await store.close()`
  await start(folder, 'tool', code).ended()
  expect(await store.settings.switches()).toEqual({ maintenance: true, apiOff: false })
  expect(await store.usage.charge(use(9))).toBe(3)
  await store.close()
})
