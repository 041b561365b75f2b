import { readdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSecret, isUsable, isWellFormed } from '../../src/keys/key.ts'
import type { Key } from '../../src/keys/types.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/types.ts'
import { createAccount } from '../store/create-account.ts'
import { sampleKey } from '../store/sample-key.ts'
import { type BuiltProject, builtProject, type Outcome } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { mongoUrl } from '../support/services.ts'

const KEY_PEPPER = 'a pepper of the tests, at least 32'
const ANN = ['--name', 'Ann Ö', '--email', 'ann@a.example', '--plan', 'pro']
const DAY_MS = 86_400_000

async function createSampleKey(store: Store, change: Partial<Key>): Promise<Key> {
  const key = sampleKey(change)
  await store.keys.createKey(key)
  return key
}

let project: BuiltProject
beforeAll(() => {
  project = builtProject()
})

type Env = Readonly<Record<string, string>>
const folder = writeFolder({})
const mongo = mongoUrl('the command keys')
const stores: [string, Env][] = [
  ['SQLite', { DATA_DIR: join(folder, 'data') }],
  ...(mongo === null ? [] : [['MongoDB', { MONGODB_URL: mongo, KEY_PEPPER }] satisfies [string, Env]]),
]

describe.each(stores)('on %s, while a server uses the store', (_, env) => {
  let store: Store
  let pepper: string
  let id: string
  let secret: string
  beforeAll(async () => {
    const settings = {
      dataDir: env.DATA_DIR ?? '',
      mongodbUrl: env.MONGODB_URL ?? null,
      keyPepper: env.KEY_PEPPER ?? null,
    }
    ;({ store, pepper } = await openStore(settings, { role: 'server' }))
  })
  afterAll(() => store.close())

  const keys = (...args: string[]): Promise<Outcome> => project.run('keys', args, { env })
  /** Runs a command that must succeed. Returns its standard output. */
  async function succeed(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await keys(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) })
    expect(stderr).not.toContain('spk_live_')
    return stdout
  }
  const known = (one: string): Promise<Key | null> => store.keys.findKey(hashSecret(one, pepper))

  test('list without keys', async () => {
    expect(await keys('list')).toEqual({ code: 0, stdout: '', stderr: 'There are no keys yet.\n' })
    expect(await keys('list', '--json')).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('create prints only the secret on stdout, and on stderr that it is shown once', async () => {
    const { code, stdout, stderr } = await keys('create', ...ANN, '--revision', '1')
    secret = stdout.slice(0, -1)
    expect({ code, isGood: isWellFormed(secret), end: stdout.at(-1) }).toEqual({ code: 0, isGood: true, end: '\n' })
    expect(stderr).toMatch(/^Created key_\w{16}\. Its secret is shown once, below\. Store it safely\.\n$/)
    id = /key_\w{16}/.exec(stderr)?.[0] ?? ''
    const key = await known(secret)
    expect(key).toMatchObject({ id, name: 'Ann Ö', email: 'ann@a.example', plan: 'pro', revision: 1, revokedAt: null })
    expect(Math.abs(Date.now() - Number(key?.createdAt))).toBeLessThan(60_000)
  })

  test('list shows no secret, as a table or as JSON lines', async () => {
    await succeed('create', '--name', 'B', '--email', 'b@a.example', '--plan', 'free')
    const at = new Date('2026-03-04T05:06:07.890Z')
    await store.usage.touch({ key: id, day: '2026-03-04', at })
    const lines = (await succeed('list', '--json'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ name }) => name)).toEqual(['Ann Ö', 'B'])
    const shown = `spk_live_…${secret.slice(-4)}`
    const ann = {
      id,
      name: 'Ann Ö',
      email: 'ann@a.example',
      plan: 'pro',
      revision: 1,
      secret: shown,
      pepper: 'current',
    }
    const never = { expiresAt: null, suspendedAt: null, revokedAt: null }
    const times = { createdAt: expect.any(String), lastUsedAt: at.toISOString(), ...never }
    expect(lines[0]).toEqual({ ...ann, account: null, used: 0, limit: 10_000, ...times })
    const [head, first, second] = (await succeed('list')).split('\n')
    expect(head).toMatch(
      /^ID +NAME +EMAIL +PLAN +ACCOUNT +REVISION +KEY +PEPPER +USED +LIMIT +CREATED +LAST USED +EXPIRES +SUSPENDED +REVOKED$/,
    )
    expect(first).toMatch(
      new RegExp(
        `^${id}  Ann Ö  ann@a\\.example  pro   -        1         ${shown}  current  0     10000  [\\d-]{10} [\\d:]{5}  2026-03-04 05:06  -        -          -$`,
      ),
    )
    expect(second.indexOf('b@a.example')).toBe(head.indexOf('EMAIL'))
  })

  test('show reports the usage of this month, and what remains after a change to a smaller plan', async () => {
    const month = new Date().toISOString().slice(0, 7)
    for (let i = 0; i < 101; i++) await store.usage.charge({ key: id, day: `${month}-01`, quota: 200, at: new Date() })
    expect(JSON.parse(await succeed('show', id))).toMatchObject({
      id,
      plan: 'pro',
      usage: { month, used: 101, limit: 10_000, remaining: 9899, days: [{ date: `${month}-01`, requests: 101 }] },
    })
    expect(await keys('set-plan', id, 'free')).toEqual({
      code: 0,
      stdout: '',
      stderr: `${id} now has the plan free.\n`,
    })
    expect(JSON.parse(await succeed('show', id))).toMatchObject({
      id,
      plan: 'free',
      usage: { month, used: 101, limit: 100, remaining: 0 },
    })
  })

  test('list and usage count the requests of a month for all keys, past months included', async () => {
    const month = new Date().toISOString().slice(0, 7)
    const at = new Date('2026-02-28T23:59:59.000Z')
    const gone = await createSampleKey(store, { createdAt: at })
    const old = await createSampleKey(store, { createdAt: at, name: '=1+1', perMonth: 7 })
    for (const { id: key } of [gone, gone, old]) await store.usage.charge({ key, day: '2026-02-28', quota: 200, at })
    await store.keys.deleteKey(gone.id)
    expect(JSON.parse((await succeed('list', '--json')).split('\n')[0])).toMatchObject({
      id: old.id,
      used: 0,
      limit: 7,
    })
    expect(await succeed('list')).toMatch(new RegExp(`^${id} .* 101 +100 `, 'm'))
    const now = (await succeed('usage', '--json'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(now.find((row) => row.id === id)).toMatchObject({
      month,
      name: 'Ann Ö',
      plan: 'free',
      used: 101,
      limit: 100,
    })
    expect(now.map((row) => row.id)).not.toContain(gone.id)
    const past = await keys('usage', '--month', '2026-02', '--json')
    const rows = [
      { id: old.id, name: '=1+1', email: old.email, account: null, plan: 'free', used: 1, limit: 7 },
      { id: gone.id, name: null, email: null, account: null, plan: null, used: 2, limit: null },
    ]
    expect(past.stdout).toBe(
      rows
        .map(
          ({ used, limit, ...row }) => `${JSON.stringify({ month: '2026-02', ...row, used, limit, lastUsedAt: at })}\n`,
        )
        .join(''),
    )
    expect(past.stderr).toBe('Charged scans in 2026-02: 3. Keys: 2.\n')
    const csv = await succeed('usage', '--month', '2026-02', '--csv')
    expect(csv.split('\r\n').slice(0, 2)).toEqual([
      '\ufeffmonth,id,name,email,account,plan,used,limit,lastUsedAt',
      `2026-02,${old.id},'=1+1,${old.email},,free,1,7,${at.toISOString()}`,
    ])
    expect(await succeed('usage', '--month', '2026-02')).toMatch(
      new RegExp(`^${gone.id} +- +- +- +- +2 +- +2026-02-28 23:59$`, 'm'),
    )
    expect(await keys('usage', '--month', '2026-01')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'There were no keys in 2026-01.\n',
    })
    await store.keys.deleteKey(old.id)
  })

  test('name, address, limits and expiry can be changed, and each change is recorded', async () => {
    const inTenDays = (Date.now() + 10 * DAY_MS) / 1000
    const limits = 'key_limits_changed'
    const by = (verb: string) => ({ command: `keys ${verb}`, actor: null, machine: hostname() })
    const changes = [
      [['set-name', id, 'Ann B'], { name: 'Ann B' }, 'key_renamed', null],
      [['set-email', id, 'annb@a.example'], { email: 'annb@a.example' }, 'key_email_changed', null],
      [
        ['set-limits', id, '--per-minute', '3'],
        { perMinute: 3, perMonth: null },
        limits,
        '3 requests per minute, 100 charged scans per month (plan)',
      ],
      [
        ['set-limits', id, '--per-month', '0'],
        { perMinute: 3, perMonth: 0 },
        limits,
        '3 requests per minute, 0 charged scans per month',
      ],
      [
        ['set-limits', id, '--per-minute=plan'],
        { perMinute: null, perMonth: 0 },
        limits,
        '10 requests per minute (plan), 0 charged scans per month',
      ],
      [
        ['set-limits', id, '--per-minute=plan', '--per-month=plan'],
        { perMinute: null, perMonth: null },
        limits,
        '10 requests per minute (plan), 100 charged scans per month (plan)',
      ],
      [
        ['set-expiry', id, '2099-01-31'],
        { expiresAt: new Date('2099-01-31') },
        'key_expiry_changed',
        '2099-01-31T00:00:00.000Z',
      ],
      [['set-expiry', id, 'never'], { expiresAt: null }, 'key_expiry_changed', 'never'],
    ] as const
    for (const [args, expected, action, detail] of changes) {
      const { code, stderr } = await keys(...args)
      expect(code).toBe(0)
      if (action === limits) expect(stderr).toBe(`The limits of ${id} are now ${detail}.\n`)
      expect(await store.keys.getKey(id)).toMatchObject(expected)
      const [newest] = await store.audit.listAudit({ account: null, limit: 1 })
      expect(newest).toMatchObject({ action, detail, key: id, ...by(args[0]) })
    }
    await succeed('set-expiry', id, '10d')
    expect(Number((await store.keys.getKey(id))?.expiresAt) / 1000).toBeCloseTo(inTenDays, -2)
    await succeed('set-limits', id, '--per-minute', '4')
    expect(JSON.parse(await succeed('show', id))).toMatchObject({
      limits: { perMinute: 4, perMonth: 100, own: { perMinute: 4, perMonth: null } },
    })
  })

  test('create --expires, and delete', async () => {
    const secret = (await succeed('create', ...ANN, '--expires', '2099-02-03T04:05Z')).trimEnd()
    const key = (await known(secret)) as Key
    const hash = hashSecret(secret, pepper)
    const end = Date.UTC(2099, 1, 3, 4, 5)
    expect([end - 1, end].map((now) => isUsable(key, hash, now))).toEqual([true, false])
    const { code, stderr } = await keys('delete', key.id)
    expect([code, stderr]).toEqual([2, expect.stringContaining('confirm it with --yes')])
    await succeed('delete', key.id, '--yes')
    expect(await store.keys.getKey(key.id)).toBeNull()
    expect((await keys('delete', key.id, '--yes')).stderr).toContain(`There is no key "${key.id}"`)
  })

  test('rotate creates another secret and sets the end of the previous one', async () => {
    const second = (await succeed('rotate', id)).trimEnd()
    const [fresh, old] = (await known(second))?.secrets ?? []
    expect({ fresh: fresh.hash, old: old.hash }).toEqual({
      fresh: hashSecret(second, pepper),
      old: hashSecret(secret, pepper),
    })
    const leftMs = Number(old.expiresAt) - Date.now()
    expect(leftMs).toBeGreaterThan(DAY_MS - 60_000)
    expect(leftMs).toBeLessThanOrEqual(DAY_MS)
    const third = (await succeed('rotate', id, '--overlap', '0')).trimEnd()
    const key = (await known(third)) as Key
    const usable = [secret, second, third].map((one) => isUsable(key, hashSecret(one, pepper), Date.now()))
    expect(usable).toEqual([false, false, true])
    expect(
      JSON.parse(await succeed('show', id)).secrets.map(({ secret: one }: { secret: string }) => one.slice(-4)),
    ).toEqual([third, second, secret].map((one) => one.slice(-4)))
    secret = third
  })

  test('revoke is permanent', async () => {
    const { code, stdout, stderr } = await keys('revoke', id)
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: `Revoked ${id}. Every node rejects it within 5 seconds.\n`,
    })
    // `findKey` of a server may return a cached key for up to 4 s.
    const key = (await store.keys.getKey(id)) as Key
    expect(isUsable(key, hashSecret(secret, pepper), Date.now())).toBe(false)
    expect((await keys('revoke', id)).stderr).toBe(`${id} was already revoked at ${key.revokedAt?.toISOString()}.\n`)
    const refused = { code: 2, stdout: '', stderr: `The key ${id} is revoked. Create another with "keys create".\n` }
    expect(await keys('rotate', id)).toEqual(refused)
    for (const change of [
      ['set-plan', id, 'pro'],
      ['set-name', id, 'n'],
      ['set-limits', id, '--per-month', '1'],
    ])
      expect(await keys(...change)).toEqual(refused)
  })

  test.each([['show'], ['revoke'], ['rotate'], ['delete', '--yes'], ['set-expiry', 'never']])(
    '%s of an unknown key',
    async (verb, ...rest) => {
      const stderr = 'There is no key "key_none". Run "keys list" to see all keys.\n'
      expect(await keys(verb, 'key_none', ...rest)).toEqual({ code: 2, stdout: '', stderr })
    },
  )

  describe('keys of an account', () => {
    const email = 'owner@a.example'
    let account: string
    beforeAll(async () => {
      account = await createAccount(store, { email, plan: 'starter' })
    })

    test('create --account makes keys with its plan, however many it has', async () => {
      for (const args of [
        ['--name', 'One'],
        ['--name', 'Two', '--plan', 'starter', '--email', 'other@a.example'],
      ])
        for (let round = 0; round < 2; round++) await succeed('create', ...args, '--account', email.toUpperCase())
      const made = await store.keys.listAccountKeys(account)
      expect(made.map((key) => [key.name, key.email, key.plan, key.account])).toEqual([
        ['One', email, 'starter', account],
        ['One', email, 'starter', account],
        ['Two', 'other@a.example', 'starter', account],
        ['Two', 'other@a.example', 'starter', account],
      ])
    })

    test('attach gives a key to it, and list and show name it', async () => {
      const secret = (await succeed('create', '--name', 'Loose', '--email', 'b@a.example', '--plan', 'free')).trimEnd()
      const loose = (await known(secret))?.id ?? ''
      expect(await keys('attach', loose, email)).toEqual({
        code: 0,
        stdout: '',
        stderr: `${loose} now belongs to the account ${email} and has its plan starter.\n`,
      })
      expect(JSON.parse(await succeed('show', loose))).toMatchObject({ account: email, plan: 'starter' })
      expect(await succeed('list')).toMatch(new RegExp(`^${loose}  Loose +b@a\\.example +starter  ${email}  -`, 'm'))
      const again = { code: 2, stdout: '', stderr: `The key ${loose} already belongs to an account.\n` }
      expect(await keys('attach', loose, email)).toEqual(again)
      expect((await keys('set-plan', loose, 'pro')).stderr).toMatch(/belongs to an account, whose plan it has/)
    })

    test.each([
      [['create', '--name', 'N', '--account', 'nobody@a.example'], /There is no account with the e-mail address/],
      [['create', '--name', 'N', '--account', email, '--plan', 'pro'], /has the plan starter, which its keys get/],
      [['create', '--name', 'N', '--account', email, '--email', 'x'], /--email must be an address/],
      [['attach', 'key_none', email], /There is no key "key_none"/],
    ])('%j fails', async (args, expected) => {
      const { code, stdout, stderr } = await keys(...args)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(expected)
    })

    test('a suspended account gets no keys', async () => {
      await store.accounts.suspendAccount(account, new Date())
      expect((await keys('create', '--name', 'N', '--account', email)).stderr).toMatch(/is suspended/)
    })
  })

  test('no secret is stored', () => {
    const files = env.DATA_DIR === undefined ? [] : readdirSync(env.DATA_DIR).map((name) => join(env.DATA_DIR, name))
    for (const file of files) expect(readFileSync(file).includes(secret.slice(0, 30)), file).toBe(false)
  })
})

