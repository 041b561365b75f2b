import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildKey, hashSecret } from '../../src/keys/key.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/types.ts'
import { createAccount, writeRow } from '../store/create-account.ts'
import { sampleKey, sampleSecret } from '../store/sample-key.ts'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { mongoUrl } from '../support/services.ts'

type Env = Readonly<Record<string, string>>
const [KEY_PEPPER, OTHER] = ['a', 'another'].map((name) => `${name} pepper of the tests, at least 32`)
const folder = writeFolder({})
const mongo = mongoUrl('the command import')
const source: Env = { DATA_DIR: join(folder, 'source'), KEY_PEPPER }
const shared: Env = { MONGODB_URL: mongo ?? '', KEY_PEPPER }
const back: Env = { DATA_DIR: join(folder, 'back'), KEY_PEPPER }
const at = (ms: number): Date => new Date(Date.UTC(2026, 4, 1) + ms)
const MONTHS = ['2026-04', '2026-05', '2026-06']

let project: BuiltProject
beforeAll(() => {
  project = smallProject()
})
const service = (env: Env, ...args: string[]): Promise<Outcome> => project.run('service', args, { env })
const open = (env: Env) =>
  openStore(
    { dataDir: env.DATA_DIR ?? '', mongodbUrl: env.MONGODB_URL ?? null, keyPepper: env.KEY_PEPPER },
    { role: 'tool' },
  )

/** Everything that the store shows, through its own methods. */
async function describeStore({ keys, usage, accounts, audit, settings }: Store, hashes: readonly string[]) {
  const listed = await keys.listKeys()
  const ids = [...listed.map(({ id }) => id), 'key_deleted']
  const people = (await accounts.listAccounts({ search: '', month: '2026-05', offset: 0, limit: 100 })).accounts
  const byText = (rows: readonly object[]) => rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort()
  return {
    listed,
    found: await Promise.all(hashes.map((hash) => keys.findKey(hash))),
    months: byText((await Promise.all(MONTHS.map((month) => usage.listMonth(month)))).flat()),
    days: byText(await usage.listDays(ids, '2026-01', '2026-12')),
    people,
    scans: await Promise.all(people.map(async ({ id }) => accounts.getScan(id, `scan of ${id}`))),
    invite: await accounts.findInvite('invite', at(0)),
    audit: await audit.listAudit({ account: null, limit: 100 }),
    value: await settings.findValue('some value'),
  }
}

const { key: usable, secret } = buildKey({
  ...{ name: 'one\0two 🏄', email: 'a@a.example', plan: 'pro', revision: 1 },
  ...{ now: at(1), pepper: KEY_PEPPER },
})
const hashes = [hashSecret(secret, KEY_PEPPER), 'hash of an account']

async function fillStore(store: Store): Promise<void> {
  await store.keys.createKey(usable)
  const change = { expiresAt: at(9), perMinute: 7, perMonth: 0, revokedAt: at(5), suspendedAt: at(4) }
  await store.keys.createKey(
    sampleKey({ ...change, secrets: [sampleSecret(), sampleSecret(at(3)), sampleSecret(at(2))] }),
  )
  const ann = await createAccount(store, { email: 'ann@a.example', emailVerified: true, plan: 'starter' })
  await createAccount(store, { email: 'bob@a.example', name: '$where' })
  for (const lastFour of ['aaaa', 'bbbb']) {
    const hash = lastFour === 'aaaa' ? hashes[1] : lastFour
    const key = sampleKey({ account: ann, secrets: [{ hash, lastFour, expiresAt: null }] })
    await store.keys.createAccountKey(key, 9)
  }
  await writeRow(store, 'credentials', {
    ...{ id: 'cred', accountId: ann, providerId: 'credential', userId: ann, password: 'scrypt$x' },
    ...{ createdAt: at(1), updatedAt: at(2) },
  })
  for (const [key, day] of [
    [usable.id, '2026-04-30'],
    [usable.id, '2026-05-01'],
    [usable.id, '2026-05-31'],
    [usable.id, '2026-05-31'],
    ['key_deleted', '2026-05-02'],
  ])
    await store.usage.charge({ key, day, quota: 99, at: at(123) })
  await store.usage.touch({ key: usable.id, day: '2026-06-01', at: at(456) })
  const entry = { at: 1, result: '{"a":"ü"}', extras: '{}' }
  await store.accounts.addScan(
    { id: `scan of ${ann}`, account: ann, url: 'https://a.example', builder: null, at: at(7), entry },
    9,
  )
  await store.accounts.createInvite({ hash: 'invite', expiresAt: new Date('2099-01-01T00:00:00.001Z') })
  const nothing = { actor: null, account: null, key: null, detail: null, command: null, machine: null }
  for (const detail of ['first', 'second'])
    await store.audit.addAudit({ ...nothing, at: at(1), action: 'api_on', detail })
  await store.audit.addAudit({ ...nothing, at: at(2), action: 'key_revoked', account: ann, command: 'c', machine: 'm' })
  await store.settings.putIfAbsent('some value', 'x')
}

