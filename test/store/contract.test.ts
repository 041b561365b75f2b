import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Key } from '../../src/keys/types.ts'
import { type Store, StoreError } from '../../src/store/types.ts'
import { storeKinds } from './open-stores.ts'
import { sampleKey, sampleSecret } from './sample-key.ts'

const at = (timeMs: number): Date => new Date(Date.UTC(2026, 4, 1) + timeMs)
const HOUR_MS = 3_600_000

/** Texts that a store could take for something else. */
const ODD_TEXTS = [
  ['quotes', `O'Hara "the" \`third\`; DROP TABLE keys; --`],
  ['operators', '$where'],
  ['fields', '$secrets.hash'],
  ['dots', 'a.b.c'],
  ['JSON', '{"$ne": null}'],
  ['NUL in the midst', 'one\0two'],
  ['NUL at the end', 'one\0'],
  ['control characters', '\x01\x1f\x7f\r\n\t'],
  ['emoji', '🏄‍♀️ 漢字 é ﷽'],
  ['nothing', ''],
  ['wildcards', '%_*?'],
  ['much', 'ä'.repeat(20_000)],
] as const

describe.each(storeKinds('store'))('keys and settings in $name', ({ name, isMissing, openBoth }) => {
  let store: Store
  let other: Store
  beforeAll(async () => {
    if (!isMissing) [store, other] = await openBoth()
  })
  afterAll(async () => {
    await store?.close()
    await other?.close()
  })

  async function created(change: Partial<Key> = {}): Promise<Key> {
    const key = sampleKey(change)
    await store.createKey(key)
    return key
  }

  describe.skipIf(isMissing)('keys', () => {
    test('whether it is local', () => expect(store.isLocal).toBe(name === 'SQLite'))

    test.each([
      ['usual', {}],
      ['pinned to 1', { revision: 1 }],
      ['pinned to 2', { revision: 2 }],
      ['revoked', { revokedAt: at(5) }],
      ['without a secret', { secrets: [] }],
      ['three secrets, the newest first', { secrets: [sampleSecret(), sampleSecret(at(1)), sampleSecret(at(999))] }],
    ] as const)('a key comes back as it was: %s', async (_, change) => {
      const key = await created(change)
      expect(await other.getKey(key.id)).toEqual(key)
      for (const { hash } of key.secrets) expect(await other.findKey(hash)).toEqual(key)
      expect(await store.listKeys()).toContainEqual(key)
    })

    test.each(ODD_TEXTS)('texts stay word for word: %s', async (_, text) => {
      const id = `${text}${sampleKey().id}${text}`
      const secret = { hash: `${id}#`, lastFour: text, expiresAt: null }
      const key = await created({ id, name: text, email: text, plan: text, secrets: [secret] })
      expect(await store.getKey(id)).toEqual(key)
      expect(await store.findKey(secret.hash)).toEqual(key)
      const newer = { ...secret, hash: `${id}##` }
      expect(await store.setPlan(id, `${text}!`)).toBe(true)
      expect(await store.rotateKey(id, { secret: newer, oldEndAt: at(1), now: at(0) })).toBe(true)
      const secrets = [newer, { ...secret, expiresAt: at(1) }]
      expect(await store.getKey(id)).toEqual({ ...key, plan: `${text}!`, secrets })
      expect(await store.keepOnce(id, text)).toBe(text)
      expect(await other.keepOnce(id, 'another')).toBe(text)
      expect(await store.charge({ key: id, month: '2026-05', quota: 9, at: at(0) })).toBe(1)
      expect(await store.usedBy(id, '2026-05')).toBe(1)
    })

    test.each(['', '$ne', 'key', 'key_', '\0', '%', '{"$ne":null}'])('nobody is found under %j', async (text) => {
      expect(await store.getKey(text)).toBeNull()
      expect(await store.findKey(text)).toBeNull()
      expect(await store.revokeKey(text, at(0))).toBe(false)
      expect(await store.setPlan(text, 'pro')).toBe(false)
      expect(await store.rotateKey(text, { secret: sampleSecret(), oldEndAt: at(0), now: at(0) })).toBe(false)
      expect(await store.usedBy(text, '2026-05')).toBe(0)
      expect(await store.lastUsed(text)).toBeNull()
    })

    test('an id that goes on after a NUL is another', async () => {
      const { id } = await created()
      expect(await store.getKey(`${id}\0`)).toBeNull()
    })

    test('lists stand in the order of creation', async () => {
      const [first, second, third] = [sampleKey(), sampleKey(), sampleKey()]
      for (const key of [third, first, second]) await store.createKey(key)
      const ids = (await other.listKeys()).map(({ id }) => id)
      const places = [first, second, third].map(({ id }) => ids.indexOf(id))
      expect(places.every((place, index) => place >= 0 && place === places[0] + index)).toBe(true)
    })

    test.each([
      ['an id', (key: Key) => sampleKey({ id: key.id })],
      ['a secret', (key: Key) => sampleKey({ secrets: [sampleSecret(), ...key.secrets] })],
    ])('%s that is there already is refused, which is no fault of the store', async (_, second) => {
      const key = await created()
      const wrong = second(key)
      const error = await store.createKey(wrong).catch((cause: unknown) => cause)
      expect(error).toBeInstanceOf(Error)
      expect(error).not.toBeInstanceOf(StoreError)
      expect(await store.getKey(key.id)).toEqual(key)
      expect(await store.findKey(wrong.secrets[0].hash)).toBeNull()
    })

    test('a revoked key keeps its first time, and takes no new secret', async () => {
      const key = await created()
      expect(await store.revokeKey(key.id, at(1))).toBe(true)
      expect(await other.revokeKey(key.id, at(2))).toBe(true)
      expect(await store.rotateKey(key.id, { secret: sampleSecret(), oldEndAt: at(3), now: at(3) })).toBe(false)
      const revoked = { ...key, revokedAt: at(1) }
      expect(await other.getKey(key.id)).toEqual(revoked)
      expect(await other.findKey(key.secrets[0].hash)).toEqual(revoked)
    })

    test('rotation: a new secret first, old ones end with the overlap or before, those that ended go', async () => {
      const [ended, ending, soon, lasting] = [at(-1), at(0), at(HOUR_MS), null].map(sampleSecret)
      const key = await created({ secrets: [lasting, soon, ending, ended] })
      const secret = sampleSecret()
      const oldEndAt = at(24 * HOUR_MS)
      expect(await other.rotateKey(key.id, { secret, oldEndAt, now: at(0) })).toBe(true)
      const secrets = [secret, { ...lasting, expiresAt: oldEndAt }, soon, ending]
      expect(await store.getKey(key.id)).toEqual({ ...key, secrets })
      expect(await store.findKey(ended.hash)).toBeNull()

      const next = sampleSecret()
      expect(await store.rotateKey(key.id, { secret: next, oldEndAt: at(2 * HOUR_MS), now: at(2 * HOUR_MS) })).toBe(
        true,
      )
      const olds = [secret, lasting].map((old) => ({ ...old, expiresAt: at(2 * HOUR_MS) }))
      expect((await other.getKey(key.id))?.secrets).toEqual([next, ...olds])
    })

    test('rotations at once lose no secret', async () => {
      const key = await created()
      const secrets = Array.from({ length: 20 }, () => sampleSecret())
      const rotate = (store: Store, secret = sampleSecret()) =>
        store.rotateKey(key.id, { secret, oldEndAt: at(1), now: at(0) })
      await Promise.all(secrets.map((secret, index) => rotate(index % 2 ? store : other, secret)))
      const kept = (await store.getKey(key.id))?.secrets ?? []
      expect(kept.filter(({ expiresAt }) => expiresAt === null)).toHaveLength(1)
      expect(new Set(kept.map(({ hash }) => hash))).toEqual(
        new Set([...key.secrets, ...secrets].map(({ hash }) => hash)),
      )
    })

    test('a plan is changed, and nothing else', async () => {
      const key = await created()
      expect(await other.setPlan(key.id, 'pro')).toBe(true)
      expect(await other.setPlan(key.id, 'pro')).toBe(true)
      expect(await store.getKey(key.id)).toEqual({ ...key, plan: 'pro' })
    })
  })

  describe.skipIf(isMissing)('settings', () => {
    test('switches are off at first, each is switched alone, and all processes see it', async () => {
      expect(await store.switches()).toEqual({ maintenance: false, apiOff: false })
      for (const [change, expected] of [
        [{ maintenance: true }, { maintenance: true, apiOff: false }],
        [{ apiOff: true }, { maintenance: true, apiOff: true }],
        [{}, { maintenance: true, apiOff: true }],
        [{ maintenance: false }, { maintenance: false, apiOff: true }],
        [
          { maintenance: true, apiOff: false },
          { maintenance: true, apiOff: false },
        ],
      ]) {
        await store.setSwitches(change)
        expect(await other.switches()).toEqual(expected)
      }
    })

    test('whoever keeps a word at once is given the same', async () => {
      for (let round = 0; round < 30; round++) {
        const all = Array.from({ length: 8 }, (_, n) => (n % 2 ? store : other).keepOnce(`round ${round}`, `word ${n}`))
        expect(new Set(await Promise.all(all)).size).toBe(1)
      }
    })

    test('it answers a ping', async () => expect(await store.ping()).toBeUndefined())
  })
})
