import { hostname } from 'node:os'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { hashSecret, isUsable, isWellFormed } from '../../src/keys/key.ts'
import type { Key } from '../../src/keys/types.ts'
import { createAccount } from '../store/create-account.ts'
import { sampleKey } from '../store/sample-key.ts'
import { type Outcome, smallProject } from '../support/built-project.ts'
import { newStoreEnv, openStoreScene, type StoreScene } from './store-scene.ts'

const SUITE = 'the command keys'
const ANN = ['--name', 'Ann Ö', '--email', 'ann@a.example', '--plan', 'pro']
const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 4, 10, 12)
const [MONTH, DAY] = ['2026-05', '2026-05-01']

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Commands on the store of a scene. */
interface KeyScene extends StoreScene {
  readonly keys: (...args: string[]) => Promise<Outcome>
  /** Runs a command that must succeed. Returns its standard output. */
  readonly succeed: (...args: string[]) => Promise<string>
  /** Creates a key with a command. */
  readonly create: (...args: string[]) => Promise<{ readonly id: string; readonly secret: string }>
}

async function openKeyScene(): Promise<KeyScene> {
  const scene = await openStoreScene(SUITE)
  const keys = (...args: string[]): Promise<Outcome> => smallProject().run('keys', args, { env: scene.env })
  const succeed = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await keys(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) })
    expect(stderr).not.toContain('spk_live_')
    return stdout
  }
  const create = async (...args: string[]) => {
    const secret = (await succeed('create', ...args)).trimEnd()
    return { id: (await scene.known(secret))?.id ?? '', secret }
  }
  return { ...scene, keys, succeed, create }
}

const parseLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

async function createSampleKey({ store }: StoreScene, change: Partial<Key>): Promise<Key> {
  const key = sampleKey(change)
  await store.keys.createKey(key)
  return key
}

