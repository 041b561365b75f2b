import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type GuardedStore, guardStore } from '../../../src/store/guard.ts'
import { openMongo } from '../../../src/store/mongo/mongo.ts'
import { type Charge, StoreError } from '../../../src/store/types.ts'
import { type OwnServer, startMongo } from '../../support/services.ts'
import { until } from '../../support/until.ts'
import { sampleKey } from '../sample-key.ts'

const SUITE = 'MongoDB that cannot be written'
const WORDS = ['--replSet', 'rs0']
const [single, primary, secondary, arbiter] = await Promise.all([
  startMongo(SUITE),
  startMongo(SUITE, WORDS),
  startMongo(SUITE, WORDS),
  startMongo(SUITE, WORDS),
])
const servers = [single, primary, secondary, arbiter]
const isMissing = servers.includes(null)
afterAll(() => Promise.all(servers.map((server) => server?.stop())))

const MONTH = '2026-05'
const CLIENTS = 16
const chargeOf = (key: string): Charge => ({ key, month: MONTH, quota: 1e6, at: new Date(0) })
const directTo = (server: OwnServer | null): Promise<MongoClient> =>
  MongoClient.connect(`${server?.url}/?directConnection=true`)
const hostOf = (server: OwnServer | null): string => String(server?.url).replace('mongodb://', '')

/** Reads go on in both cases: a probe that reads takes MongoDB for well. */
const CASES = [
  {
    name: 'fsync + lock',
    url: () => `${single?.url}/locked`,
    harm: async () => void (await admin(single).command({ fsync: 1, lock: true })),
    heal: async () => void (await admin(single).command({ fsyncUnlock: 1 })),
    /** None is carried out. */
    inDoubt: 0,
  },
  {
    name: 'no majority: primary and arbiter alone',
    url: () => `${primary?.url}/majority?replicaSet=rs0`,
    harm: async () => secondary?.pause(),
    heal: async () => secondary?.resume(),
    /** The primary has written what was under way. */
    inDoubt: CLIENTS,
  },
] as const

const clients = new Map<OwnServer | null, MongoClient>()
const admin = (server: OwnServer | null) => (clients.get(server) as MongoClient).db('admin')

beforeAll(async () => {
  if (isMissing) return
  for (const server of [single, primary]) clients.set(server, await directTo(server))
  const members = [
    { _id: 0, host: hostOf(primary), priority: 5 },
    { _id: 1, host: hostOf(secondary), priority: 1 },
    { _id: 2, host: hostOf(arbiter), arbiterOnly: true },
  ]
  await admin(primary).command({ replSetInitiate: { _id: 'rs0', members } })
  const statesOf = async (): Promise<string> =>
    (await admin(primary).command({ replSetGetStatus: 1 })).members
      .map((one: { stateStr: string }) => one.stateStr)
      .join()
  while ((await statesOf()) !== 'PRIMARY,SECONDARY,ARBITER') await sleep(100)
}, 90_000)
afterAll(() => Promise.all([...clients.values()].map((client) => client.close())))

describe.skipIf(isMissing).each(CASES)('$name', ({ url, harm, heal, inDoubt }) => {
  const opened: GuardedStore[] = []
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())))

  test('it is down until it can be written, and is charged no more than what was under way', async () => {
    const changes: boolean[] = []
    const onChange = (isUp: boolean): void => void changes.push(isUp)
    const store = guardStore(await openMongo({ url: url() }), { timeoutMs: 800, onChange })
    opened.push(store)
    const key = sampleKey().id
    let answered = 0
    let isOver = false
    const load = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) {
        await store.charge(chargeOf(key)).then(
          () => answered++,
          () => {},
        )
        await sleep(20)
      }
    })
    await until(() => answered > CLIENTS, true)
    await harm()
    const before = answered
    await sleep(6000)
    expect([changes, store.isUp]).toEqual([[false], false])
    await heal()
    await until(() => answered > before + CLIENTS, true)
    isOver = true
    await Promise.all(load)
    expect(changes).toEqual([false, true])
    const used = await store.usedBy(key, MONTH)
    expect(used).toBeGreaterThanOrEqual(answered)
    expect(used - answered).toBeLessThanOrEqual(inDoubt)
  }, 30_000)
})

test.skipIf(isMissing)(
  'fsync + lock: a change that was reported as failed is not carried out later',
  async () => {
    const { url, harm, heal } = CASES[0]
    const store = await openMongo({ url: url() })
    const [key, late] = [sampleKey(), sampleKey()]
    await store.createKey(key)
    await harm()
    const now = new Date()
    const changes = [
      store.createKey(late),
      store.revokeKey(key.id, now),
      store.rotateKey(key.id, { secret: sampleKey().secrets[0], oldEndAt: now, now }),
      store.setPlan(key.id, 'pro'),
      store.setSwitches({ maintenance: true }),
      store.keepOnce('late', 'x'),
      store.touch({ key: key.id, month: MONTH, at: now }),
      store.charge(chargeOf(key.id)),
    ]
    const ends = await Promise.allSettled(changes)
    await heal()
    for (const end of ends) expect(end.status === 'rejected' && end.reason).toBeInstanceOf(StoreError)
    await store.ping()
    await sleep(500)
    expect(await store.listKeys()).toEqual([key])
    expect(await store.switches()).toEqual({ maintenance: false, apiOff: false })
    expect(await store.keepOnce('late', 'y')).toBe('y')
    expect([await store.usedBy(key.id, MONTH), await store.lastUsed(key.id)]).toEqual([0, null])
    await store.close()
  },
  30_000,
)
