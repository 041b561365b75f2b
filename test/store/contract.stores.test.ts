import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Key } from '../../src/keys/types.ts'
import { type KeyChange, type Store, StoreError } from '../../src/store/types.ts'
import { findStoreKind } from './open-stores.ts'
import { sampleKey, sampleSecret } from './sample-key.ts'

const at = (timeMs: number): Date => new Date(Date.UTC(2026, 4, 1) + timeMs)
const HOUR_MS = 3_600_000

/** Texts that a store could misinterpret. */
const ODD_TEXTS = [
  ['quotes', `O'Hara "the" \`third\`; DROP TABLE keys; --`],
  ['operators', '$where'],
  ['fields', '$secrets.hash'],
  ['dots', 'a.b.c'],
  ['JSON', '{"$ne": null}'],
  ['NUL in the middle', 'one\0two'],
  ['NUL at the end', 'one\0'],
  ['control characters', '\x01\x1f\x7f\r\n\t'],
  ['emoji', '🏄‍♀️ 漢字 é ﷽'],
  ['an empty text', ''],
  ['wildcards', '%_*?'],
  ['a long text', 'ä'.repeat(20_000)],
] as const

const kind = findStoreKind('store')
describe.skipIf(kind.isMissing).each([kind])('keys and settings in $name', ({ openBoth }) => {
  let store: Store
  let other: Store
  beforeAll(async () => {
    ;[store, other] = await openBoth()
  })
  afterAll(async () => {
    await store?.close()
    await other?.close()
  })

  async function createKey(change: Partial<Key> = {}): Promise<Key> {
    const key = sampleKey(change)
    await store.keys.createKey(key)
    return key
  }

  describe('keys', () => {
    test.each([
      ['an ordinary key', {}],
      ['pinned to 1', { revision: 1 }],
      ['pinned to 2', { revision: 2 }],
      ['revoked', { revokedAt: at(5) }],
      ['with an expiry and limits of its own', { expiresAt: at(7), perMinute: 1, perMonth: 1_000_000_000 }],
      ['with a limit of zero', { perMonth: 0 }],
      ['without a secret', { secrets: [] }],
      ['with a secret of another pepper', { secrets: [{ ...sampleSecret(), pepper: '0123456789abcdef' }] }],
      ['three secrets, the newest first', { secrets: [sampleSecret(), sampleSecret(at(1)), sampleSecret(at(999))] }],
    ] as const)('a key is stored unchanged: %s', async (_, change) => {
      const key = await createKey(change)
      expect(await other.keys.getKey(key.id)).toEqual(key)
      for (const { hash } of key.secrets) expect(await other.keys.findKey(hash)).toEqual(key)
      expect(await store.keys.listKeys()).toContainEqual(key)
    })

    test.each(ODD_TEXTS)('texts are stored unchanged: %s', async (_, text) => {
      const id = `${text}${sampleKey().id}${text}`
      const secret = { hash: `${id}#`, lastFour: text, expiresAt: null }
      const key = await createKey({ id, name: text, email: text, plan: text, secrets: [secret] })
      expect(await store.keys.getKey(id)).toEqual(key)
      expect(await store.keys.findKey(secret.hash)).toEqual(key)
      const newer = { ...secret, hash: `${id}##`, pepper: text }
      expect(await store.keys.changeKey(id, { email: `${text}?` })).toBe(true)
      expect(await store.keys.setPlan(id, `${text}!`)).toBe(true)
      expect(await store.keys.rotateKey(id, { secret: newer, oldEndAt: at(1), now: at(0) })).toBe(true)
      const secrets = [newer, { ...secret, expiresAt: at(1) }]
      expect(await store.keys.getKey(id)).toEqual({ ...key, email: `${text}?`, plan: `${text}!`, secrets })
      expect(await store.settings.putIfAbsent(id, text)).toBe(text)
      expect(await other.settings.putIfAbsent(id, 'another')).toBe(text)
      expect(await other.settings.findValue(id)).toBe(text)
      expect(await other.settings.findValue(`${id}.`)).toBeNull()
      expect(await store.usage.charge({ counter: id, day: '2026-05-17', quota: 9, at: at(0) })).toBe(1)
      expect(await store.usage.usedBy(id, '2026-05')).toBe(1)
    })

    test.each(['', '$ne', 'key', 'key_', '\0', '%', '{"$ne":null}'])('no key has the id or secret %j', async (text) => {
      expect(await store.keys.getKey(text)).toBeNull()
      expect(await store.keys.findKey(text)).toBeNull()
      expect(await store.keys.revokeKey(text, at(0))).toBe(false)
      expect(await store.keys.setPlan(text, 'pro')).toBe(false)
      expect(await store.keys.changeKey(text, { perMonth: 1 })).toBe(false)
      expect(await store.keys.deleteKey(text)).toBe(false)
      expect(await store.keys.rotateKey(text, { secret: sampleSecret(), oldEndAt: at(0), now: at(0) })).toBe(false)
      expect(await store.usage.usedBy(text, '2026-05')).toBe(0)
      expect(await store.usage.lastUsed(text)).toBeNull()
    })

    test('an id with a NUL and more characters is a different id', async () => {
      const { id } = await createKey()
      expect(await store.keys.getKey(`${id}\0`)).toBeNull()
    })

    test('secrets are counted by their pepper, without those that cannot be used', async () => {
      const pepper = sampleKey().id
      const count = async (): Promise<number | undefined> =>
        (await other.keys.countPeppers(at(0))).find((one) => one.pepper === pepper)?.secrets
      const countFirst = async (): Promise<number> =>
        (await other.keys.countPeppers(at(0))).find((one) => one.pepper === null)?.secrets ?? 0
      const before = await countFirst()
      const own = (expiresAt: Date | null = null) => ({ ...sampleSecret(), expiresAt, pepper })
      await createKey({ secrets: [own(), own(at(1)), own(at(0)), sampleSecret()] })
      await createKey({ secrets: [own()], expiresAt: at(1) })
      await createKey({ secrets: [own()], expiresAt: at(0) })
      await createKey({ secrets: [own()], revokedAt: at(-1) })
      expect([await count(), await countFirst()]).toEqual([3, before + 1])
    })

    test('keys are listed in the order of their creation', async () => {
      const [first, second, third] = [sampleKey(), sampleKey(), sampleKey()]
      for (const key of [third, first, second]) await store.keys.createKey(key)
      const ids = (await other.keys.listKeys()).map(({ id }) => id)
      const places = [first, second, third].map(({ id }) => ids.indexOf(id))
      expect(places.every((place, index) => place >= 0 && place === places[0] + index)).toBe(true)
    })

    test.each([
      ['an id', (key: Key) => sampleKey({ id: key.id })],
      ['a secret', (key: Key) => sampleKey({ secrets: [sampleSecret(), ...key.secrets] })],
    ])('%s that already exists is rejected, but not with a StoreError', async (_, second) => {
      const key = await createKey()
      const wrong = second(key)
      const error = await store.keys.createKey(wrong).catch((cause: unknown) => cause)
      expect(error).toBeInstanceOf(Error)
      expect(error).not.toBeInstanceOf(StoreError)
      expect(await store.keys.getKey(key.id)).toEqual(key)
      expect(await store.keys.findKey(wrong.secrets[0].hash)).toBeNull()
    })

    test.each<[string, KeyChange]>([
      ['the address', { email: 'new@harbourline.example' }],
      ['the expiry', { expiresAt: at(9) }],
      ['no expiry', { expiresAt: null }],
      ['both limits', { perMinute: 7, perMonth: 0 }],
      ['one limit back to that of the plan', { perMinute: null }],
      ['nothing', {}],
    ])('a change changes only what it names: %s', async (_, change) => {
      const key = await createKey({ expiresAt: at(1), perMinute: 2, perMonth: 3 })
      const neighbour = await createKey()
      expect(await store.keys.findKey(key.secrets[0].hash)).toEqual(key)
      expect(await store.keys.changeKey(key.id, change)).toBe(true)
      expect(await store.keys.findKey(key.secrets[0].hash)).toEqual({ ...key, ...change })
      expect(await other.keys.getKey(key.id)).toEqual({ ...key, ...change })
      expect(await other.keys.getKey(neighbour.id)).toEqual(neighbour)
    })

    test('a deleted key is unknown, and its usage is kept', async () => {
      const key = await createKey({ secrets: [sampleSecret(), sampleSecret(at(1))] })
      const neighbour = await createKey()
      await store.usage.charge({ counter: key.id, day: '2026-05-17', quota: 9, at: at(0) })
      expect(await store.keys.deleteKey(key.id)).toBe(true)
      expect(await other.keys.deleteKey(key.id)).toBe(false)
      expect(await other.keys.getKey(key.id)).toBeNull()
      for (const { hash } of key.secrets) expect(await store.keys.findKey(hash)).toBeNull()
      expect(await other.keys.getKey(neighbour.id)).toEqual(neighbour)
      expect(await other.usage.usedBy(key.id, '2026-05')).toBe(1)
      expect(await other.usage.listDays([key.id], '2026-05')).toHaveLength(1)
    })

    test('a revoked key keeps its first time of revocation and gets no new secret', async () => {
      const key = await createKey()
      expect(await store.keys.revokeKey(key.id, at(1))).toBe(true)
      expect(await other.keys.revokeKey(key.id, at(2))).toBe(true)
      expect(await store.keys.rotateKey(key.id, { secret: sampleSecret(), oldEndAt: at(3), now: at(3) })).toBe(false)
      const revoked = { ...key, revokedAt: at(1) }
      expect(await other.keys.getKey(key.id)).toEqual(revoked)
      expect(await other.keys.findKey(key.secrets[0].hash)).toEqual(revoked)
    })

    test('rotation puts the new secret first, shortens former ones to the overlap, and deletes expired ones', async () => {
      const [ended, ending, soon, lasting] = [at(-1), at(0), at(HOUR_MS), null].map(sampleSecret)
      const key = await createKey({ secrets: [lasting, soon, ending, ended] })
      const secret = sampleSecret()
      const oldEndAt = at(24 * HOUR_MS)
      expect(await other.keys.rotateKey(key.id, { secret, oldEndAt, now: at(0) })).toBe(true)
      const secrets = [secret, { ...lasting, expiresAt: oldEndAt }, soon, ending]
      expect(await store.keys.getKey(key.id)).toEqual({ ...key, secrets })
      expect(await store.keys.findKey(ended.hash)).toBeNull()

      const next = sampleSecret()
      expect(
        await store.keys.rotateKey(key.id, { secret: next, oldEndAt: at(2 * HOUR_MS), now: at(2 * HOUR_MS) }),
      ).toBe(true)
      const olds = [secret, lasting].map((old) => ({ ...old, expiresAt: at(2 * HOUR_MS) }))
      expect((await other.keys.getKey(key.id))?.secrets).toEqual([next, ...olds])
    })

    test('concurrent rotations lose no secret', async () => {
      const key = await createKey()
      const secrets = Array.from({ length: 20 }, () => sampleSecret())
      const rotate = (store: Store, secret = sampleSecret()) =>
        store.keys.rotateKey(key.id, { secret, oldEndAt: at(1), now: at(0) })
      await Promise.all(secrets.map((secret, index) => rotate(index % 2 ? store : other, secret)))
      const stored = (await store.keys.getKey(key.id))?.secrets ?? []
      expect(stored.filter(({ expiresAt }) => expiresAt === null)).toHaveLength(1)
      expect(new Set(stored.map(({ hash }) => hash))).toEqual(
        new Set([...key.secrets, ...secrets].map(({ hash }) => hash)),
      )
    })

    test('setPlan changes only the plan', async () => {
      const key = await createKey()
      expect(await other.keys.setPlan(key.id, 'pro')).toBe(true)
      expect(await other.keys.setPlan(key.id, 'pro')).toBe(true)
      expect(await store.keys.getKey(key.id)).toEqual({ ...key, plan: 'pro' })
    })
  })

  describe('settings', () => {
    test('switches are initially off, are set individually, and all processes read the change', async () => {
      expect(await store.settings.switches()).toEqual({ maintenance: false, apiOff: false })
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
        await store.settings.setSwitches(change)
        expect(await other.settings.switches()).toEqual(expected)
      }
    })

    test('concurrent calls of putIfAbsent return the same value', async () => {
      for (let round = 0; round < 30; round++) {
        const all = Array.from({ length: 8 }, (_, n) =>
          (n % 2 ? store : other).settings.putIfAbsent(`round ${round}`, `value ${n}`),
        )
        expect(new Set(await Promise.all(all)).size).toBe(1)
      }
    })

    test('a ping succeeds', async () => expect(await store.ping()).toBeUndefined())
  })
})
