import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { FailureReason } from '../errors.ts'
import type { Switches } from '../store/types.ts'

/** Values that are read when Prometheus scrapes the metrics. */
export interface Gauges {
  readonly scans: { readonly waiting: number; readonly running: number }
  readonly workers: { readonly waiting: number; readonly running: number }
  /** URLs being scanned, here or on another node, for a request to this node. */
  readonly inFlight: number
  readonly isRedisUp: boolean
  readonly isStoreUp: boolean
  readonly switches: Switches
}

/** Values of a worker that are read when Prometheus scrapes the metrics. */
export interface BatchGauges {
  readonly countJobs: () => Promise<Readonly<Record<string, number>>>
  /** When the oldest batch was submitted that has not ended; null if there is none. */
  readonly findOldest: () => Promise<Date | null>
}

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

interface ResponseLabels {
  readonly route: string
  readonly method: string
  readonly status: string
  readonly reason?: FailureReason
}

/** The Prometheus metrics. No label contains a value sent by a client. */
export class Metrics {
  readonly registry = new Registry()
  readonly requests = this.#counter('siteprint_requests_total', 'Responses; reason is set for status 500 and above', [
    'route',
    'method',
    'status',
    'reason',
  ])
  readonly abandoned = this.#counter(
    'siteprint_requests_abandoned_total',
    'Requests whose client disconnected before the response',
    ['route'],
  )
  readonly buildInfo = this.#gauge('siteprint_build_info', 'Always 1; the labels contain the versions', [
    'version',
    'ruleset',
    'node',
  ])
  readonly scans = this.#counter('siteprint_scans_total', 'Scans by outcome: ok or an error code', ['outcome'])
  readonly pages = this.#counter('siteprint_pages_total', 'Scanned pages by what came back', ['state'])
  readonly renders = this.#counter('siteprint_renders_total', 'Pages given to the browser by outcome: ok or why not', [
    'outcome',
  ])
  readonly cache = this.#counter('siteprint_cache_total', 'Cache lookups of results', ['result'])
  readonly refusals = this.#counter('siteprint_limit_refusals_total', 'Requests rejected by a limit', ['limit'])
  readonly rulesChecks = this.#counter('siteprint_rules_checks_total', 'Checks of RULES_URL', ['outcome'])
  readonly batchJobs = this.#counter(
    'siteprint_batch_jobs_total',
    'Jobs of batches that this worker ended, by outcome',
    ['outcome'],
  )
  readonly requestSeconds = this.#histogram('siteprint_request_seconds', 'Response time', ['route'])
  readonly scanSeconds = this.#histogram('siteprint_scan_seconds', 'Duration of a scan', [])
  readonly storeSeconds = this.#histogram('siteprint_store_seconds', 'Duration of a call to a store', [
    'store',
    'operation',
    'ok',
  ])

  /** Counters by their label values, because finding a counter by its labels takes longer than counting. */
  readonly #responses = new Map<
    string,
    { readonly count: Counter.Internal; readonly seconds: Histogram.Internal<'route'> }
  >()

  constructor() {
    collectDefaultMetrics({ register: this.registry })
  }

  /** Registers the gauges whose values are read at every scrape. */
  watch(read: () => Gauges): void {
    const gauges: readonly [string, string, (now: Gauges) => number][] = [
      ['siteprint_scans_running', 'Running scans', ({ scans }) => scans.running],
      ['siteprint_scans_waiting', 'Scans waiting for a free slot', ({ scans }) => scans.waiting],
      ['siteprint_worker_queue', 'Pages waiting for a worker', ({ workers }) => workers.waiting],
      ['siteprint_workers_busy', 'Pages being matched by a worker', ({ workers }) => workers.running],
      ['siteprint_flights', 'URLs with an in-flight scan that requests wait for', ({ inFlight }) => inFlight],
      ['siteprint_redis_up', '1 if Redis responds or is not used', ({ isRedisUp }) => Number(isRedisUp)],
      ['siteprint_store_up', '1 if the store of keys responds', ({ isStoreUp }) => Number(isStoreUp)],
    ]
    for (const [name, help, readValue] of gauges)
      new Gauge({
        name,
        help,
        registers: [this.registry],
        collect() {
          this.set(readValue(read()))
        },
      })
    new Gauge({
      name: 'siteprint_switch_on',
      help: '1 if an operator has turned the switch on',
      labelNames: ['switch'],
      registers: [this.registry],
      collect() {
        const { maintenance, apiOff } = read().switches
        this.set({ switch: 'maintenance' }, Number(maintenance))
        this.set({ switch: 'api_off' }, Number(apiOff))
      },
    })
  }

  /** Registers the gauges of a worker. */
  watchBatches({ countJobs, findOldest }: BatchGauges): void {
    const registers = [this.registry]
    new Gauge({
      ...{
        name: 'siteprint_batch_jobs',
        help: 'Jobs in the queue of batches by state',
        labelNames: ['state'],
        registers,
      },
      async collect() {
        for (const [state, count] of Object.entries(await countJobs())) this.set({ state }, count)
      },
    })
    new Gauge({
      ...{ name: 'siteprint_batch_oldest_seconds', help: 'Age of the oldest batch that has not ended', registers },
      async collect() {
        const oldest = await findOldest()
        this.set(oldest === null ? 0 : (Date.now() - oldest.getTime()) / 1000)
      },
    })
  }

  /** Records one response. */
  recordResponse(labels: ResponseLabels, seconds: number): void {
    const name = `${labels.route} ${labels.method} ${labels.status} ${labels.reason}`
    let known = this.#responses.get(name)
    if (known === undefined) {
      known = { count: this.requests.labels(labels), seconds: this.requestSeconds.labels({ route: labels.route }) }
      this.#responses.set(name, known)
    }
    known.count.inc()
    known.seconds.observe(seconds)
  }

  /** Builds a function that records calls to a store. */
  observe(store: 'keys' | 'shared'): (operation: string, seconds: number, ok: boolean) => void {
    const known = new Map<string, ReturnType<typeof this.storeSeconds.labels>>()
    return (operation, seconds, ok) => {
      const name = ok ? operation : `${operation} failed`
      let histogram = known.get(name)
      if (histogram === undefined) {
        histogram = this.storeSeconds.labels({ store, operation, ok: String(ok) })
        known.set(name, histogram)
      }
      histogram.observe(seconds)
    }
  }

  #gauge<T extends string>(name: string, help: string, labelNames: T[]): Gauge<T> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] })
  }

  #counter<T extends string>(name: string, help: string, labelNames: T[]): Counter<T> {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #histogram<T extends string>(name: string, help: string, labelNames: T[]): Histogram<T> {
    return new Histogram({ name, help, labelNames, buckets: BUCKETS_SECONDS, registers: [this.registry] })
  }
}
