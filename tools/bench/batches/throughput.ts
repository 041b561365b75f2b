import { median } from '../../statistics/quantile.ts'
import type { FaultOptions } from './faults.ts'
import { listHosts, OTHER_HOSTS, timeBatch, withService } from './load.ts'
import { type KillableProcess, readCpuSeconds } from './processes.ts'
import type { BenchService } from './service.ts'

const ROUNDS = 3
/** A worker that has just started is slower, until V8 has compiled what it uses often. */
const WARM_UP_URLS = 4000
/** URLs that are scanned before each measurement: if the stopped worker was the leader, the other one takes over meanwhile. */
const FIRST_URLS = 200
/** Each look at a batch counts its URLs, so frequent ones would be part of what is measured. */
const POLL_MS = 250

interface Rate {
  readonly perSecond: number
  /** Milliseconds of processor time for each scan: of the workers, and of the API node, Redis and MongoDB. */
  readonly workerCpuMs: number
  readonly serverCpuMs: number
}

/** Measures one worker and two workers in turns, on pages of different hosts. Medians of three rounds. */
export async function measureThroughput(options: FaultOptions): Promise<object> {
  return withService({ ...options, workers: 2 }, async (service, sites) => {
    const { client } = service.createClient()
    let host = 0
    const scan = async (count: number): Promise<number> => {
      const ms = await timeBatch(client, listHosts(sites, host, count), POLL_MS)
      host = (host + count) % (OTHER_HOSTS - Math.max(options.urls, WARM_UP_URLS))
      return ms
    }
    const measure = async (workers: readonly KillableProcess[]): Promise<Rate> => {
      await scan(FIRST_URLS)
      const [before, serversBefore] = [readCpu(workers), readCpu(listServers(service))]
      const ms = await scan(options.urls)
      const perScan = (seconds: number): number => (seconds * 1000) / options.urls
      return {
        perSecond: (options.urls * 1000) / ms,
        workerCpuMs: perScan(readCpu(workers) - before),
        serverCpuMs: perScan(readCpu(listServers(service)) - serversBefore),
      }
    }
    const [first, second] = service.workers
    await scan(WARM_UP_URLS)
    const rounds: { readonly one: Rate; readonly two: Rate }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      second.signal('SIGSTOP')
      const one = await measure([first])
      second.signal('SIGCONT')
      rounds.push({ one, two: await measure([first, second]) })
    }
    const take = (read: (round: (typeof rounds)[number]) => number): number => median(rounds.map(read))
    return {
      urls: options.urls,
      perSecond: { one: take(({ one }) => one.perSecond), two: take(({ two }) => two.perSecond) },
      ratio: take(({ one, two }) => two.perSecond / one.perSecond),
      workerCpuMs: { one: take(({ one }) => one.workerCpuMs), two: take(({ two }) => two.workerCpuMs) },
      perWorkerCpuSecond: take(({ one }) => 1000 / one.workerCpuMs),
      rounds,
    }
  })
}

function listServers({ nodes, redis, mongo }: BenchService): readonly KillableProcess[] {
  return [...nodes, redis, mongo].filter((part) => part !== null)
}

function readCpu(parts: readonly KillableProcess[]): number {
  return parts.reduce((sum, part) => sum + readCpuSeconds(part), 0)
}
