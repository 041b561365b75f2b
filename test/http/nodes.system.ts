import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { newSite, onePlan, openApp, scanOf, type TestApp } from './app-fixture.ts'
import { findServers } from './app-kinds.ts'
import { pauseScans } from './paused-scan.ts'
import { sendAll } from './send-all.ts'

const MANY = 1_000_000
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const servers = await findServers('http: nodes')
// Limits that two nodes keep together are tested in test/service/two-nodes.test.ts.
describe.skipIf(servers.isMissing)('two nodes with one Redis and MongoDB', () => {
  let nodes: readonly [TestApp, TestApp]
  const held = pauseScans()
  beforeAll(async () => {
    const settings = onePlan(MANY, MANY)
    const open = async () => openApp({ stores: await servers.open(), settings, scan: held.scan })
    nodes = [await open(), await open()]
  })
  const ask = (count: number, url: string, secret: string) => sendAll(count, (i) => nodes[i % 2].call({ url, secret }))
  const sum = (operation: string): number => nodes[0].answered(operation) + nodes[1].answered(operation)
  let [passed, looked] = [0, 0]
  /**
   * Waits until this number of additional requests has passed the quota check and a node polls the outcome of the other
   * node's scan.
   */
  const bothWait = async (count: number): Promise<void> => {
    await until(() => sum('usedBy') >= passed + count && sum('outcomeOf') > looked, true)
  }
  beforeEach(() => {
    passed = sum('usedBy')
    looked = sum('outcomeOf')
  })
  const newSecret = async (): Promise<string> => (await nodes[0].newKey({ plan: 'free' })).secret
  const used = async (secret: string): Promise<number> =>
    (await nodes[1].call({ url: '/api/v1/me', secret })).body.requests_used

  test('200 requests for one new URL on both nodes: one scan, each request is charged', async () => {
    const secret = await newSecret()
    const site = scanOf(newSite())
    const asked = ask(200, site, secret)
    await until(held.count, 1)
    await bothWait(200)
    expect(held.count()).toBe(1)
    held.complete()
    const answers = await asked
    expect(answers.filter(({ status, body }) => status === 200 && !body.cached)).toHaveLength(200)
    expect(nodes[0].scanned.length + nodes[1].scanned.length).toBe(1)
    expect(await used(secret)).toBe(200)
    for (const node of nodes) expect((await node.call({ url: site, secret })).body.cached).toBe(true)
  })

  test('an error reaches the waiting requests on both nodes, none is charged, the next request scans again', async () => {
    const secret = await newSecret()
    const site = scanOf(newSite())
    const asked = ask(20, site, secret)
    await until(held.count, 1)
    await bothWait(20)
    held.fail()
    for (const { body } of await asked) expect(body.code).toBe('scan_failed')
    expect(await used(secret)).toBe(0)
    const again = nodes[1].call({ url: site, secret })
    await until(held.count, 1)
    held.complete()
    expect((await again).status).toBe(200)
  })

  test('fresh on one node joins the in-flight scan of the other', async () => {
    const secret = await newSecret()
    const site = scanOf(newSite())
    const first = nodes[0].call({ url: site, secret })
    await until(held.count, 1)
    const second = nodes[1].call({ url: `${site}&fresh=true&include=timing`, secret })
    await bothWait(2)
    expect(held.count()).toBe(1)
    held.complete()
    for (const { status, body } of await Promise.all([first, second]))
      expect([status, body.cached]).toEqual([200, false])
  })

  test('a switch and a revocation on one node take effect on the other within 5 s', async () => {
    const { key, secret } = await nodes[0].newKey({ plan: 'free' })
    const me = { url: '/api/v1/me', secret }
    for (const node of nodes) expect((await node.call(me)).status).toBe(200)
    await nodes[0].store.settings.setSwitches({ apiOff: true })
    await nodes[0].store.keys.revokeKey(key.id, new Date())
    await expect.poll(async () => (await nodes[1].call(me)).body.code, { timeout: 4900 }).toBe('unavailable')
    await nodes[0].store.settings.setSwitches({ apiOff: false })
    await pause(1500)
    await expect.poll(async () => (await nodes[1].call(me)).status, { timeout: 3000 }).toBe(401)
  })
})
