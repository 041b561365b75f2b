import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Key } from '../../src/keys/types.ts'
import type { StoredScan } from '../../src/store/account-types.ts'
import type { Store } from '../../src/store/types.ts'
import { createAccount, writeRow } from './create-account.ts'
import { findStoreKind } from './open-stores.ts'
import { sampleKey } from './sample-key.ts'

const at = (timeMs: number): Date => new Date(Date.UTC(2026, 4, 1) + timeMs)
const HOUR_MS = 3_600_000
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const ENTRY = { at: 1, result: '{"url":"https://example.org/"}', extras: '{"versions":{}}' }

const kind = findStoreKind('store-accounts')
describe.skipIf(kind.isMissing).each([kind])('accounts in $name', ({ openBoth }) => {
  let store: Store
  let other: Store
  beforeAll(async () => {
    ;[store, other] = await openBoth()
  })
  afterAll(async () => {
    await store?.close()
    await other?.close()
  })

  const keyOf = (account: string, change: Partial<Key> = {}): Key => sampleKey({ account, ...change })
  const countActive = async (account: string): Promise<number> =>
    (await other.keys.listAccountKeys(account)).filter(({ revokedAt }) => revokedAt === null).length

  describe('keys of an account', () => {
    test('are listed in the order of their creation, revoked ones included, and have its plan', async () => {
      const account = await createAccount(store, { plan: 'pro' })
      const keys = [keyOf(account), keyOf(account, { revision: 2 }), keyOf(account)]
      for (const key of keys) expect(await store.keys.createAccountKey(key, 3)).toBe(true)
      await store.keys.revokeKey(keys[1].id, at(1))
      const wanted = keys.map((key) => ({ ...key, plan: 'pro' }))
      wanted[1].revokedAt = at(1) as null & Date
      expect(await other.keys.listAccountKeys(account)).toEqual(wanted)
      expect(await other.keys.getKey(keys[0].id)).toEqual(wanted[0])
      expect(await other.keys.findKey(keys[0].secrets[0].hash)).toEqual(wanted[0])
      expect(await other.keys.listAccountKeys(`${account}x`)).toEqual([])
    })

    test('are read with the usage of all of them, and without that of others', async () => {
      const account = await createAccount(store, { plan: 'pro' })
      const keys = [keyOf(account), keyOf(account), keyOf(await createAccount(store))]
      for (const key of keys) expect(await store.keys.createAccountKey(key, 3)).toBe(true)
      await store.keys.revokeKey(keys[1].id, at(1))
      const days = [
        [0, '2026-03-31'],
        [0, '2026-04-30'],
        [0, '2026-05-01'],
        [0, '2026-05-01'],
        [1, '2026-05-01'],
        [0, '2026-06-02'],
        [2, '2026-05-01'],
      ] as const
      for (const [n, day] of days) await store.usage.charge({ counter: keys[n].id, day, quota: 10, at: at(n) })
      await store.usage.touch({ counter: keys[1].id, day: '2026-07-01', at: at(2) })
      const [a, b] = keys.map(({ id }) => id)
      const found = await other.accounts.readUsage(account, { since: '2026-04', first: '2026-05', last: '2026-06' })
      expect(found.keys).toEqual(await other.keys.listAccountKeys(account))
      expect(found.keys).toHaveLength(2)
      const name = (row: { readonly counter: string }, span: string): string => `${[a, b].indexOf(row.counter)} ${span}`
      expect(found.months.map((row) => [name(row, row.month), row.used, row.lastUsedAt]).sort()).toEqual([
        ['0 2026-04', 1, at(0)],
        ['0 2026-05', 2, at(0)],
        ['0 2026-06', 1, at(0)],
        ['1 2026-05', 1, at(1)],
        ['1 2026-07', 0, at(2)],
      ])
      expect(found.days.map((row) => [name(row, row.day), row.used]).sort()).toEqual([
        ['0 2026-05-01', 2],
        ['0 2026-06-02', 1],
        ['1 2026-05-01', 1],
      ])
      const span = { since: '2026-05', first: '2026-05', last: '2026-05' }
      expect(await other.accounts.readUsage(`${account}x`, span)).toEqual({ keys: [], slots: [], months: [], days: [] })
    })

    test.each([
      [0, 0],
      [1, 1],
      [3, 3],
    ])('50 concurrent creations with limit %d by two processes make exactly %d', async (limit, wanted) => {
      const account = await createAccount(store)
      const all = Array.from({ length: 50 }, (_, n) =>
        (n % 2 ? store : other).keys.createAccountKey(keyOf(account), limit),
      )
      expect((await Promise.all(all)).filter((isCreated) => isCreated)).toHaveLength(wanted)
      expect(await countActive(account)).toBe(wanted)
    })

    test('of concurrent creations with one id exactly one creates a key, of the account that was first', async () => {
      const accounts = [await createAccount(store), await createAccount(store)]
      const keys = Array.from({ length: 6 }, (_, n) => keyOf(accounts[n % 2], { id: sampleKey().id }))
      const all = keys.map((key, n) => (n < 3 ? store : other).keys.createAccountKey({ ...key, id: keys[0].id }, 5))
      const results = await Promise.all(all)
      expect(results.filter((isCreated) => isCreated)).toHaveLength(1)
      const owner = keys[results.indexOf(true)].account
      expect((await other.keys.getKey(keys[0].id))?.account).toBe(owner)
      for (const account of accounts) expect(await countActive(account)).toBe(account === owner ? 1 : 0)
    })

    test('a revoked key frees its place, exactly once', async () => {
      const account = await createAccount(store)
      const keys = [keyOf(account), keyOf(account)]
      for (const key of keys) await store.keys.createAccountKey(key, 2)
      expect(await store.keys.createAccountKey(keyOf(account), 2)).toBe(false)
      await store.keys.revokeKey(keys[0].id, at(0))
      await other.keys.revokeKey(keys[0].id, at(1))
      const again = await Promise.all([1, 2, 3].map(() => other.keys.createAccountKey(keyOf(account), 2)))
      expect(again.filter((isCreated) => isCreated)).toHaveLength(1)
      expect(await countActive(account)).toBe(2)
    })

    test('revocations and creations by two processes never exceed the limit', async () => {
      const account = await createAccount(store)
      for (let round = 0; round < 20; round++) {
        const active = (await store.keys.listAccountKeys(account)).filter(({ revokedAt }) => revokedAt === null)
        await Promise.all([
          ...active.slice(0, 2).map(({ id }) => other.keys.revokeKey(id, at(round))),
          ...Array.from({ length: 6 }, (_, n) => (n % 2 ? store : other).keys.createAccountKey(keyOf(account), 3)),
        ])
        expect(await countActive(account)).toBeLessThanOrEqual(3)
      }
      expect(await countActive(account)).toBeGreaterThan(0)
    })

    test('of 20 concurrent default keys exactly one is created, and none after it was revoked', async () => {
      const account = await createAccount(store)
      const all = Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).keys.createDefaultKey(keyOf(account)))
      expect((await Promise.all(all)).filter((isCreated) => isCreated)).toHaveLength(1)
      const [key] = await store.keys.listAccountKeys(account)
      await store.keys.revokeKey(key.id, at(0))
      expect(await other.keys.createDefaultKey(keyOf(account))).toBe(false)
      expect(await store.keys.listAccountKeys(account)).toHaveLength(1)
    })

    test('attached keys count, but are attached above the limit too', async () => {
      const account = await createAccount(store, { plan: 'starter' })
      const loose = [sampleKey(), sampleKey({ plan: 'pro' }), sampleKey()]
      for (const key of loose) await store.keys.createKey(key)
      expect(await store.keys.createAccountKey(keyOf(account), 2)).toBe(true)
      for (const { id } of loose) expect(await other.keys.attachKey(id, account)).toBe(true)
      expect(await store.keys.getKey(loose[1].id)).toEqual({ ...loose[1], account, plan: 'starter' })
      expect(await store.keys.createAccountKey(keyOf(account), 4)).toBe(false)
      expect(await store.keys.createAccountKey(keyOf(account), 5)).toBe(true)
      expect(await store.keys.createDefaultKey(keyOf(account))).toBe(false)
    })

    test('concurrent attachments all succeed, and of one key to two accounts exactly one', async () => {
      const [account, second] = [await createAccount(store), await createAccount(store)]
      const loose = Array.from({ length: 8 }, () => sampleKey())
      for (const key of loose) await store.keys.createKey(key)
      const both = loose.map(({ id }, n) => (n % 2 ? store : other).keys.attachKey(id, account))
      expect(new Set(await Promise.all(both))).toEqual(new Set([true]))
      const key = sampleKey()
      await store.keys.createKey(key)
      const ends = await Promise.all([store.keys.attachKey(key.id, account), other.keys.attachKey(key.id, second)])
      expect(ends.filter((isAttached) => isAttached)).toHaveLength(1)
      const owner = ends[0] ? account : second
      expect((await store.keys.getKey(key.id))?.account).toBe(owner)
    })

    test.each<[string, (id: string) => Partial<Key>, (account: string) => string]>([
      ['a revoked key', () => ({ revokedAt: at(0) }), (account) => account],
      ['to an unknown account', () => ({}), () => 'none'],
    ])('is not attached: %s', async (_, change, find) => {
      const account = await createAccount(store)
      const key = sampleKey(change(account))
      await store.keys.createKey(key)
      expect(await store.keys.attachKey(key.id, find(account))).toBe(false)
      expect(await store.keys.getKey(key.id)).toEqual(key)
    })

    test('an unknown or suspended account gets no key', async () => {
      const account = await createAccount(store)
      await store.accounts.suspendAccount(account, at(0))
      const loose = sampleKey()
      await store.keys.createKey(loose)
      for (const id of [account, 'none', '', '$ne']) {
        expect(await store.keys.createAccountKey(keyOf(id), 9)).toBe(false)
        expect(await store.keys.createDefaultKey(keyOf(id))).toBe(false)
        expect(await store.keys.attachKey(loose.id, id)).toBe(false)
        expect(await store.keys.listAccountKeys(id)).toEqual([])
      }
      expect(await store.keys.createAccountKey(sampleKey(), 9)).toBe(false)
    })

    test('a name is changed', async () => {
      const key = sampleKey()
      await store.keys.createKey(key)
      expect(await store.keys.renameKey(key.id, '$name \0 ü')).toBe(true)
      expect(await other.keys.getKey(key.id)).toEqual({ ...key, name: '$name \0 ü' })
      expect(await store.keys.renameKey('none', 'x')).toBe(false)
    })
  })

  describe('an account', () => {
    test('is found by id, and by e-mail in any case', async () => {
      const account = { id: sampleKey().id, email: 'jürgen.o\'hara+"x"@müller.example', name: 'O\'Hara \0 "ü" 🏄' }
      await createAccount(store, { ...account, emailVerified: true, plan: 'pro', createdAt: at(5) })
      const wanted = { ...account, isVerified: true, plan: 'pro', createdAt: at(5), suspendedAt: null }
      expect(await other.accounts.getAccount(account.id)).toEqual(wanted)
      expect(await other.accounts.findAccount(account.email.toUpperCase())).toEqual(wanted)
      for (const none of ['', '$ne', '%', '.*', account.email.slice(1)])
        expect([await store.accounts.getAccount(none), await store.accounts.findAccount(none)]).toEqual([null, null])
    })

    test('changes its plan and that of all its keys, and cached keys have it in the next turn of the event loop', async () => {
      const account = await createAccount(store)
      const [key, foreign] = [keyOf(account), sampleKey()]
      await store.keys.createAccountKey(key, 1)
      await store.keys.createKey(foreign)
      for (const one of [store, other]) await one.keys.findKey(key.secrets[0].hash)
      expect(await store.accounts.setAccountPlan(account, 'pro')).toBe(true)
      await nextTurn()
      for (const one of [store, other]) expect((await one.keys.findKey(key.secrets[0].hash))?.plan).toBe('pro')
      expect((await other.accounts.getAccount(account))?.plan).toBe('pro')
      expect((await store.keys.getKey(foreign.id))?.plan).toBe('free')
      expect(await store.accounts.setAccountPlan('none', 'pro')).toBe(false)
    })

    test('changes the contact address of all its keys', async () => {
      const account = await createAccount(store)
      const [key, foreign] = [keyOf(account), sampleKey()]
      await store.keys.createAccountKey(key, 1)
      await store.keys.createKey(foreign)
      for (const one of [store, other]) await one.keys.findKey(key.secrets[0].hash)
      await store.accounts.setKeyEmails(account, 'new@a.example')
      await nextTurn()
      for (const one of [store, other])
        expect((await one.keys.findKey(key.secrets[0].hash))?.email).toBe('new@a.example')
      expect((await store.keys.getKey(foreign.id))?.email).toBe(foreign.email)
    })

    test('is verified by its address, which ends its sessions', async () => {
      const [account, neighbour] = [await createAccount(store), await createAccount(store)]
      const email = (await store.accounts.getAccount(account))?.email ?? ''
      for (const id of [account, neighbour]) await createSession(store, id)
      expect(await other.accounts.verifyAccount(account, 'former@a.example')).toBe(false)
      expect((await store.accounts.getAccount(account))?.isVerified).toBe(false)
      expect(await other.accounts.verifyAccount(account, email)).toBe(true)
      expect((await store.accounts.getAccount(account))?.isVerified).toBe(true)
      expect(await Promise.all([account, neighbour].map((id) => countRows(store, 'sessions', id)))).toEqual([0, 1])
      expect(await store.accounts.verifyAccount('none', email)).toBe(false)
    })

    test('is suspended with all its keys and sessions, until the suspension is lifted', async () => {
      const account = await createAccount(store)
      const [key, foreign] = [keyOf(account), sampleKey()]
      await store.keys.createAccountKey(key, 1)
      await store.keys.createKey(foreign)
      await createSession(store, account)
      for (const one of [store, other]) await one.keys.findKey(key.secrets[0].hash)
      expect(await store.accounts.suspendAccount(account, at(7))).toBe(true)
      await nextTurn()
      for (const one of [store, other])
        expect((await one.keys.findKey(key.secrets[0].hash))?.suspendedAt).toEqual(at(7))
      expect((await other.accounts.getAccount(account))?.suspendedAt).toEqual(at(7))
      expect((await store.keys.getKey(foreign.id))?.suspendedAt).toBeNull()
      expect(await countRows(store, 'sessions', account)).toBe(0)
      expect(await other.accounts.suspendAccount(account, null)).toBe(true)
      await nextTurn()
      expect((await store.keys.findKey(key.secrets[0].hash))?.suspendedAt).toBeNull()
      expect((await store.accounts.getAccount(account))?.suspendedAt).toBeNull()
      expect(await store.accounts.suspendAccount('none', at(0))).toBe(false)
    })

    test('no key is created with a former plan or without the suspension of its account', async () => {
      for (let round = 0; round < 20; round++) {
        const account = await createAccount(store)
        await Promise.all([
          store.keys.createAccountKey(keyOf(account), 9),
          other.keys.createAccountKey(keyOf(account), 9),
          round % 2 ? other.accounts.suspendAccount(account, at(1)) : other.accounts.setAccountPlan(account, 'pro'),
          store.keys.createDefaultKey(keyOf(account)),
        ])
        const wanted = round % 2 ? { suspendedAt: at(1) } : { plan: 'pro' }
        for (const key of await store.keys.listAccountKeys(account)) expect(key).toMatchObject(wanted)
      }
    })
  })

  describe('the list of accounts', () => {
    const ids: string[] = []
    beforeAll(async () => {
      for (const [email, name] of [
        ['first@list.example', 'Ärzte (Köln)'],
        ['second@list.example', '50%_*[a]?'],
        ['third@list.example', 'Ann Example'],
      ])
        ids.push(await createAccount(store, { email, name, createdAt: at(HOUR_MS * ids.length) }))
      const keys = [keyOf(ids[0]), keyOf(ids[0]), keyOf(ids[0])]
      for (const key of keys) await store.keys.createAccountKey(key, 3)
      await store.keys.revokeKey(keys[2].id, at(0))
      for (const { id } of keys) await store.usage.charge({ counter: id, day: '2026-05-17', quota: 9, at: at(0) })
      await store.usage.charge({ counter: keys[0].id, day: '2026-06-01', quota: 9, at: at(0) })
    })
    const list = (search: string, { offset = 0, limit = 10, month = '2026-05' } = {}) =>
      other.accounts.listAccounts({ search, month, offset, limit })
    const readEmails = async (search: string): Promise<unknown> =>
      (await list(search)).accounts.map(({ email }) => email.split('@')[0])

    test('contains keys that are not revoked, and the usage of all keys in the month', async () => {
      const { accounts, total } = await list('@list.example')
      expect(accounts.map(({ id, keys, used }) => [id, keys, used])).toEqual([
        [ids[2], 0, 0],
        [ids[1], 0, 0],
        [ids[0], 2, 3],
      ])
      expect(accounts[0]).toEqual({ ...(await store.accounts.getAccount(ids[2])), keys: 0, used: 0 })
      expect(total).toBe(3)
      const june = await list('first@', { month: '2026-06' })
      expect(june.accounts[0].used).toBe(1)
    })

    test('is divided into pages', async () => {
      const pages = [await list('@list.', { limit: 2 }), await list('@list.', { limit: 2, offset: 2 })]
      expect(pages.map(({ accounts, total }) => [accounts.map(({ id }) => id), total])).toEqual([
        [[ids[2], ids[1]], 3],
        [[ids[0]], 3],
      ])
      const all = await list('', { limit: 1000 })
      expect(all.accounts).toHaveLength(all.total)
    })

    test.each([
      ['SECOND@LIST', ['second']],
      ['ÄRZTE (k', ['first']],
      ['ärzte', ['first']],
      ['KÖLN', ['first']],
      ['50%_*[A]?', ['second']],
      ['_*[', ['second']],
      ['a.n', []],
      ['.*@list', []],
      ['^', []],
      [']?', ['second']],
      ['nn ex', ['third']],
      ['unknown', []],
    ])('%j finds %j', async (search, wanted) => {
      expect(await readEmails(search)).toEqual(wanted)
    })
  })

  describe('invitations', () => {
    test('are found until they expire or are used', async () => {
      const invite = { hash: sampleKey().secrets[0].hash, expiresAt: new Date(Date.now() + HOUR_MS) }
      await store.accounts.createInvite(invite)
      for (let round = 0; round < 2; round++)
        expect(await other.accounts.findInvite(invite.hash, new Date())).toEqual(invite)
      expect(await store.accounts.findInvite(invite.hash, invite.expiresAt)).toBeNull()
      expect(await store.accounts.findInvite('none', new Date())).toBeNull()
      const uses = Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? store : other).accounts.useInvite(invite.hash, new Date()),
      )
      expect((await Promise.all(uses)).filter((isUsed) => isUsed)).toHaveLength(1)
      expect(await store.accounts.findInvite(invite.hash, new Date())).toBeNull()
    })

    test('that have expired cannot be used', async () => {
      const invite = { hash: sampleKey().secrets[0].hash, expiresAt: new Date(Date.now() + HOUR_MS) }
      await store.accounts.createInvite(invite)
      expect(await store.accounts.useInvite(invite.hash, invite.expiresAt)).toBe(false)
      expect(await store.accounts.useInvite('none', new Date())).toBe(false)
    })
  })

  describe('scans', () => {
    const buildScan = (account: string, change: Partial<StoredScan> = {}): StoredScan => ({
      id: sampleKey().id,
      account,
      url: 'https://example.org/ü?a=%00',
      builder: null,
      at: at(0),
      entry: ENTRY,
      ...change,
    })

    test.each<[string, Partial<StoredScan>]>([
      ['without a builder', {}],
      ['with odd texts', { url: 'x\0"$', builder: '"Wëb"\0$flow', entry: { at: 2, result: '"\\u0000$"' } }],
      ['of 256 KiB', { entry: { at: 3, result: JSON.stringify('ä'.repeat(128 * 1024)) } }],
    ])('are stored unchanged: %s', async (_, change) => {
      const account = await createAccount(store)
      const scan = buildScan(account, change)
      await store.accounts.addScan(scan, 5)
      expect(await other.accounts.getScan(account, scan.id)).toEqual(scan)
      const { entry: _entry, ...head } = scan
      expect(await other.accounts.listScans(account)).toEqual([head])
    })

    test('the newest are kept, by time', async () => {
      const [account, second] = [await createAccount(store), await createAccount(store)]
      const scans = [3, 1, 4, 2, 5].map((hour) => buildScan(account, { at: at(hour * HOUR_MS) }))
      const foreign = buildScan(second)
      await store.accounts.addScan(foreign, 3)
      for (const scan of scans) await store.accounts.addScan(scan, 3)
      const kept = (await other.accounts.listScans(account)).map(({ id }) => id)
      expect(kept).toEqual([scans[4], scans[2], scans[0]].map(({ id }) => id))
      expect(await store.accounts.getScan(account, scans[1].id)).toBeNull()
      expect(await store.accounts.listScans(second)).toHaveLength(1)
    })

    test('are those of their account only, which must exist', async () => {
      const account = await createAccount(store)
      const scan = buildScan(account)
      await store.accounts.addScan(scan, 3)
      expect(await store.accounts.getScan(await createAccount(store), scan.id)).toBeNull()
      const orphan = buildScan('none')
      await store.accounts.addScan(orphan, 3)
      expect(await store.accounts.getScan('none', orphan.id)).toBeNull()
    })

    test('concurrent ones leave the newest', async () => {
      const account = await createAccount(store)
      const scans = Array.from({ length: 20 }, (_, n) => buildScan(account, { at: at(n) }))
      await Promise.all(scans.map((scan, n) => (n % 2 ? store : other).accounts.addScan(scan, 5)))
      const newest = scans.slice(-5).map(({ id }) => id)
      expect((await store.accounts.listScans(account)).map(({ id }) => id)).toEqual(newest.toReversed())
    })
  })

  describe('a deleted account', () => {
    test('leaves usage and revoked keys without name and address, and nothing else', async () => {
      const email = `gone-${sampleKey().id}@a.example`
      const account = await createAccount(store, { email })
      const [first, second, foreign] = [keyOf(account, { email }), keyOf(account, { email }), sampleKey()]
      for (const key of [first, second]) await store.keys.createAccountKey(key, 2)
      await store.keys.createKey(foreign)
      await store.keys.revokeKey(first.id, at(1))
      await store.usage.charge({ counter: first.id, day: '2026-05-17', quota: 9, at: at(0) })
      await createSession(store, account)
      await createCredential(store, account)
      await createVerification(store, { identifier: `reset:${account}`, value: 'x' })
      await createVerification(store, { identifier: 'y', value: JSON.stringify({ email: email.toUpperCase() }) })
      const scan = { id: sampleKey().id, account, url: email, builder: null, at: at(0), entry: ENTRY }
      await store.accounts.addScan(scan, 3)
      expect(await readEverything(store)).toContain(email)
      await createVerification(store, { identifier: 'z', value: 'of another account' })
      await other.keys.findKey(second.secrets[0].hash)
      expect(await store.accounts.deleteAccount(account, at(9))).toBe(true)
      await nextTurn()
      const wanted = { name: '', email: '', account }
      expect(await other.keys.findKey(second.secrets[0].hash)).toMatchObject({ ...wanted, revokedAt: at(9) })
      expect(await other.keys.getKey(first.id)).toMatchObject({ ...wanted, revokedAt: at(1) })
      expect(await store.keys.getKey(foreign.id)).toEqual(foreign)
      expect(await store.usage.usedBy(first.id, '2026-05')).toBe(1)
      expect([await store.accounts.getAccount(account), await store.accounts.findAccount(email)]).toEqual([null, null])
      for (const table of ['sessions', 'credentials']) expect(await countRows(store, table, account)).toBe(0)
      const everything = await readEverything(store)
      expect(everything.toLowerCase()).not.toContain(email)
      expect(everything).not.toContain(`reset:${account}`)
      expect(everything).toContain('of another account')
      expect(await store.keys.createAccountKey(keyOf(account), 9)).toBe(false)
      expect(await store.accounts.deleteAccount(account, at(10))).toBe(false)
    })

    test('has no key and no scan of calls during its deletion', async () => {
      for (let round = 0; round < 20; round++) {
        const account = await createAccount(store)
        const scan = { id: sampleKey().id, account, url: 'u', builder: null, at: at(0), entry: ENTRY }
        await Promise.all([
          store.keys.createAccountKey(keyOf(account), 9),
          other.keys.createDefaultKey(keyOf(account)),
          store.accounts.addScan(scan, 3),
          other.accounts.deleteAccount(account, at(1)),
          store.keys.createAccountKey(keyOf(account), 9),
          other.accounts.addScan({ ...scan, id: sampleKey().id }, 3),
        ])
        expect(await countActive(account)).toBe(0)
        expect(await store.accounts.listScans(account)).toEqual([])
      }
    })
  })
})

