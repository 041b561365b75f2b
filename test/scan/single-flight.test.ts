import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { LOCK_MS, RENEW_MS, type SharedState } from '../../src/coordination/types.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { parseTarget } from '../../src/fetch/target.ts'
import { buildEntry } from '../../src/http/cached-response.ts'
import { Flights } from '../../src/scan/single-flight.ts'
import { newSite } from '../http/app-fixture.ts'
import { hostKinds } from '../http/app-kinds.ts'
import { type HeldScan, heldScan } from '../http/held-scan.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { until } from '../support/until.ts'

interface Airport {
  readonly shared: SharedState
  readonly flights: Flights
  readonly held: HeldScan
  readonly failures: unknown[]
}

const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

describe.each(hostKinds('host: flights'))('flights on $name', ({ name, isMissing, open }) => {
  async function openAirport(): Promise<Airport> {
    const { store, shared } = await open()
    closing.push(async () => {
      await shared.close()
      await store.close()
    })
    const held = heldScan()
    const failures: unknown[] = []
    const scan = ({ url }: { readonly url: URL }) => held.scan(url.href)
    const onFailure = (_: unknown, error: unknown): void => void failures.push(error)
    return { shared, held, failures, flights: new Flights({ shared, clock: Date.now, scan, onFailure }) }
  }
  const orderOf = (site: string, change: { fresh?: boolean; waitMs?: number } = {}) => {
    const target = parseTarget(site, DEFAULT_POLICY)
    return { id: 'r', entry: `rules ${site}`, target, fresh: false, client: 'key', waitMs: 5000, ...change }
  }

  test.skipIf(isMissing)('who waits long enough is told, and the flight goes on', async () => {
    const { shared, flights, held } = await openAirport()
    const site = newSite()
    await expect(flights.join(orderOf(site, { waitMs: 100 }))).rejects.toMatchObject({ code: 'scan_timeout' })
    // A slow store lets the scan begin after the caller has left.
    await until(held.count, 1)
    expect(flights.count).toBe(1)
    held.land()
    await flights.settle()
    expect(flights.count).toBe(0)
    const { entry } = await shared.countRequest({ counter: 'nobody', now: Date.now(), cost: 0, entry: `rules ${site}` })
    expect(JSON.parse(entry?.result ?? '{}')).toMatchObject({ url: site, builder: 'Webflow' })
  })

  test.skipIf(isMissing)('fresh takes nothing that stood, not even from a flight that found it standing', async () => {
    const { shared, flights, held } = await openAirport()
    const site = newSite()
    const old = buildEntry(sampleScan(site, { builder: 'Old' }), Date.now())
    const boarding = await shared.acquire(`rules ${site}`, { fresh: true, now: Date.now() })
    const token = boarding.role === 'lead' ? boarding.token : ''
    await shared.complete(`rules ${site}`, token, { outcome: JSON.stringify({ entry: old }), result: old })
    const asked = [flights.join(orderOf(site)), flights.join(orderOf(site, { fresh: true }))]
    expect(JSON.parse((await asked[0]).result).builder).toBe('Old')
    await until(held.count, 1)
    held.land()
    expect(JSON.parse((await asked[1]).result).builder).toBe('Webflow')
  })

  // Of its own process a node knows all flights.
  if (name === 'Redis and MongoDB')
    test.skipIf(isMissing)('another node flies: who joins late waits as long as who came first', async () => {
      const { shared, flights, held } = await openAirport()
      const site = newSite()
      const boarding = await shared.acquire(`rules ${site}`, { fresh: true, now: Date.now() })
      const token = boarding.role === 'lead' ? boarding.token : ''
      const first = flights.join(orderOf(site, { waitMs: 100 }))
      const second = flights.join(orderOf(site))
      await Promise.all([expect(first).rejects.toMatchObject({ code: 'scan_timeout' }), sleep(200)])
      const result = buildEntry(sampleScan(site), Date.now())
      await shared.complete(`rules ${site}`, token, { outcome: JSON.stringify({ entry: result }), result })
      expect(JSON.parse((await second).result)).toMatchObject({ url: site })
      expect(held.count()).toBe(0)
    })

  if (name === 'Redis and MongoDB') {
    test.skipIf(isMissing)('a scan that takes longer than its lock lives is not begun on another node', async () => {
      const [first, second] = [await openAirport(), await openAirport()]
      const site = newSite()
      const asked = [first.flights.join(orderOf(site, { waitMs: 15_000 }))]
      await until(first.held.count, 1)
      asked.push(second.flights.join(orderOf(site, { waitMs: 15_000 })))
      await sleep(LOCK_MS + RENEW_MS)
      expect([first.held.count(), second.held.count()]).toEqual([1, 0])
      first.held.land()
      for (const { result } of await Promise.all(asked)) expect(JSON.parse(result)).toMatchObject({ url: site })
    })

    test.skipIf(isMissing)('the node that scans is gone: another scans soon, for those who wait there', async () => {
      const [gone, second] = [await openAirport(), await openAirport()]
      const site = newSite()
      const lost = gone.flights.join(orderOf(site))
      lost.catch(() => {})
      await until(gone.held.count, 1)
      const asked = second.flights.join(orderOf(site, { waitMs: 18_000 }))
      await gone.shared.close() // As a killed process does, it renews no lock any more.
      await expect.poll(second.held.count, { timeout: LOCK_MS + 3000 }).toBe(1)
      second.held.land()
      expect(JSON.parse((await asked).result)).toMatchObject({ url: site })
      gone.held.land()
    })
  }

  test.skipIf(isMissing)('who has no time left is told at once', async () => {
    const { flights, held } = await openAirport()
    const asked = flights.join(orderOf(newSite(), { waitMs: 0 }))
    await expect(asked).rejects.toMatchObject({ code: 'scan_timeout' })
    expect([held.count(), flights.count]).toEqual([0, 0])
  })

  test.skipIf(isMissing)('why a scan failed reaches who waits, and the log', async () => {
    const { flights, held, failures } = await openAirport()
    const asked = flights.join(orderOf(newSite()))
    await until(held.count, 1)
    held.fail()
    await expect(asked).rejects.toMatchObject({ code: 'scan_failed', reason: 'tls_invalid' })
    expect(failures).toMatchObject([{ reason: 'tls_invalid' }])
  })
})