describe.skipIf(mongo === null)('from the embedded store to MongoDB and back', () => {
  let before: Awaited<ReturnType<typeof describeStore>>
  const file = (name: string): string => join(folder, name)
  beforeAll(async () => {
    const { store } = await open(source)
    await fillStore(store)
    before = await describeStore(store, hashes)
    await store.close()
  })
  const read = async (env: Env) => {
    const { store } = await open(env)
    const found = await describeStore(store, hashes)
    await store.close()
    return found
  }

  test('everything arrives unchanged, and charges continue', async () => {
    const { code, stdout, stderr } = await service(source, 'export', file('first'))
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toMatch(/^Exported 18 rows to \S+first\. The file contains personal data: keep it safe\.\n$/)
    expect(statSync(file('first')).mode & 0o777).toBe(0o600)
    const text = readFileSync(file('first'), 'utf8')
    for (const one of [secret, KEY_PEPPER]) expect(text).not.toContain(one)
    const imported = { code: 0, stdout: '', stderr: `Imported 18 rows from ${file('first')}.\n` }
    expect(await service(shared, 'import', file('first'))).toEqual(imported)
    expect(await read(shared)).toEqual(before)

    expect((await service(shared, 'export', file('second'))).stderr).toContain('run "service maintenance on"')
    await service(shared, 'maintenance', 'on')
    expect((await service(shared, 'export', file('second'))).code).toBe(0)
    const lines = readFileSync(file('second'), 'utf8').split('\n')
    // The switch was recorded.
    expect(lines.filter((line) => !line.includes('maintenance_on')).slice(0, -2)).toEqual(text.split('\n').slice(0, -2))
    expect((await service(back, 'import', file('first'))).code).toBe(0)
    expect(await read(back)).toEqual(before)
    const { store } = await open(back)
    expect(await store.usage.charge({ key: usable.id, day: '2026-05-31', quota: 99, at: at(999) })).toBe(4)
    await store.close()
  })

  test.each<[string, Env, (text: string) => string, RegExp]>([
    ['a store that is not empty', source, (text) => text, /already contains accounts, keys or usage/],
    [
      'another pepper',
      { DATA_DIR: file('x'), KEY_PEPPER: OTHER },
      (text) => text,
      /KEY_PEPPER is not the pepper of the/,
    ],
    ['no pepper', { DATA_DIR: file('x') }, (text) => text, /KEY_PEPPER is not set, so no exported key would work/],
    ['a truncated file', back, (text) => text.slice(0, text.lastIndexOf('{')), /is incomplete: export again/],
    ['a lost row', back, (text) => text.replace(/^.*"scans".*\n/m, ''), /:19: this line is not part of an export/],
    ['another file', back, () => '{"a":1}\n', /was not written by "service export"/],
    ['an empty file', back, () => '', /is incomplete: export again/],
    [
      'a line that is not JSON',
      back,
      (text) => text.replace('"usage"', 'usage'),
      /: this line is not part of an export/,
    ],
  ])('an import with %s is rejected', async (_, env, change, expected) => {
    await service(source, 'export', file('good'))
    writeFileSync(file('bad'), change(readFileSync(file('good'), 'utf8')))
    const { code, stderr } = await service(env, 'import', file('bad'))
    expect(code).toBe(2)
    expect(stderr).toMatch(expected)
  })

  test('an export does not replace a file, and needs a store that no server uses', async () => {
    await service(source, 'export', file('good'))
    expect((await service(source, 'export', file('good'))).stderr).toContain('already exists: choose another file')
    expect((await service({ DATA_DIR: file('none') }, 'export', file('n'))).stderr).toContain(
      'does not contain a database',
    )
    const { store } = await openStore(
      { dataDir: source.DATA_DIR, mongodbUrl: null, keyPepper: KEY_PEPPER },
      { role: 'server' },
    )
    const { stderr } = await service(source, 'export', file('n'))
    await store.close()
    expect(stderr).toBe(`another server runs on ${source.DATA_DIR}: stop it, then try again\n`)
  })
})