const TIMES = { createdAt: new Date(), updatedAt: new Date(), expiresAt: new Date(Date.now() + HOUR_MS) }

async function createSession(store: Store, userId: string): Promise<void> {
  await writeRow(store, 'sessions', { id: sampleKey().id, token: sampleKey().id, userId, ...TIMES })
}

async function createCredential(store: Store, userId: string): Promise<void> {
  const { expiresAt: _, ...times } = TIMES
  const row = { id: sampleKey().id, accountId: userId, providerId: 'credential', userId, password: 'x', ...times }
  await writeRow(store, 'credentials', row)
}

async function createVerification(store: Store, row: { identifier: string; value: string }): Promise<void> {
  await writeRow(store, 'verifications', { id: sampleKey().id, ...row, ...TIMES })
}

/** All rows or documents of all tables or collections, as text. */
async function readEverything({ authDatabase }: Store): Promise<string> {
  if (authDatabase.kind === 'mongodb') {
    const collections = await authDatabase.get().db.collections()
    return JSON.stringify(await Promise.all(collections.map((one) => one.find().toArray())))
  }
  const { db } = authDatabase
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { readonly name: string }[]
  return JSON.stringify(tables.map(({ name }) => db.prepare(`SELECT * FROM ${name}`).all()))
}

async function countRows({ authDatabase }: Store, table: string, userId: string): Promise<number> {
  if (authDatabase.kind === 'mongodb') return await authDatabase.get().db.collection(table).countDocuments({ userId })
  return authDatabase.db.prepare(`SELECT 1 FROM ${table} WHERE userId = ?`).all(userId).length
}
