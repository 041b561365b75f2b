import { describe, expect, test } from 'vitest'
import { buildCacheEntry } from '../../src/service/cache-entry.ts'
import { newSite } from '../http/app-fixture.ts'
import { findAppKind } from '../http/app-kinds.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { until } from '../support/until.ts'
import { buildRequest, openNode } from './single-flight-nodes.ts'

const kind = await findAppKind('scan: single-flight')
describe.skipIf(kind.isMissing)(`single-flight on ${kind.name}`, () => {
  test('a client whose time is up gets scan_timeout, and the scan continues', async () => {
    const { shared, singleFlight, held } = await openNode(kind)
    const site = newSite()
    await expect(singleFlight.join(...buildRequest(site, { waitMs: 100 }))).rejects.toMatchObject({
      code: 'scan_timeout',
    })
    // With a slow store, the scan may start after the client's time is up.
    await until(held.count, 1)
    expect(singleFlight.count).toBe(1)
    held.complete()
    await singleFlight.settle()
    expect(singleFlight.count).toBe(0)
    const { entry } = await shared.countRequest({ counter: 'none', now: Date.now(), cost: 0, entry: `rules ${site}` })
    expect(JSON.parse(entry?.result ?? '{}')).toMatchObject({ url: site, builder: 'Webflow' })
  })

  test('a fresh request gets no cached entry, not even from an in-flight request that found one', async () => {
    const { shared, singleFlight, held } = await openNode(kind)
    const site = newSite()
    const old = buildCacheEntry(sampleScan(site, { builder: 'Old' }), Date.now())
    const lock = await shared.acquire(`rules ${site}`, { fresh: true, now: Date.now() })
    const token = lock.role === 'lead' ? lock.token : ''
    await shared.complete(`rules ${site}`, token, { outcome: JSON.stringify({ entry: old }), result: old })
    const responses = [
      singleFlight.join(...buildRequest(site)),
      singleFlight.join(...buildRequest(site, { fresh: true })),
    ]
    expect(JSON.parse((await responses[0]).result).builder).toBe('Old')
    await until(held.count, 1)
    held.complete()
    expect(JSON.parse((await responses[1]).result).builder).toBe('Webflow')
  })

  test('a client without time left fails immediately', async () => {
    const { singleFlight, held } = await openNode(kind)
    const responses = singleFlight.join(...buildRequest(newSite(), { waitMs: 0 }))
    await expect(responses).rejects.toMatchObject({ code: 'scan_timeout' })
    expect([held.count(), singleFlight.count]).toEqual([0, 0])
  })

  test('the cause of a failed scan reaches the client and the log', async () => {
    const { singleFlight, held, failures } = await openNode(kind)
    const responses = singleFlight.join(...buildRequest(newSite()))
    await until(held.count, 1)
    held.fail()
    await expect(responses).rejects.toMatchObject({ code: 'scan_failed', reason: 'tls_invalid' })
    expect(failures).toMatchObject([{ reason: 'tls_invalid' }])
  })
})
