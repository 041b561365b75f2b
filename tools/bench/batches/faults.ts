import { createClient } from 'redis'
import type { BenchClient } from './client.ts'
import { type LocalSites, openLocalSites } from './local-sites.ts'
import type { KillableProcess } from './processes.ts'
import { type BenchService, startBenchService, waitUntil } from './service.ts'

/** Seconds without a primary of MongoDB. */
const NO_PRIMARY_SECONDS = 10

export interface FaultOptions {
  readonly urls: number
  /** Workers with Redis and MongoDB; 0 for one server that runs batches itself. */
  readonly workers: number
  readonly concurrency: number
  readonly pageKb: number
}

interface Fault {
  readonly name: string
  readonly cause: () => Promise<unknown>
}

/**
 * Kills parts of a service during a batch, at even distances of the number of outcomes.
 * @returns the figures; `exact` says whether each URL has exactly one line and the usage equals the results
 */
export async function measureFaults(options: FaultOptions): Promise<{ readonly exact: boolean }> {
  const isEmbedded = options.workers === 0
  const sites = await openLocalSites({ pageKb: options.pageKb, delayMs: 0 })
  const service = await startBenchService({ ...options, nodes: isEmbedded ? 1 : 2 })
  try {
    const { client, readUsed } = service.createClient()
    const began = performance.now()
    const id = await client.submit(listPages(sites, options.urls), 'bench')
    const submitMs = Math.round(performance.now() - began)
    const followed = client.follow(id)
    const redisPeak = watchRedis(service)
    const causes = isEmbedded ? listEmbeddedFaults(service) : listFaults(service)
    const faults = await causeAll(client, id, causes, options.urls)
    await waitUntil(async () => isEnded((await client.read(id)).status), 500)
    const seconds = Math.round((performance.now() - began) / 1000)
    const { status, counts, failures } = await client.read(id)
    const [duringRun, afterRun] = [await followed, await client.follow(id)]
    const used = readUsed()
    const wanted = { lines: options.urls, positions: options.urls, results: counts.succeeded }
    const isEqual = (lines: object): boolean => JSON.stringify(lines) === JSON.stringify(wanted)
    return {
      exact: isEqual(duringRun) && isEqual(afterRun) && used === counts.succeeded && status === 'completed',
      ...{ urls: options.urls, status, counts, failures, used, duringRun, afterRun, faults, submitMs, seconds },
      ...{ visits: sites.visits(), repeatedRequests: client.repeated, redisPeakMb: await redisPeak() },
    }
  } finally {
    await service.close()
    sites.close()
  }
}

/** A page of each host; then a second one of each, if there are more URLs than hosts. */
export function listPages(sites: LocalSites, count: number, from = 0): string[] {
  const hosts = Math.ceil(count / 2)
  return Array.from({ length: count }, (_, n) => sites.page(from + (n % hosts), `/${Math.floor(n / hosts)}`))
}

export const isEnded = (status: string): boolean => status === 'completed' || status === 'cancelled'

function listEmbeddedFaults({ nodes: [node] }: BenchService): Fault[] {
  return [
    { name: 'server killed', cause: () => restart(node) },
    { name: 'server killed again', cause: () => restart(node) },
  ]
}

function listFaults({ nodes, workers, redis, mongo }: BenchService): Fault[] {
  if (redis === null || mongo === null) throw new Error('the service has no Redis and MongoDB')
  return [
    { name: 'worker killed', cause: () => restart(workers[0]) },
    { name: 'API node killed', cause: () => restart(nodes[0]) },
    { name: 'FLUSHDB', cause: () => flush(redis.url) },
    { name: 'Redis killed', cause: () => restart(redis) },
    // The connection of the command is closed by the server.
    { name: 'MongoDB without a primary', cause: () => mongo.stepDown(NO_PRIMARY_SECONDS).catch(() => {}) },
    { name: 'MongoDB killed', cause: () => restart(mongo) },
    { name: 'all workers killed', cause: () => Promise.all(workers.map(restart)) },
  ]
}

async function restart(part: KillableProcess): Promise<void> {
  await part.end('SIGKILL')
  await part.start()
}

/** Causes the faults one after the other. @returns the number of outcomes at which each began */
async function causeAll(
  client: BenchClient,
  id: string,
  faults: readonly Fault[],
  total: number,
): Promise<readonly { readonly fault: string; readonly at: number }[]> {
  const caused = []
  for (const [i, { name, cause }] of faults.entries()) {
    const wanted = Math.floor((total * (i + 1)) / (faults.length + 1))
    let at = 0
    await waitUntil(async () => {
      const { counts, status } = await client.read(id)
      at = counts.succeeded + counts.failed
      return at >= wanted || isEnded(status)
    })
    process.stderr.write(`${new Date().toISOString()} ${at} of ${total}: ${name}\n`)
    await cause()
    caused.push({ fault: name, at })
  }
  return caused
}

async function flush(url: string): Promise<void> {
  const client = createClient({ url })
  await client.connect()
  await client.flushDb()
  client.destroy()
}

/** Reads the memory of Redis each second. @returns a function that ends this, with the peak in MB; null without Redis */
export function watchRedis({ redis }: Pick<BenchService, 'redis'>): () => Promise<number | null> {
  if (redis === null) return async () => null
  const client = createClient({ url: redis.url })
  client.on('error', () => {}) // It is killed and comes back.
  let peak = 0
  const read = async (): Promise<void> => {
    const text = await client.info('memory').catch(() => '')
    peak = Math.max(peak, Number(/used_memory:(\d+)/.exec(text)?.[1] ?? 0))
  }
  void client.connect().catch(() => {})
  const timer = setInterval(() => void read(), 1000)
  return async () => {
    clearInterval(timer)
    client.destroy()
    return Math.round(peak / 1e5) / 10
  }
}