describe.skipIf(newStoreEnv(SUITE) === null)('keys, while a server uses the store', () => {
  let scene: KeyScene
  beforeAll(async () => {
    scene = await openKeyScene()
  })

  test('list without keys', async () => {
    const { keys } = await openKeyScene()
    expect(await keys('list')).toEqual({ code: 0, stdout: '', stderr: 'There are no keys yet.\n' })
    expect(await keys('list', '--json')).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('create prints only the secret on stdout, and on stderr that it is shown once', async () => {
    const { code, stdout, stderr } = await scene.keys('create', ...ANN, '--revision', '1')
    const secret = stdout.slice(0, -1)
    expect({ code, isGood: isWellFormed(secret), end: stdout.at(-1) }).toEqual({ code: 0, isGood: true, end: '\n' })
    expect(stderr).toMatch(/^Created key_\w{16}\. Its secret is shown once, below\. Store it safely\.\n$/)
    const id = /key_\w{16}/.exec(stderr)?.[0]
    const stored = { name: 'Ann Ö', email: 'ann@a.example', plan: 'pro', revision: 1, revokedAt: null }
    expect(await scene.known(secret)).toMatchObject({ id, ...stored, createdAt: new Date(NOW) })
  })

  test('list shows no secret, as a table or as JSON lines', async () => {
    const { store, succeed, create } = await openKeyScene()
    const { id, secret } = await create(...ANN, '--revision', '1')
    vi.setSystemTime(NOW + 1000)
    await create('--name', 'B', '--email', 'b@a.example', '--plan', 'free')
    const at = new Date('2026-03-04T05:06:07.890Z')
    await store.usage.touch({ counter: id, day: '2026-03-04', at })
    const lines = parseLines(await succeed('list', '--json'))
    expect(lines.map(({ name }) => name)).toEqual(['Ann Ö', 'B'])
    const shown = `spk_live_…${secret.slice(-4)}`
    const ann = {
      id,
      name: 'Ann Ö',
      email: 'ann@a.example',
      plan: 'pro',
      slot: null,
      revision: 1,
      secret: shown,
      pepper: 'current',
    }
    const never = { expiresAt: null, suspendedAt: null, revokedAt: null }
    const times = { createdAt: new Date(NOW).toISOString(), lastUsedAt: at.toISOString(), ...never }
    expect(lines[0]).toEqual({ ...ann, account: null, used: 0, limit: 10_000, ...times })
    const [head, first, second] = (await succeed('list')).split('\n')
    expect(head).toMatch(
      /^ID +NAME +EMAIL +PLAN +ACCOUNT +SLOT +REVISION +KEY +PEPPER +USED +LIMIT +CREATED +LAST USED +EXPIRES +SUSPENDED +REVOKED$/,
    )
    expect(first).toMatch(
      new RegExp(
        `^${id}  Ann Ö  ann@a\\.example  pro   -        -     1         ${shown}  current  0     10000  2026-05-10 12:00  2026-03-04 05:06  -        -          -$`,
      ),
    )
    expect(second.indexOf('b@a.example')).toBe(head.indexOf('EMAIL'))
  })

  test('show reports the usage of this month, and what remains after a change to a smaller plan', async () => {
    const { store, keys, succeed, create } = scene
    const { id } = await create(...ANN)
    const charge = { counter: id, day: DAY, quota: 200, at: new Date() }
    await Promise.all(Array.from({ length: 101 }, () => store.usage.charge(charge)))
    expect(JSON.parse(await succeed('show', id))).toMatchObject({
      id,
      plan: 'pro',
      usage: { month: MONTH, used: 101, limit: 10_000, remaining: 9899, days: [{ date: DAY, requests: 101 }] },
    })
    expect(await keys('set-plan', id, 'free')).toEqual({
      code: 0,
      stdout: '',
      stderr: `${id} now has the plan free.\n`,
    })
    expect(JSON.parse(await succeed('show', id))).toMatchObject({
      id,
      plan: 'free',
      usage: { month: MONTH, used: 101, limit: 100, remaining: 0 },
    })
  })

  test('list and usage count the requests of a month for all keys, past months included', async () => {
    const own = await openKeyScene()
    const { store, keys, succeed, create } = own
    const { id } = await create('--name', 'Ann Ö', '--email', 'ann@a.example', '--plan', 'free')
    await Promise.all(
      Array.from({ length: 101 }, () => store.usage.charge({ counter: id, day: DAY, quota: 200, at: new Date() })),
    )
    const at = new Date('2026-02-28T23:59:59.000Z')
    const gone = await createSampleKey(own, { createdAt: at })
    const old = await createSampleKey(own, { createdAt: at, name: '=1+1', perMonth: 7 })
    for (const { id: key } of [gone, gone, old])
      await store.usage.charge({ counter: key, day: '2026-02-28', quota: 200, at })
    await store.keys.deleteKey(gone.id)
    expect(parseLines(await succeed('list', '--json'))[0]).toMatchObject({ id: old.id, used: 0, limit: 7 })
    expect(await succeed('list')).toMatch(new RegExp(`^${id} .* 101 +100 `, 'm'))
    const now = parseLines(await succeed('usage', '--json'))
    const row = { month: MONTH, name: 'Ann Ö', plan: 'free', used: 101, limit: 100 }
    expect(now.find((one) => one.id === id)).toMatchObject(row)
    expect(now.map((one) => one.id)).not.toContain(gone.id)
    const past = await keys('usage', '--month', '2026-02', '--json')
    const rows = [
      { id: old.id, name: '=1+1', email: old.email, account: null, slot: null, plan: 'free', used: 1, limit: 7 },
      { id: gone.id, name: null, email: null, account: null, slot: null, plan: null, used: 2, limit: null },
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
      '\ufeffmonth,id,name,email,account,slot,plan,used,limit,lastUsedAt',
      `2026-02,${old.id},'=1+1,${old.email},,,free,1,7,${at.toISOString()}`,
    ])
    expect(await succeed('usage', '--month', '2026-02')).toMatch(
      new RegExp(`^${gone.id} +- +- +- +- +- +2 +- +2026-02-28 23:59$`, 'm'),
    )
    expect(await keys('usage', '--month', '2026-01')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'There were no keys in 2026-01.\n',
    })
  })

  test('name, address, limits and expiry can be changed, and each change is recorded', async () => {
    const { store, keys, succeed, create } = await openKeyScene()
    const { id } = await create('--name', 'Ann', '--email', 'ann@a.example', '--plan', 'free')
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
    for (const [i, [args, expected, action, detail]] of changes.entries()) {
      vi.setSystemTime(NOW + 1000 * i)
      const { code, stderr } = await keys(...args)
      expect(code).toBe(0)
      if (action === limits) expect(stderr).toBe(`The limits of ${id} are now ${detail}.\n`)
      expect(await store.keys.getKey(id)).toMatchObject(expected)
      const [newest] = await store.audit.listAudit({ account: null, limit: 1 })
      expect(newest).toMatchObject({ action, detail, key: id, ...by(args[0]) })
    }
    vi.setSystemTime(NOW)
    await succeed('set-expiry', id, '10d')
    expect((await store.keys.getKey(id))?.expiresAt).toEqual(new Date(NOW + 10 * DAY_MS))
    await succeed('set-limits', id, '--per-minute', '4')
    expect(JSON.parse(await succeed('show', id))).toMatchObject({
      limits: { perMinute: 4, perMonth: 100, own: { perMinute: 4, perMonth: null } },
    })
  })

  test('create --expires, and delete', async () => {
    const { store, pepper, keys, succeed, known } = scene
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
    const { pepper, succeed, create, known } = scene
    const { id, secret } = await create(...ANN)
    const second = (await succeed('rotate', id)).trimEnd()
    const [fresh, old] = (await known(second))?.secrets ?? []
    expect({ fresh: fresh.hash, old: old.hash, end: old.expiresAt }).toEqual({
      fresh: hashSecret(second, pepper),
      old: hashSecret(secret, pepper),
      end: new Date(NOW + DAY_MS),
    })
    const third = (await succeed('rotate', id, '--overlap', '0')).trimEnd()
    const key = (await known(third)) as Key
    const usable = [secret, second, third].map((one) => isUsable(key, hashSecret(one, pepper), NOW))
    expect(usable).toEqual([false, false, true])
    expect(
      JSON.parse(await succeed('show', id)).secrets.map(({ secret: one }: { secret: string }) => one.slice(-4)),
    ).toEqual([third, second, secret].map((one) => one.slice(-4)))
  })

  test('revoke is permanent', async () => {
    const { store, pepper, keys, create } = scene
    const { id, secret } = await create(...ANN)
    expect(await keys('revoke', id)).toEqual({
      code: 0,
      stdout: '',
      stderr: `Revoked ${id}. Every node rejects it within 5 seconds.\n`,
    })
    // `findKey` of a server may return a cached key for up to 4 s.
    const key = (await store.keys.getKey(id)) as Key
    expect(key.revokedAt).toEqual(new Date(NOW))
    expect(isUsable(key, hashSecret(secret, pepper), NOW)).toBe(false)
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
      expect(await scene.keys(verb, 'key_none', ...rest)).toEqual({ code: 2, stdout: '', stderr })
    },
  )
})

