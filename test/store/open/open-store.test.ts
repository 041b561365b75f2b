import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { buildKey, hashSecret } from '../../../src/keys/key.ts'
import { backupStore, openStore, type StoreSettings } from '../../../src/store/open/open-store.ts'
import { formatMismatch, OTHER, PEPPER, readPepper, readSetupError } from '../peppers.ts'

const root = mkdtempSync(join(tmpdir(), 'siteprint-open-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0
const newFolder = (): string => join(root, `data-${++count}`)

const embedded = (dataDir: string, keyPepper: string | null = null): StoreSettings => ({
  dataDir,
  mongodbUrl: null,
  keyPepper,
})

describe('the pepper of the embedded store', () => {
  test('is not created if KEY_PEPPER is set', async () => {
    const folder = newFolder()
    expect(await readPepper(embedded(folder, PEPPER))).toBe(PEPPER)
    expect(existsSync(join(folder, 'pepper'))).toBe(false)
  })

  test('is not replaced if it is missing, because a new one would not match the keys', async () => {
    const folder = newFolder()
    const pepper = await readPepper(embedded(folder))
    rmSync(join(folder, 'pepper'))
    const missing = `${join(folder, 'pepper')} is missing: restore the pepper from a backup, or set KEY_PEPPER to it`
    expect(await readSetupError(readPepper(embedded(folder)))).toBe(missing)
    expect(existsSync(join(folder, 'pepper'))).toBe(false)
    expect(await readPepper(embedded(folder, pepper))).toBe(pepper)
  })
})

test.each(['server', 'tool'] as const)(
  'another pepper is rejected and the store closed again, as a %s',
  async (role) => {
    const folder = newFolder()
    await readPepper(embedded(folder, PEPPER))
    expect(await readSetupError(openStore(embedded(folder, OTHER), { role }))).toBe(formatMismatch('KEY_PEPPER'))
    writeFileSync(join(folder, 'pepper'), OTHER)
    expect(await readSetupError(openStore(embedded(folder), { role }))).toBe(formatMismatch(join(folder, 'pepper')))
    expect(await readPepper(embedded(folder, PEPPER))).toBe(PEPPER)
  },
)

test('peppers that are set together with a known one become known', async () => {
  const folder = newFolder()
  const third = 'a third pepper of these tests, of 32'
  const open = async (keyPepper: string, keyPepperOld: string | null = null) => {
    const { store, ...peppers } = await openStore({ ...embedded(folder, keyPepper), keyPepperOld }, { role: 'server' })
    await store.close()
    return peppers
  }
  const { firstPepper } = await open(PEPPER)
  const neither = 'neither KEY_PEPPER nor KEY_PEPPER_OLD is a pepper of this store'
  expect(await readSetupError(open(OTHER))).toBe(formatMismatch('KEY_PEPPER'))
  expect(await readSetupError(open(OTHER, third))).toContain(neither)
  expect(await readSetupError(open(OTHER))).toBe(formatMismatch('KEY_PEPPER'))
  // Like a rollout to several nodes: the new pepper is first accepted, then used, and finally the old one is removed.
  expect(await open(PEPPER, OTHER)).toEqual({ pepper: PEPPER, oldPepper: OTHER, firstPepper })
  expect(await open(OTHER, PEPPER)).toEqual({ pepper: OTHER, oldPepper: PEPPER, firstPepper })
  expect(await open(OTHER)).toEqual({ pepper: OTHER, oldPepper: null, firstPepper })
  expect(await open(third, OTHER)).toEqual({ pepper: third, oldPepper: OTHER, firstPepper })
  expect(await open(third)).toEqual({ pepper: third, oldPepper: null, firstPepper })
})

test('a folder has one server at a time, and tools run while the server does', async () => {
  const settings = embedded(newFolder())
  const { store, pepper } = await openStore(settings, { role: 'server' })
  expect(await readSetupError(openStore(settings, { role: 'server' }))).toContain('another server runs on')
  expect(await readPepper(settings, 'tool')).toBe(pepper)
  await store.close()
  expect(await readPepper(settings)).toBe(pepper)
})

test('calls are reported to the observer', async () => {
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
  test('made while a server runs can be used as DATA_DIR', async () => {
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
    await store.keys.createKey(key)
    const target = join(newFolder(), 'deep')
    await backupStore({ ...settings, authSecret: null }, target)
    await store.close()
    expect(statSync(target).mode & 0o777).toBe(0o700)
    expect(statSync(join(target, 'pepper')).mode & 0o777).toBe(0o600)
    const copy = await openStore(embedded(target), { role: 'server' })
    expect(await copy.store.keys.findKey(hashSecret(secret, copy.pepper))).toEqual(key)
    await copy.store.close()
  })

  test('does not contain KEY_PEPPER', async () => {
    const settings = embedded(newFolder(), PEPPER)
    await readPepper(settings)
    const target = newFolder()
    await backupStore({ ...settings, authSecret: null }, target)
    expect(readdirSync(target)).toEqual(['siteprint.db'])
  })

  test('is rejected if it would be incomplete', async () => {
    const [full, empty, other] = [embedded(newFolder()), embedded(newFolder()), newFolder()]
    await readPepper(full)
    expect(await readSetupError(backupStore({ ...empty, authSecret: null }, newFolder()))).toContain(
      'set DATA_DIR to the data folder of the server',
    )
    expect(await readSetupError(backupStore({ ...full, authSecret: null }, full.dataDir))).toContain(
      'already contains a pepper: choose another folder',
    )
    expect(
      await readSetupError(backupStore({ ...full, authSecret: null, mongodbUrl: 'mongodb://127.0.0.1/x' }, other)),
    ).toContain('run mongodump')
    expect(existsSync(other)).toBe(false)
  })
})
