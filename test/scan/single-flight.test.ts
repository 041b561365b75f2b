import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { LOCK_MS, RENEW_MS, type SharedState } from '../../src/coordination/types.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { parseTarget } from '../../src/fetch/target.ts'
import { buildCacheEntry } from '../../src/scan/cache-entry.ts'
import { SingleFlight } from '../../src/scan/single-flight.ts'
import { newSite } from '../http/app-fixture.ts'
import { appKinds } from '../http/app-kinds.ts'
import { type PausedScan, pauseScans } from '../http/paused-scan.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { until } from '../support/until.ts'

interface Node {
  readonly shared: SharedState
  readonly singleFlight: SingleFlight
  readonly held: PausedScan
  readonly failures: unknown[]
}

const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

describe.each(appKinds('scan: single-flight'))('single-flight on $name', ({ name, isMissing, open }) => {
  async function openNode(): Promise<Node> {
    const { store, shared } = await open()
    closing.push(async () => {
      await shared.close()
      await store.close()
    })
    const held = pauseScans()
    const failures: unknown[] = []
    const scan = ({ url }: { readonly url: URL }) => held.scan(url.href)
    const onFailure = (_: unknown, error: unknown): void => void failures.push(error)
    return { shared, held, failures, singleFlight: new SingleFlight({ shared, clock: Date.now, scan, onFailure }) }
  }
  const buildRequest = (site: string, change: { fresh?: boolean; waitMs?: number } = {}) => {
    const target = parseTarget(site, DEFAULT_POLICY)
    return { id: 'r', entry: `rules ${site}`, target, fresh: false, client: 'key', waitMs: 5000, ...change }
  }

  test.skipIf(isMissing)('a client whose time is up gets scan_timeout, and the scan continues', async () => {
    const { shared, singleFlight, held } = await openNode()
    const site = newSite()
    await expect(singleFlight.join(buildRequest(site, { waitMs: 100 }))).rejects.toMatchObject({ code: 'scan_timeout' })
    // With a slow store, the scan may start after the client's time is up.
    await until(held.count, 1)
    expect(singleFlight.count).toBe(1)
    held.complete()
    await singleFlight.settle()
    expect(singleFlight.count).toBe(0)
    const { entry } = await shared.countRequest({ counter: 'none', now: Date.now(), cost: 0, entry: `rules ${site}` })
    expect(JSON.parse(entry?.result ?? '{}')).toMatchObject({ url: site, builder: 'Webflow' })
  })

  test.skipIf(isMissing)(
    'a fresh request gets no cached entry, not even from an in-flight request that found one',
    async () => {
      const { shared, singleFlight, held } = await openNode()
      const site = newSite()
      const old = buildCacheEntry(sampleScan(site, { builder: 'Old' }), Date.now())
      const lock = await shared.acquire(`rules ${site}`, { fresh: true, now: Date.now() })
      const token = lock.role === 'lead' ? lock.token : ''
      await shared.complete(`rules ${site}`, token, { outcome: JSON.stringify({ entry: old }), result: old })
      const responses = [singleFlight.join(buildRequest(site)), singleFlight.join(buildRequest(site, { fresh: true }))]
      expect(JSON.parse((await responses[0]).result).builder).toBe('Old')
      await until(held.count, 1)
      held.complete()
      expect(JSON.parse((await responses[1]).result).builder).toBe('Webflow')
    },
  )

  // Only other nodes can hold a lock that this node has not acquired.
  if (name === 'Redis and MongoDB')
    test.skipIf(isMissing)('while another node scans, each client waits for its own time', async () => {
      const { shared, singleFlight, held } = await openNode()
      const site = newSite()
      const lock = await shared.acquire(`rules ${site}`, { fresh: true, now: Date.now() })
      const token = lock.role === 'lead' ? lock.token : ''
      const first = singleFlight.join(buildRequest(site, { waitMs: 100 }))
      const second = singleFlight.join(buildRequest(site))
      await Promise.all([expect(first).rejects.toMatchObject({ code: 'scan_timeout' }), sleep(200)])
      const result = buildCacheEntry(sampleScan(site), Date.now())
      await shared.complete(`rules ${site}`, token, { outcome: JSON.stringify({ entry: result }), result })
      expect(JSON.parse((await second).result)).toMatchObject({ url: site })
      expect(held.count()).toBe(0)
    })

  if (name === 'Redis and MongoDB') {
    test.skipIf(isMissing)('a scan that takes longer than the lock time is not started on another node', async () => {
      const [first, second] = [await openNode(), await openNode()]
      const site = newSite()
      const responses = [first.singleFlight.join(buildRequest(site, { waitMs: 15_000 }))]
      await until(first.held.count, 1)
      responses.push(second.singleFlight.join(buildRequest(site, { waitMs: 15_000 })))
      await sleep(LOCK_MS + RENEW_MS)
      expect([first.held.count(), second.held.count()]).toEqual([1, 0])
      first.held.complete()
      for (const { result } of await Promise.all(responses)) expect(JSON.parse(result)).toMatchObject({ url: site })
    })

    test.skipIf(isMissing)('when the scanning node disappears, another node scans for its own clients', async () => {
      const [gone, second] = [await openNode(), await openNode()]
      const site = newSite()
      const lost = gone.singleFlight.join(buildRequest(site))
      lost.catch(() => {})
      await until(gone.held.count, 1)
      const responses = second.singleFlight.join(buildRequest(site, { waitMs: 18_000 }))
      await gone.shared.close() // Like a killed process, it no longer renews its lock.
      await expect.poll(second.held.count, { timeout: LOCK_MS + 3000 }).toBe(1)
      second.held.complete()
      expect(JSON.parse((await responses).result)).toMatchObject({ url: site })
      gone.held.complete()
    })
  }

  test.skipIf(isMissing)('a client without time left fails immediately', async () => {
    const { singleFlight, held } = await openNode()
    const responses = singleFlight.join(buildRequest(newSite(), { waitMs: 0 }))
    await expect(responses).rejects.toMatchObject({ code: 'scan_timeout' })
    expect([held.count(), singleFlight.count]).toEqual([0, 0])
  })

  test.skipIf(isMissing)('the cause of a failed scan reaches the client and the log', async () => {
    const { singleFlight, held, failures } = await openNode()
    const responses = singleFlight.join(buildRequest(newSite()))
    await until(held.count, 1)
    held.fail()
    await expect(responses).rejects.toMatchObject({ code: 'scan_failed', reason: 'tls_invalid' })
    expect(failures).toMatchObject([{ reason: 'tls_invalid' }])
  })
})