describe.skipIf(newStoreEnv(SUITE) === null)('keys of an account', () => {
  const email = 'owner@a.example'
  let scene: KeyScene
  let account: string
  beforeAll(async () => {
    scene = await openKeyScene()
    account = await createAccount(scene.store, { email, plan: 'starter' })
  })

  test('create --account makes keys with its plan, however many it has', async () => {
    const { store, succeed } = scene
    const [owner, other] = ['several@a.example', 'other@a.example']
    const several = await createAccount(store, { email: owner, plan: 'starter' })
    for (const args of [
      ['--name', 'One'],
      ['--name', 'Two', '--plan', 'starter', '--email', other],
    ])
      for (let round = 0; round < 2; round++) {
        vi.setSystemTime(Date.now() + 1)
        await succeed('create', ...args, '--account', owner.toUpperCase())
      }
    const made = await store.keys.listAccountKeys(several)
    expect(made.map((key) => [key.name, key.email, key.plan, key.account])).toEqual([
      ['One', owner, 'starter', several],
      ['One', owner, 'starter', several],
      ['Two', other, 'starter', several],
      ['Two', other, 'starter', several],
    ])
  })

  test('a slot is listed once, with the key that was in it last, even after its keys were deleted', async () => {
    const { store, keys, succeed } = scene
    const owner = 'slots@a.example'
    const id = await createAccount(store, { email: owner, plan: 'starter' })
    const ids: string[] = []
    const create = async (): Promise<void> => {
      vi.setSystemTime(Date.now() + 1000)
      await succeed('create', '--name', `Key ${ids.length + 1}`, '--account', owner)
      ids.push((await store.keys.listAccountKeys(id)).at(-1)?.id ?? '')
    }
    const read = async (verb: string): Promise<unknown[]> =>
      parseLines(await succeed(verb, '--json'))
        .filter(({ account }) => account === owner)
        .map((row) => [row.id, row.slot, row.used])
    await create()
    await create()
    const charge = { counter: ids[0], day: DAY, quota: 200, at: new Date() }
    for (let i = 0; i < 3; i++) await store.usage.charge(charge)
    vi.setSystemTime(Date.now() + 1000)
    await succeed('revoke', ids[0])
    expect(await read('usage')).toEqual([
      [ids[0], 1, 3],
      [ids[1], 2, 0],
    ])
    await create()
    expect(await read('list')).toEqual([
      [ids[0], 1, null],
      [ids[1], 2, 0],
      [ids[2], 1, 3],
    ])
    expect(await read('usage')).toEqual([
      [ids[1], 2, 0],
      [ids[2], 1, 3],
    ])
    expect(JSON.parse(await succeed('show', ids[2]))).toMatchObject({
      slot: 1,
      lastUsedAt: null,
      usage: { used: 3, remaining: 1997, days: [{ date: DAY, requests: 3 }] },
    })
    const { lastUsedAt } = JSON.parse(await succeed('show', ids[0]))
    expect(lastUsedAt).toBe(charge.at.toISOString())
    for (const one of [ids[0], ids[2]])
      expect((await keys('delete', one, '--yes')).stderr).toMatch(
        /"keys usage" still shows its usage, in its slot\.\n$/,
      )
    expect(await read('usage')).toEqual([
      [ids[1], 2, 0],
      [ids[0], 1, 3],
    ])
  })

  test('attach gives a key to it, and list and show name it', async () => {
    const { keys, succeed, create } = scene
    const { id: loose } = await create('--name', 'Loose', '--email', 'b@a.example', '--plan', 'free')
    expect(await keys('attach', loose, email)).toEqual({
      code: 0,
      stdout: '',
      stderr: `${loose} now belongs to the account ${email} and has its plan starter.\n`,
    })
    expect(JSON.parse(await succeed('show', loose))).toMatchObject({ account: email, plan: 'starter' })
    expect(await succeed('list')).toMatch(new RegExp(`^${loose}  Loose +b@a\\.example +starter  ${email} +\\d +-`, 'm'))
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
    const { code, stdout, stderr } = await scene.keys(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(expected)
    expect(await scene.store.accounts.getAccount(account)).toMatchObject({ email, plan: 'starter' })
  })

  test('a suspended account gets no keys', async () => {
    const suspended = await createAccount(scene.store, { email: 'suspended@a.example' })
    await scene.store.accounts.suspendAccount(suspended, new Date())
    const { stderr } = await scene.keys('create', '--name', 'N', '--account', 'suspended@a.example')
    expect(stderr).toMatch(/is suspended/)
  })
})
