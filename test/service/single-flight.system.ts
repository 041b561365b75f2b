import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { LOCK_MS, RENEW_MS } from '../../src/coordination/types.ts'
import { buildCacheEntry } from '../../src/service/cache-entry.ts'
import { newSite } from '../http/app-fixture.ts'
import { findServers } from '../http/app-kinds.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { until } from '../support/until.ts'
import { buildRequest, openNode } from './single-flight-nodes.ts'

// Only other nodes can hold a lock that this node has not acquired.
const kind = await findServers('scan: single-flight of several nodes')
describe.skipIf(kind.isMissing)('single-flight of several nodes', () => {
  test('while another node scans, each client waits for its own time', async () => {
    const { shared, singleFlight, held } = await openNode(kind)
    const site = newSite()
    const lock = await shared.acquire(`rules ${site}`, { fresh: true, now: Date.now() })
    const token = lock.role === 'lead' ? lock.token : ''
    const first = singleFlight.join(...buildRequest(site, { waitMs: 100 }))
    const second = singleFlight.join(...buildRequest(site))
    await expect(first).rejects.toMatchObject({ code: 'scan_timeout' })
    const result = buildCacheEntry(sampleScan(site), Date.now())
    await shared.complete(`rules ${site}`, token, { outcome: JSON.stringify({ entry: result }), result })
    expect(JSON.parse((await second).result)).toMatchObject({ url: site })
    expect(held.count()).toBe(0)
  })

  test('a scan that takes longer than the lock time is not started on another node', async () => {
    const [first, second] = [await openNode(kind), await openNode(kind)]
    const site = newSite()
    const responses = [first.singleFlight.join(...buildRequest(site, { waitMs: 15_000 }))]
    await until(first.held.count, 1)
    responses.push(second.singleFlight.join(...buildRequest(site, { waitMs: 15_000 })))
    await sleep(LOCK_MS + RENEW_MS)
    expect([first.held.count(), second.held.count()]).toEqual([1, 0])
    first.held.complete()
    for (const { result } of await Promise.all(responses)) expect(JSON.parse(result)).toMatchObject({ url: site })
  })

  test('when the scanning node disappears, another node scans for its own clients', async () => {
    const [gone, second] = [await openNode(kind), await openNode(kind)]
    const site = newSite()
    const lost = gone.singleFlight.join(...buildRequest(site))
    lost.catch(() => {})
    await until(gone.held.count, 1)
    const responses = second.singleFlight.join(...buildRequest(site, { waitMs: 18_000 }))
    await gone.shared.close() // Like a killed process, it no longer renews its lock.
    await expect.poll(second.held.count, { timeout: LOCK_MS + 3000 }).toBe(1)
    second.held.complete()
    expect(JSON.parse((await responses).result)).toMatchObject({ url: site })
    gone.held.complete()
  })
})
