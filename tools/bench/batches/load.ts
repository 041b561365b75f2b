import { setTimeout as sleep } from 'node:timers/promises'
import { median, quantile } from '../../statistics/quantile.ts'
import type { BenchClient } from './client.ts'
import { type FaultOptions, isEnded, listPages, watchRedis } from './faults.ts'
import { type LocalSites, openLocalSites } from './local-sites.ts'
import { type BenchService, startBenchService, waitUntil } from './service.ts'

const SMALL = 10
/** The first host that no large batch contains. */
const OTHER_HOSTS = 60_000
const ROUNDS = 3
/** Requests of which the latency is measured. */
const REQUESTS = 300

/** Opens sites and a service for a measurement, and closes both. */
async function withService<T>(
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
async function timeBatch(client: BenchClient, urls: readonly string[]): Promise<number> {
  const began = performance.now()
  const id = await client.submit(urls, `${Math.random()}`)
  await waitUntil(async () => isEnded((await client.read(id)).status), 20)
  return performance.now() - began
}

/** Measures a batch of ten alone, and behind a large batch of the same key and of another key. Medians of three. */
export async function measureFairness(options: FaultOptions): Promise<object> {
  return withService(options, async (service, sites) => {
    const [own, other] = [service.createClient().client, service.createClient().client]
    let host = OTHER_HOSTS
    const time = async (client: BenchClient): Promise<number> => {
      const times: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const urls = Array.from({ length: SMALL }, () => sites.page(host++, '/'))
        times.push(await timeBatch(client, urls))
      }
      return Math.round(median(times))
    }
    await time(own) // Starts the threads.
    const aloneMs = await time(own)
    const id = await own.submit(listPages(sites, options.urls), 'large')
    await waitUntil(async () => (await own.read(id)).counts.succeeded >= SMALL)
    const [sameKeyMs, otherKeyMs] = [await time(own), await time(other)]
    const { counts, status } = await own.read(id)
    const ratios = { sameKey: sameKeyMs / aloneMs, otherKey: otherKeyMs / aloneMs }
    return { urls: options.urls, aloneMs, sameKeyMs, otherKeyMs, ratios, large: { status, counts } }
  })
}

/** Measures one worker and two workers on pages of different hosts. */
export async function measureThroughput(options: FaultOptions): Promise<object> {
  const measure = (workers: number): Promise<number> =>
    withService({ ...options, workers }, async (service, sites) => {
      const { client } = service.createClient()
      const page = (n: number): string => sites.page(n, '/')
      await timeBatch(
        client,
        Array.from({ length: 100 }, (_, n) => page(OTHER_HOSTS + n)),
      )
      const ms = await timeBatch(
        client,
        Array.from({ length: options.urls }, (_, n) => page(n)),
      )
      return (options.urls * 1000) / ms
    })
  const [one, two] = [await measure(1), await measure(2)]
  return { urls: options.urls, perSecond: { one, two }, ratio: two / one }
}

/** Measures the memory of Redis and the latency of cached scans while many URLs wait. */
export async function measureWaiting(options: FaultOptions): Promise<object> {
  return withService(options, async (service, sites) => {
    const { client } = service.createClient()
    const page = sites.page(OTHER_HOSTS, '/')
    await client.scan(page)
    const idle = await measureLatency(client, page)
    const peak = watchRedis(service)
    const began = performance.now()
    const ids: string[] = []
    for (let from = 0; from < options.urls; from += 50_000)
      ids.push(await client.submit(listPages(sites, Math.min(50_000, options.urls - from)), `${from}`))
    const submitMs = Math.round(performance.now() - began)
    await sleep(5000) // The queue is filled at most once in 0.2 seconds.
    const busy = await measureLatency(client, page)
    const left = await Promise.all(ids.map(async (id) => (await client.read(id)).counts.waiting))
    return {
      urls: options.urls,
      submitMs,
      waiting: left.reduce((a, b) => a + b, 0),
      idle,
      busy,
      redisPeakMb: await peak(),
    }
  })
}

async function measureLatency(client: BenchClient, page: string): Promise<{ medianMs: number; p95Ms: number }> {
  const times: number[] = []
  for (let n = 0; n < REQUESTS; n++) {
    const began = performance.now()
    await client.scan(page)
    times.push(performance.now() - began)
  }
  return { medianMs: median(times), p95Ms: quantile(times, 0.95) }
}
