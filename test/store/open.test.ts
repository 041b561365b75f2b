import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { SetupError } from '../../src/errors.ts'
import { buildKey, hashSecret } from '../../src/keys/key.ts'
import { backupStore, openStore, type StoreSettings } from '../../src/store/open.ts'
import { mongoUrl } from '../support/services.ts'

const root = mkdtempSync(join(tmpdir(), 'siteprint-open-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0
const newFolder = (): string => join(root, `data-${++count}`)

const PEPPER = 'a pepper of the tests, at least 32'
const OTHER = 'another pepper of the tests, 32 too'
const embedded = (dataDir: string, keyPepper: string | null = null): StoreSettings => ({
  dataDir,
  mongodbUrl: null,
  keyPepper,
})

/** Opens, closes, and gives the pepper. */
async function pepperOf(settings: StoreSettings, role: 'server' | 'tool' = 'server'): Promise<string> {
  const { store, pepper } = await openStore(settings, { role })
  await store.close()
  return pepper
}

/** What opening a store is refused with; never with a pepper in it. */
async function refusalOf(opening: Promise<unknown>): Promise<string> {
  const error = await opening.then(
    () => new Error('not refused'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(SetupError)
  const { message } = error as SetupError
  expect(message).not.toContain(PEPPER)
  expect(message).not.toContain(OTHER)
  return message
}

describe('the pepper of the embedded store', () => {
  test('is not made where KEY_PEPPER gives one', async () => {
    const folder = newFolder()
    expect(await pepperOf(embedded(folder, PEPPER))).toBe(PEPPER)
    expect(existsSync(join(folder, 'pepper'))).toBe(false)
  })

  test('that is lost is not replaced: it would not fit the keys', async () => {
    const folder = newFolder()
    const pepper = await pepperOf(embedded(folder))
    rmSync(join(folder, 'pepper'))
    const missing = `${join(folder, 'pepper')} is missing: put the pepper of a backup in its place, or set KEY_PEPPER to it`
    expect(await refusalOf(pepperOf(embedded(folder)))).toBe(missing)
    expect(existsSync(join(folder, 'pepper'))).toBe(false)
    expect(await pepperOf(embedded(folder, pepper))).toBe(pepper)
  })
})

const anotherPepper = (place: string): string =>
  `${place} is not the pepper that this store was first opened with: no key made with that one would be known. Put the former pepper back.`

test.each(['server', 'tool'] as const)('another pepper is refused, and the store let go: %s', async (role) => {
  const folder = newFolder()
  await pepperOf(embedded(folder, PEPPER))
  expect(await refusalOf(openStore(embedded(folder, OTHER), { role }))).toBe(anotherPepper('KEY_PEPPER'))
  writeFileSync(join(folder, 'pepper'), OTHER)
  expect(await refusalOf(openStore(embedded(folder), { role }))).toBe(anotherPepper(join(folder, 'pepper')))
  expect(await pepperOf(embedded(folder, PEPPER))).toBe(PEPPER)
})

test('one server at a time, tools beside it', async () => {
  const settings = embedded(newFolder())
  const { store, pepper } = await openStore(settings, { role: 'server' })
  expect(await refusalOf(openStore(settings, { role: 'server' }))).toContain('another server runs on')
  expect(await pepperOf(settings, 'tool')).toBe(pepper)
  await store.close()
  expect(await pepperOf(settings)).toBe(pepper)
})

test('calls are told to whoever observes', async () => {
  const seen: string[] = []
  const { store } = await openStore(embedded(newFolder()), {
    role: 'server',
    observe: (operation) => seen.push(operation),
  })
  await store.ping()
  await store.close()
  expect(seen).toContain('ping')
})

describe('a backup', () => {
  test('serves as a DATA_DIR, made beside a running server', async () => {
    const settings = embedded(newFolder())
    const { store, pepper } = await openStore(settings, { role: 'server' })
    const { key, secret } = buildKey({
      name: 'n',
      email: 'e@a.example',
      plan: 'free',
      revision: null,
      now: new Date(),
      pepper,
    })
    await store.createKey(key)
    const target = join(newFolder(), 'deep')
    await backupStore(settings, target)
    await store.close()
    expect(statSync(target).mode & 0o777).toBe(0o700)
    expect(statSync(join(target, 'pepper')).mode & 0o777).toBe(0o600)
    const copy = await openStore(embedded(target), { role: 'server' })
    expect(await copy.store.findKey(hashSecret(secret, copy.pepper))).toEqual(key)
    await copy.store.close()
  })

  test('leaves KEY_PEPPER where it is', async () => {
    const settings = embedded(newFolder(), PEPPER)
    await pepperOf(settings)
    const target = newFolder()
    await backupStore(settings, target)
    expect(readdirSync(target)).toEqual(['siteprint.db'])
  })

  test('is refused where it cannot be whole', async () => {
    const [full, empty, other] = [embedded(newFolder()), embedded(newFolder()), newFolder()]
    await pepperOf(full)
    expect(await refusalOf(backupStore(empty, newFolder()))).toContain('set DATA_DIR to the folder of the server')
    expect(await refusalOf(backupStore(full, full.dataDir))).toContain('holds a pepper already: name another folder')
    expect(await refusalOf(backupStore({ ...full, mongodbUrl: 'mongodb://127.0.0.1/x' }, other))).toContain(
      'run mongodump',
    )
    expect(existsSync(other)).toBe(false)
  })
})

const url = mongoUrl('the store that the settings name')
describe.skipIf(url === null)('with MongoDB', () => {
  const shared = (keyPepper: string): StoreSettings => ({ dataDir: newFolder(), mongodbUrl: url, keyPepper })
  test('all nodes have one pepper', async () => {
    const settings = shared(PEPPER)
    expect(await Promise.all([pepperOf(settings), pepperOf(settings), pepperOf(settings, 'tool')])).toEqual([
      PEPPER,
      PEPPER,
      PEPPER,
    ])
    expect(await refusalOf(pepperOf(shared(OTHER)))).toBe(anotherPepper('KEY_PEPPER'))
    expect(existsSync(settings.dataDir)).toBe(false)
  })

  test('that is away, a start is refused in a sentence without a password', async () => {
    const settings = { ...shared(PEPPER), mongodbUrl: 'mongodb://me:hunter2@127.0.0.1:9/x' }
    expect(await refusalOf(pepperOf(settings))).not.toContain('hunter2')
  })
})