test('list shows which keys need the old pepper, until they are rotated', async () => {
  const DATA_DIR = join(folder, 'new-pepper')
  const [OLD, NEW] = ['old', 'new'].map((name) => `the ${name} pepper of the tests, at least 32`)
  const run = (env: Env, ...args: string[]) => project.run('keys', args, { env: { DATA_DIR, ...env } })
  await run({ KEY_PEPPER: OLD }, 'create', ...ANN)
  const both = { KEY_PEPPER: NEW, KEY_PEPPER_OLD: OLD }
  await run(both, 'create', ...ANN)
  const list = async (env: Env) => {
    const { stdout, stderr } = await run(env, 'list', '--json')
    const keys: { id: string; pepper: string | null }[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    return { keys, states: keys.map(({ pepper }) => pepper), stderr }
  }
  const { keys, ...before } = await list(both)
  const need = 'Keys that need KEY_PEPPER_OLD: 1. Rotate them before you remove it.\n'
  expect(before).toEqual({ states: ['old', 'current'], stderr: need })
  const rejected = 'Keys that are rejected: 1. Set KEY_PEPPER_OLD to their pepper, or rotate them.\n'
  expect(await list({ KEY_PEPPER: NEW })).toMatchObject({ states: ['missing', 'current'], stderr: rejected })
  await run(both, 'rotate', keys[0].id, '--overlap', '1h')
  expect((await list(both)).states).toEqual(['old', 'current'])
  await run(both, 'rotate', keys[0].id, '--overlap', '0')
  expect(await list(both)).toMatchObject({ states: ['current', 'current'], stderr: '' })
  await run(both, 'revoke', keys[0].id)
  expect((await list({ KEY_PEPPER: NEW })).states).toEqual([null, 'current'])
})

test('concurrent processes on a new folder create one store with one pepper', async () => {
  const dataDir = join(folder, 'at-once')
  const made = await Promise.all(
    Array.from({ length: 5 }, () => project.spawn('keys', ['create', ...ANN], { env: { DATA_DIR: dataDir } })),
  )
  expect(made.map(({ code }) => code)).toEqual(Array(5).fill(0))
  const { store, pepper } = await openStore({ dataDir, mongodbUrl: null, keyPepper: null }, { role: 'server' })
  for (const { stdout } of made) expect(await store.keys.findKey(hashSecret(stdout.trimEnd(), pepper))).not.toBeNull()
  await store.close()
})
