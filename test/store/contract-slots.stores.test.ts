import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Key } from '../../src/keys/types.ts'
import type { Store } from '../../src/store/types.ts'
import { createAccount } from './create-account.ts'
import { findStoreKind } from './open-stores.ts'
import { readUsed } from './read-used.ts'
import { sampleKey, sampleSecret } from './sample-key.ts'

const DAY = '2026-05-17'
const MONTH = '2026-05'
const SPAN = { since: MONTH, first: MONTH, last: MONTH }
const at = (ms: number): Date => new Date(Date.UTC(2026, 4, 17) + ms)

const kind = findStoreKind('store-slots')
describe.skipIf(kind.isMissing).each([kind])('slots in $name', ({ openBoth }) => {
  let store: Store
  let other: Store
  beforeAll(async () => {
    ;[store, other] = await openBoth()
  })
  afterAll(async () => {
    await store?.close()
    await other?.close()
  })

  /** Creates a key of an account, which must be possible. */
  async function addKey(account: string, limit = 1, change: Partial<Key> = {}): Promise<Key> {
    const key = sampleKey({ account, ...change })
    expect(await store.keys.createAccountKey(key, limit)).toBe(true)
    return await readKey(key.id)
  }

  async function readKey(id: string): Promise<Key> {
    const key = await other.keys.getKey(id)
    if (key === null) throw new Error(`there is no key ${id}`)
    return key
  }

  async function charge({ counter }: Key, times = 1): Promise<void> {
    for (let i = 0; i < times; i++) await store.usage.charge({ counter, day: DAY, quota: 1000, at: at(i) })
  }

  const revoke = ({ id }: Key): Promise<boolean> => other.keys.revokeKey(id, at(0))
  const readSlots = async (account: string): Promise<unknown> =>
    (await other.keys.listSlots(account)).map((one) => [one.account === account, one.slot, one.counter])

  test('a key without an account is counted under its id', async () => {
    const key = sampleKey()
    await store.keys.createKey(key)
    expect(await readKey(key.id)).toMatchObject({ counter: key.id })
    expect((await store.keys.findKey(key.secrets[0].hash))?.counter).toBe(key.id)
  })

  test.each<[string, (key: Key) => Promise<unknown>]>([
    ['revoked', (key) => revoke(key)],
    ['deleted', ({ id }) => store.keys.deleteKey(id)],
  ])('a key takes the lowest free slot and continues the counts of the key that was %s', async (_, remove) => {
    const account = await createAccount(store)
    const [first, second] = [await addKey(account, 2), await addKey(account, 2)]
    await charge(first, 3)
    await charge(second, 1)
    await remove(first)
    const third = await addKey(account, 2)
    expect(third.counter).toBe(first.counter)
    expect((await other.keys.findKey(third.secrets[0].hash))?.counter).toBe(first.counter)
    await charge(third, 2)
    expect(await readUsed(other, third.counter, MONTH)).toBe(5)
    expect(await readSlots(account)).toEqual([
      [true, 0, first.counter],
      [true, 1, second.counter],
    ])
    const { slots, months, days } = await other.accounts.readUsage(account, SPAN)
    expect(slots).toEqual(await store.keys.listSlots(account))
    expect(months.map(({ counter, used }) => [counter, used]).sort()).toEqual(
      [
        [first.counter, 5],
        [second.counter, 1],
      ].sort(),
    )
    expect(days.map(({ used }) => used).sort()).toEqual([1, 5])
  })

  test('rotation, expiry, a change of plan and a suspension leave a key in its slot', async () => {
    const account = await createAccount(store)
    const key = await addKey(account)
    await charge(key, 2)
    await store.keys.rotateKey(key.id, { secret: sampleSecret(), oldEndAt: at(0), now: at(0) })
    await store.keys.changeKey(key.id, { expiresAt: at(0) })
    await store.accounts.setAccountPlan(account, 'pro')
    await store.accounts.suspendAccount(account, at(0))
    await store.accounts.suspendAccount(account, null)
    expect(await readKey(key.id)).toMatchObject({ counter: key.counter, plan: 'pro' })
    expect(await store.keys.createAccountKey(sampleKey({ account }), 1), 'an expired key stays').toBe(false)
    expect(await readSlots(account)).toEqual([[true, 0, key.counter]])
  })

  test('keys above the number of a smaller plan stay in their slots, and later ones take the lowest', async () => {
    const account = await createAccount(store)
    const keys = [await addKey(account, 3), await addKey(account, 3), await addKey(account, 3)]
    await charge(keys[0], 4)
    for (const key of keys.slice(0, 2)) await revoke(key)
    expect(await store.keys.createAccountKey(sampleKey({ account }), 1), 'the third key is the only one').toBe(false)
    await revoke(keys[2])
    const next = await addKey(account, 1)
    expect(next.counter).toBe(keys[0].counter)
    expect(await readUsed(store, next.counter, MONTH)).toBe(4)
    await revoke(next)
    expect((await addKey(account, 3)).counter).toBe(keys[0].counter)
    expect((await addKey(account, 3)).counter).toBe(keys[1].counter)
    expect(await other.keys.listSlots(account)).toHaveLength(3)
  })

  test('an account whose keys were deleted continues in its first slot with a default key', async () => {
    const account = await createAccount(store)
    const first = await addKey(account)
    await charge(first, 2)
    await store.keys.deleteKey(first.id)
    const key = sampleKey({ account })
    expect(await other.keys.createDefaultKey(key)).toBe(true)
    expect((await readKey(key.id)).counter).toBe(first.counter)
  })

  test('a deleted key that is created again in another slot does not share the counts of its first one', async () => {
    const account = await createAccount(store)
    const first = await addKey(account, 2)
    await store.keys.deleteKey(first.id)
    const second = await addKey(account, 2)
    const again = await addKey(account, 2, { id: first.id })
    expect([second.counter, again.counter]).toEqual([first.counter, expect.not.stringMatching(first.counter)])
    await charge(again)
    expect(await readUsed(store, second.counter, MONTH)).toBe(0)
    expect(new Set((await store.keys.listSlots(account)).map(({ counter }) => counter)).size).toBe(2)
  })

  describe('an attached key', () => {
    test('brings its counts into a slot that had no key, and the next key of this slot continues them', async () => {
      const account = await createAccount(store)
      const former = await addKey(account)
      await charge(former, 1)
      await revoke(former)
      const loose = sampleKey()
      await store.keys.createKey(loose)
      await charge(loose, 5)
      expect(await other.keys.attachKey(loose.id, account)).toBe(true)
      const attached = await readKey(loose.id)
      expect(attached).toMatchObject({ account, counter: loose.id })
      expect(await readSlots(account)).toEqual([
        [true, 0, former.counter],
        [true, 1, loose.id],
      ])
      await charge(attached, 1)
      await revoke(attached)
      expect((await addKey(account, 2)).counter).toBe(former.counter)
      const next = await addKey(account, 2)
      expect(next.counter).toBe(loose.id)
      expect(await readUsed(store, next.counter, MONTH)).toBe(6)
    })

    test('has a slot of its own also while others are attached and created', { timeout: 60_000 }, async () => {
      for (let round = 0; round < 5; round++) {
        const account = await createAccount(store)
        const loose = Array.from({ length: 4 }, () => sampleKey())
        for (const key of loose) await store.keys.createKey(key)
        await Promise.all([
          ...loose.map(({ id }, n) => (n % 2 ? store : other).keys.attachKey(id, account)),
          ...[store, other, store].map((one) => one.keys.createAccountKey(sampleKey({ account }), 9)),
        ])
        const keys = await store.keys.listAccountKeys(account)
        expect(new Set(keys.map(({ counter }) => counter)).size).toBe(7)
        for (const { id } of loose) expect((await readKey(id)).counter).toBe(id)
        const slots = await store.keys.listSlots(account)
        expect(slots.map(({ counter }) => counter).sort()).toEqual(keys.map(({ counter }) => counter).sort())
        expect(slots.map(({ slot }) => slot)).toEqual([0, 1, 2, 3, 4, 5, 6])
      }
    })

    test('that is not attached keeps its counts and takes no slot', async () => {
      const account = await createAccount(store)
      await store.accounts.suspendAccount(account, at(0))
      const loose = sampleKey()
      await store.keys.createKey(loose)
      expect(await store.keys.attachKey(loose.id, account)).toBe(false)
      expect(await readKey(loose.id)).toEqual(loose)
      expect(await readSlots(account)).toEqual([])
    })
  })

  test('keys that two processes replace have as many counters as the account has slots', {
    timeout: 60_000,
  }, async () => {
    const account = await createAccount(store)
    for (let round = 0; round < 20; round++) {
      const active = (await store.keys.listAccountKeys(account)).filter(({ revokedAt }) => revokedAt === null)
      const counters = active.map(({ counter }) => counter)
      expect(new Set(counters).size, 'no two keys share a slot').toBe(active.length)
      await Promise.all([
        ...active.slice(0, 2).map(revoke),
        ...[store, other, store, other].map((one) => one.keys.createAccountKey(sampleKey({ account }), 3)),
      ])
    }
    const known = (await store.keys.listSlots(account)).map(({ counter }) => counter)
    expect(known).toHaveLength(3)
    for (const { counter } of await store.keys.listAccountKeys(account)) expect(known).toContain(counter)
  })

  test('the list of accounts contains the requests of a slot once', async () => {
    const email = `slots-${sampleKey().id}@a.example`
    const account = await createAccount(store, { email })
    for (let i = 0; i < 3; i++) {
      const key = await addKey(account)
      await charge(key, 2)
      if (i < 2) await revoke(key)
    }
    const { accounts } = await other.accounts.listAccounts({ search: email, month: MONTH, offset: 0, limit: 9 })
    expect(accounts.map(({ keys, used }) => [keys, used])).toEqual([[1, 6]])
  })

  test('a deleted account leaves its slots with their usage', async () => {
    const account = await createAccount(store)
    const key = await addKey(account)
    await charge(key, 2)
    await store.accounts.deleteAccount(account, at(1))
    expect(await readSlots(account)).toEqual([[true, 0, key.counter]])
    expect((await other.keys.listSlots()).filter((one) => one.account === account)).toHaveLength(1)
    expect(await readUsed(store, key.counter, MONTH)).toBe(2)
  })

  test('1,500 charges by two processes, with another key every 50: exactly the quota', {
    timeout: 60_000,
  }, async () => {
    const account = await createAccount(store)
    let key = await addKey(account)
    const counts: (number | null)[] = []
    for (let round = 0; round < 30; round++) {
      const batch = Array.from({ length: 50 }, (_, n) =>
        (n % 2 ? store : other).usage.charge({ counter: key.counter, day: DAY, quota: 1000, at: at(n) }),
      )
      if (round % 3 === 0) await store.keys.rotateKey(key.id, { secret: sampleSecret(), oldEndAt: at(0), now: at(0) })
      else {
        await (round % 3 === 1 ? revoke(key) : other.keys.deleteKey(key.id))
        key = await addKey(account)
      }
      counts.push(...(await Promise.all(batch)))
    }
    const charged = counts.filter((count) => count !== null)
    expect(charged.sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, n) => n + 1))
    expect(await readUsed(other, key.counter, MONTH)).toBe(1000)
  })
})
