import { beforeAll, describe, expect, test } from 'vitest'
import { buildKey, buildSecret } from '../../src/keys/key.ts'
import { type Charge, StoreError } from '../../src/store/types.ts'
import { createAccount } from '../store/create-account.ts'
import { readUsed } from '../store/read-used.ts'
import { newSite, onePlan, openApp, scanOf, type TestApp, type TestKey } from './app-fixture.ts'
import { type AppStores, findAppKind, overrideStore } from './app-kinds.ts'
import { sendAll } from './send-all.ts'

const PER_MINUTE = 10_000
const SITE = newSite()
const ME = '/api/v1/me'

/** How the key in a slot is replaced: by a new secret, or by a new key after it was revoked or deleted. */
const REPLACEMENTS = ['rotation', 'revocation', 'deletion'] as const
type Replacement = (typeof REPLACEMENTS)[number]

const kind = await findAppKind('http: slots')
describe.skipIf(kind.isMissing).each([kind])('a slot on two nodes, $name', (kind) => {
  /** Opens two nodes of a service with one plan, whose accounts have one key. */
  async function openNodes(perMinute: number, perMonth: number): Promise<readonly [TestApp, TestApp]> {
    const stores: AppStores = await kind.open()
    const settings = onePlan(perMinute, perMonth)
    const second = kind.isShared ? await kind.open() : stores
    return [await openApp({ stores, settings }), await openApp({ stores: second, settings })]
  }

  /** Creates an account and its only key. */
  async function createOwner({ store, parts, clock }: TestApp) {
    const account = await createAccount(store)
    const create = async (): Promise<TestKey> => {
      const now = new Date(clock.now)
      const made = buildKey({
        ...{ name: 'Key', email: 'a@a.example', plan: 'free', revision: null },
        ...{ account, now, pepper: parts.pepper },
      })
      expect(await store.keys.createAccountKey(made.key, 1)).toBe(true)
      return { ...made, key: (await store.keys.getKey(made.key.id)) ?? made.key }
    }
    const replace = async ({ key }: TestKey, how: Replacement): Promise<TestKey> => {
      if (how === 'rotation') {
        const { stored, secret } = buildSecret({ pepper: parts.pepper })
        const now = new Date(clock.now)
        await store.keys.rotateKey(key.id, { secret: stored, oldEndAt: now, now })
        return { key, secret }
      }
      await (how === 'deletion' ? store.keys.deleteKey(key.id) : store.keys.revokeKey(key.id, new Date(clock.now)))
      return await create()
    }
    return { create, replace }
  }

  test.each(REPLACEMENTS)('keeps its minute through %s: ten keys make as many requests as one', async (how) => {
    const nodes = await openNodes(10, 1000)
    const { create, replace } = await createOwner(nodes[0])
    let key = await create()
    const statuses: number[] = []
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 4; i++) statuses.push((await nodes[i % 2].call({ url: ME, secret: key.secret })).status)
      key = await replace(key, how)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.slice(10)).toEqual(Array(30).fill(429))
  })

  test.each(REPLACEMENTS)('keeps its month through %s, and shows it with every key', async (how) => {
    const nodes = await openNodes(PER_MINUTE, 5)
    const { create, replace } = await createOwner(nodes[0])
    let key = await create()
    for (let used = 1; used <= 5; used++) {
      const scan = await nodes[used % 2].call({ url: scanOf(SITE), secret: key.secret })
      expect([scan.status, scan.headers['x-quota-remaining']]).toEqual([200, String(5 - used)])
      key = await replace(key, how)
      const { body } = await nodes[0].call({ url: ME, secret: key.secret })
      expect(body).toMatchObject({ requests_used: used, requests_limit: 5, requests_remaining: 5 - used })
      expect(body.created_at).toBe(key.key.createdAt.toISOString())
      const usage = await nodes[1].call({ url: '/api/v1/usage', secret: key.secret })
      expect(usage.body).toMatchObject({ requests_used: used })
      expect(usage.body.days.at(-1).requests).toBe(used)
    }
    const over = await nodes[0].call({ url: scanOf(SITE), secret: key.secret })
    expect([over.status, over.body.code]).toEqual([429, 'quota_exceeded'])
  })

  test('600 scans with another key every 50: exactly the quota is served', { timeout: 120_000 }, async () => {
    const nodes = await openNodes(PER_MINUTE, 400)
    const { create, replace } = await createOwner(nodes[0])
    let key = await create()
    const codes: unknown[] = []
    for (let round = 0; round < 12; round++) {
      const url = scanOf(SITE)
      const answers = await sendAll(50, (i) => nodes[i % 2].call({ url, secret: key.secret }))
      codes.push(...answers.map(({ status, body }) => (status === 200 ? 200 : body.code)))
      key = await replace(key, REPLACEMENTS[round % 3])
    }
    expect(codes.filter((code) => code === 200)).toHaveLength(400)
    expect(codes.filter((code) => code === 'quota_exceeded')).toHaveLength(200)
    const month = new Date(nodes[0].clock.now).toISOString().slice(0, 7)
    expect(await readUsed(nodes[1].store, key.key.counter, month)).toBe(400)
  })

  test('keys in two slots do not share their counts', async () => {
    const nodes = await openNodes(2, 1000)
    const secrets = []
    for (let i = 0; i < 2; i++) secrets.push((await (await createOwner(nodes[i])).create()).secret)
    for (const secret of secrets)
      for (const status of [200, 200, 429]) expect((await nodes[0].call({ url: ME, secret })).status).toBe(status)
  })
})

describe('a charge whose outcome is not known', () => {
  let app: TestApp
  let key: TestKey
  beforeAll(async () => {
    app = await openApp({ settings: onePlan(PER_MINUTE, 2) })
    key = await app.newKey({ account: await createAccount(app.store), plan: 'free' })
  })

  test('stays in the slot when its key is replaced', async () => {
    const { store } = app
    const day = new Date(app.clock.now).toISOString().slice(0, 10)
    const charge: Charge = { counter: key.key.counter, day, quota: 2, at: new Date(app.clock.now) }
    const run = async () => {
      await store.usage.charge(charge)
      throw new StoreError('no answer')
    }
    const shaky = await openApp({
      stores: { ...app, store: overrideStore(store, { method: 'charge', run, isUp: true }) },
      settings: onePlan(PER_MINUTE, 2),
    })
    const answer = await shaky.call({ url: scanOf(newSite()), secret: key.secret })
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
    await store.keys.revokeKey(key.key.id, new Date(app.clock.now))
    const next = await app.newKey({ account: key.key.account ?? '', plan: 'free' })
    const me = await app.call({ url: ME, secret: next.secret })
    expect(me.body).toMatchObject({ requests_used: 1, requests_remaining: 1 })
  })
})
