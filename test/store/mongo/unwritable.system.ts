import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type GuardedStore, guardStore } from '../../../src/store/guard.ts'
import { openMongo } from '../../../src/store/mongo/mongo.ts'
import { type Charge, StoreError } from '../../../src/store/types.ts'
import { type OwnServer, startMongo } from '../../support/services.ts'
import { until } from '../../support/until.ts'
import { readUsed } from '../read-used.ts'
import { sampleKey } from '../sample-key.ts'

const SUITE = 'MongoDB that cannot be written'
const REPLICA_SET_ARGS = ['--replSet', 'rs0']
const [single, primary, secondary, arbiter] = await Promise.all([
  startMongo(SUITE),
  startMongo(SUITE, REPLICA_SET_ARGS),
  startMongo(SUITE, REPLICA_SET_ARGS),
  startMongo(SUITE, REPLICA_SET_ARGS),
])
const servers = [single, primary, secondary, arbiter]
const isMissing = servers.includes(null)
afterAll(() => Promise.all(servers.map((server) => server?.stop())))

const MONTH = '2026-05'
const CLIENTS = 16
const buildCharge = (key: string): Charge => ({ counter: key, day: `${MONTH}-17`, quota: 1e6, at: new Date(0) })
const connectDirectly = (server: OwnServer | null): Promise<MongoClient> =>
  MongoClient.connect(`${server?.url}/?directConnection=true`)
const readHost = (server: OwnServer | null): string => String(server?.url).replace('mongodb://', '')

/** Reads work in both cases, so that a probe that reads would consider MongoDB up. */
const CASES = [
  {
    name: 'fsync + lock',
    url: () => `${single?.url}/locked`,
    fail: async () => void (await admin(single).command({ fsync: 1, lock: true })),
    recover: async () => void (await admin(single).command({ fsyncUnlock: 1 })),
    /** No charge takes effect. */
    inDoubt: 0,
  },
  {
    name: 'no majority: only the primary and the arbiter',
    url: () => `${primary?.url}/majority?replicaSet=rs0`,
    fail: async () => secondary?.pause(),
    recover: async () => secondary?.resume(),
    /** The primary has written the pending charges. */
    inDoubt: CLIENTS,
  },
] as const

const clients = new Map<OwnServer | null, MongoClient>()
const admin = (server: OwnServer | null) => (clients.get(server) as MongoClient).db('admin')

beforeAll(async () => {
  if (isMissing) return
  for (const server of [single, primary]) clients.set(server, await connectDirectly(server))
  const members = [
    { _id: 0, host: readHost(primary), priority: 5 },
    { _id: 1, host: readHost(secondary), priority: 1 },
    { _id: 2, host: readHost(arbiter), arbiterOnly: true },
  ]
  await admin(primary).command({ replSetInitiate: { _id: 'rs0', members } })
  const readStates = async (): Promise<string> =>
    (await admin(primary).command({ replSetGetStatus: 1 })).members
      .map((one: { stateStr: string }) => one.stateStr)
      .join()
  while ((await readStates()) !== 'PRIMARY,SECONDARY,ARBITER') await sleep(100)
}, 90_000)
afterAll(() => Promise.all([...clients.values()].map((client) => client.close())))

describe.skipIf(isMissing).each(CASES)('$name', ({ url, fail, recover, inDoubt }) => {
  const opened: GuardedStore[] = []
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())))

  test('is down until it can be written, and stores at most the charges that were pending', async () => {
    const changes: boolean[] = []
    const onChange = (isUp: boolean): void => void changes.push(isUp)
    const store = guardStore(await openMongo({ url: url() }), { timeoutMs: 800, onChange })
    opened.push(store)
    const key = sampleKey().id
    let answered = 0
    let isOver = false
    const load = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) {
        await store.usage.charge(buildCharge(key)).then(
          () => answered++,
          () => {},
        )
        await sleep(20)
      }
    })
    await until(() => answered > CLIENTS, true)
    await fail()
    const before = answered
    await sleep(6000)
    expect([changes, store.isUp]).toEqual([[false], false])
    await recover()
    await until(() => answered > before + CLIENTS, true)
    isOver = true
    await Promise.all(load)
    expect(changes).toEqual([false, true])
    const used = await readUsed(store, key, MONTH)
    expect(used).toBeGreaterThanOrEqual(answered)
    expect(used - answered).toBeLessThanOrEqual(inDoubt)
  }, 30_000)
})

test.skipIf(isMissing)(
  'fsync + lock: a change that was reported as failed is not carried out later',
  async () => {
    const { url, fail, recover } = CASES[0]
    const store = await openMongo({ url: url() })
    const [key, late] = [sampleKey(), sampleKey()]
    await store.keys.createKey(key)
    await fail()
    const now = new Date()
    const changes = [
      store.keys.createKey(late),
      store.keys.revokeKey(key.id, now),
      store.keys.rotateKey(key.id, { secret: sampleKey().secrets[0], oldEndAt: now, now }),
      store.keys.setPlan(key.id, 'pro'),
      store.settings.setSwitches({ maintenance: true }),
      store.settings.putIfAbsent('late', 'x'),
      store.usage.touch({ counter: key.id, day: `${MONTH}-17`, at: now }),
      store.usage.charge(buildCharge(key.id)),
    ]
    const ends = await Promise.allSettled(changes)
    await recover()
    for (const end of ends) expect(end.status === 'rejected' && end.reason).toBeInstanceOf(StoreError)
    await store.ping()
    await sleep(500)
    expect(await store.keys.listKeys()).toEqual([key])
    expect(await store.settings.switches()).toEqual({ maintenance: false, apiOff: false })
    expect(await store.settings.putIfAbsent('late', 'y')).toBe('y')
    expect([await store.usage.usedBy(key.id, MONTH), await store.usage.lastUsed(key.id)]).toEqual([0, null])
    await store.close()
  },
  30_000,
)
