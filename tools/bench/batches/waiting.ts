import { setTimeout as sleep } from 'node:timers/promises'
import { median, quantile } from '../../statistics/quantile.ts'
import type { BenchClient } from './client.ts'
import { type FaultOptions, listPages, watchRedis } from './faults.ts'
import { OTHER_HOSTS, withService } from './load.ts'

/** Pairs of requests of which the latency is measured. */
const PAIRS = 1000
/** The largest list of one request, so that its text stays below the limit of a body. */
const LIST_URLS = 50_000
/** Time in which the queue is filled: at most once in 0.2 seconds. */
const FILL_MS = 5000

interface Latency {
  readonly idleMs: number
  readonly busyMs: number
  /** Median of the busy service divided by that of the idle one. */
  readonly ratio: number
  readonly p95Ratio: number
}

/**
 * Measures the memory of Redis while many URLs wait, and the latency of cached scans of two services that are asked in turns: one
 * whose queue is idle, and one with the URLs. First while the queues of both are idle, then while the URLs wait for a worker, then
 * while workers scan them.
 */
export async function measureWaiting(options: FaultOptions): Promise<object> {
  return withService(options, (idle, sites) =>
    withService(options, async (busy) => {
      const clients = [idle, busy].map((service) => service.createClient().client) as [BenchClient, BenchClient]
      const page = sites.page(OTHER_HOSTS, '/')
      await compare(clients, page) // Lets both compile what is used often.
      const bothIdle = await compare(clients, page)
      for (const worker of busy.workers) await worker.end('SIGKILL')
      const peak = watchRedis(busy)
      const began = performance.now()
      const ids: string[] = []
      for (let from = 0; from < options.urls; from += LIST_URLS) {
        const urls = listPages(sites, Math.min(LIST_URLS, options.urls - from))
        ids.push(await clients[1].submit(urls, `${from}`))
      }
      const submitMs = Math.round(performance.now() - began)
      await sleep(FILL_MS)
      const waiting = await compare(clients, page)
      const counts = await Promise.all(ids.map(async (id) => (await clients[1].read(id)).counts.waiting))
      for (const worker of busy.workers) await worker.start()
      await sleep(FILL_MS)
      const scanning = await compare(clients, page)
      return {
        ...{ urls: options.urls, submitMs, waitingUrls: counts.reduce((a, b) => a + b, 0) },
        ...{ bothIdle, waiting, scanning, redisPeakMb: await peak() },
      }
    }),
  )
}

async function compare([idle, busy]: readonly [BenchClient, BenchClient], page: string): Promise<Latency> {
  const times: [number[], number[]] = [[], []]
  for (let n = 0; n < PAIRS; n++)
    // Which one is asked first changes, too.
    for (const which of n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const began = performance.now()
      await [idle, busy][which].scan(page)
      times[which].push(performance.now() - began)
    }
  const [idleMs, busyMs] = times.map((one) => median(one))
  const [idleP95, busyP95] = times.map((one) => quantile(one, 0.95))
  return { idleMs, busyMs, ratio: busyMs / idleMs, p95Ratio: busyP95 / idleP95 }
}
