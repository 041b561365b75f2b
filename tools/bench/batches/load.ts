import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../../statistics/quantile.ts'
import type { BenchClient } from './client.ts'
import { type FaultOptions, isEnded, listPages } from './faults.ts'
import { type LocalSites, openLocalSites } from './local-sites.ts'
import { type BenchService, startBenchService, waitUntil } from './service.ts'

const SMALL = 10
/** The first host that no large batch contains. */
export const OTHER_HOSTS = 60_000
const ROUNDS = 5
/** Results of the large batch when the small one is submitted. */
const RUNNING = 50
/** More hosts than a round scans: the results of those are cached. */
const SCANNED = 2000
/** Time in which workers complete what is left of a cancelled batch. */
const PAUSE_MS = 3000

/** Opens sites and a service for a measurement, and closes both. */
export async function withService<T>(
  { pageKb, ...options }: FaultOptions,
  measure: (service: BenchService, sites: LocalSites) => Promise<T>,
): Promise<T> {
  const sites = await openLocalSites({ pageKb, delayMs: 0 })
  const service = await startBenchService({ ...options, nodes: 1 })
  try {
    return await measure(service, sites)
  } finally {
    await service.close()
    sites.close()
  }
}

/** Milliseconds from the submission of a list to the end of its batch. */
export async function timeBatch(client: BenchClient, urls: readonly string[], pollMs = 20): Promise<number> {
  const began = performance.now()
  const id = await client.submit(urls, `${Math.random()}`)
  await waitUntil(async () => isEnded((await client.read(id)).status), pollMs)
  return performance.now() - began
}

/**
 * Measures a batch of ten alone, and behind a large batch of the same key and of another key. Medians of rounds, in each of which all
 * three are measured, because other work on the machine makes some of them slow.
 */
export async function measureFairness(options: FaultOptions): Promise<object> {
  return withService(options, async (service, sites) => {
    const [own, other] = [service.createClient().client, service.createClient().client]
    let host = OTHER_HOSTS
    const time = async (client: BenchClient): Promise<number> => {
      const ms = await timeBatch(client, listHosts(sites, host, SMALL))
      host += SMALL
      return Math.round(ms)
    }
    for (const client of [own, other, own]) await time(client) // Starts the threads.
    const rounds: { readonly alone: number; readonly sameKey: number; readonly otherKey: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await time(own)
      const id = await own.submit(listPages(sites, options.urls, round * SCANNED), `large-${round}`)
      await waitUntil(async () => (await own.read(id)).counts.succeeded >= RUNNING)
      rounds.push({ alone, sameKey: await time(own), otherKey: await time(other) })
      await own.cancel(id)
      await sleep(PAUSE_MS)
    }
    const take = (read: (round: (typeof rounds)[number]) => number): number => median(rounds.map(read))
    return {
      ...{ urls: options.urls, aloneMs: take(({ alone }) => alone) },
      ratios: {
        sameKey: take(({ alone, sameKey }) => sameKey / alone),
        otherKey: take(({ alone, otherKey }) => otherKey / alone),
      },
      rounds,
    }
  })
}

/** Pages of each host in the measurement of the pauses. */
const PAGES_OF_HOST = 20

/** Measures the rate that the pauses between two scans of a host allow: twenty pages of each host. */
export async function measurePauses(options: FaultOptions): Promise<object> {
  const hosts = Math.max(1, Math.floor(options.urls / PAGES_OF_HOST))
  return withService(options, async (service, sites) => {
    const { client } = service.createClient()
    await timeBatch(client, listHosts(sites, OTHER_HOSTS, SMALL)) // Starts the threads.
    const before = sites.visits()
    const pages = Array.from({ length: hosts * PAGES_OF_HOST }, (_, n) =>
      sites.page(n % hosts, `/${Math.floor(n / hosts)}`),
    )
    const seconds = (await timeBatch(client, pages)) / 1000
    const { requests, overlapping, early } = sites.visits()
    return {
      ...{ hosts, pages: pages.length, seconds, perSecond: pages.length / seconds },
      allowedPerSecond: pages.length / (PAGES_OF_HOST - 1),
      visits: { requests: requests - before.requests, overlapping, early },
    }
  })
}

/** The first page of so many hosts. */
export function listHosts(sites: LocalSites, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => sites.page(from + n, '/'))
}
