import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { FailureReason } from '../errors.ts'
import type { Switches } from '../store/types.ts'

/** What is asked for when somebody reads the metrics. */
export interface Gauges {
  readonly scans: { readonly waiting: number; readonly running: number }
  readonly workers: { readonly waiting: number; readonly running: number }
  readonly flights: number
  readonly isRedisUp: boolean
  readonly isStoreUp: boolean
  readonly switches: Switches
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/** What Prometheus reads. No label holds what a caller sends. */
export class Metrics {
  readonly registry = new Registry()
  readonly requests = this.#counter('siteprint_requests_total', 'Responses; reason: why, of those of 500 and above', [
    ...['route', 'method', 'status', 'reason'],
  ])
  readonly abandoned = this.#counter(
    'siteprint_requests_abandoned_total',
    'Requests whose client disconnected before the response',
    ['route'],
  )
  readonly buildInfo = this.#gauge('siteprint_build_info', 'Always 1; the labels say what runs', [
    'version',
    'ruleset',
    'node',
  ])
  readonly scans = this.#counter('siteprint_scans_total', 'Scans by outcome: ok, or the code of the error', ['outcome'])
  readonly cache = this.#counter('siteprint_cache_total', 'Look-ups of results', ['result'])
  readonly refusals = this.#counter('siteprint_limit_refusals_total', 'Requests refused by a limit', ['limit'])
  readonly requestSeconds = this.#histogram('siteprint_request_seconds', 'Time to an answer', ['route'])
  readonly scanSeconds = this.#histogram('siteprint_scan_seconds', 'Time of a scan', [])
  readonly storeSeconds = this.#histogram('siteprint_store_seconds', 'Time of a call to a store', [
    'store',
    'operation',
    'ok',
  ])

  /** Counters by what they count: finding them by their labels costs more than a count. */
  readonly #routes = new Map<
    string,
    { readonly count: Counter.Internal; readonly seconds: Histogram.Internal<'route'> }
  >()

  constructor() {
    collectDefaultMetrics({ register: this.registry })
  }

  /** Registers what is read at the moment somebody asks. */
  watch(read: () => Gauges): void {
    const gauges: readonly [string, string, (now: Gauges) => number][] = [
      ['siteprint_scans_running', 'Scans that run', ({ scans }) => scans.running],
      ['siteprint_scans_waiting', 'Scans that wait for room', ({ scans }) => scans.waiting],
      ['siteprint_worker_queue', 'Pages that wait for a worker', ({ workers }) => workers.waiting],
      ['siteprint_workers_busy', 'Pages that have a worker', ({ workers }) => workers.running],
      ['siteprint_flights', 'URLs that are being scanned for somebody', ({ flights }) => flights],
      ['siteprint_redis_up', 'Whether Redis answers; 1 too where none is used', ({ isRedisUp }) => Number(isRedisUp)],
      ['siteprint_store_up', 'Whether the store of keys answers', ({ isStoreUp }) => Number(isStoreUp)],
    ]
    for (const [name, help, of] of gauges)
      new Gauge({
        name,
        help,
        registers: [this.registry],
        collect() {
          this.set(of(read()))
        },
      })
    new Gauge({
      name: 'siteprint_switch_on',
      help: 'Whether an operator has turned a switch on',
      labelNames: ['switch'],
      registers: [this.registry],
      collect() {
        const { maintenance, apiOff } = read().switches
        this.set({ switch: 'maintenance' }, Number(maintenance))
        this.set({ switch: 'api_off' }, Number(apiOff))
      },
    })
  }

  /** Notes one answer. */
  noteRequest(
    labels: {
      readonly route: string
      readonly method: string
      readonly status: string
      readonly reason?: FailureReason
    },
    seconds: number,
  ): void {
    const name = `${labels.route} ${labels.method} ${labels.status} ${labels.reason}`
    let known = this.#routes.get(name)
    if (known === undefined) {
      known = { count: this.requests.labels(labels), seconds: this.requestSeconds.labels({ route: labels.route }) }
      this.#routes.set(name, known)
    }
    known.count.inc()
    known.seconds.observe(seconds)
  }

  /** Notes one call to a store. */
  observe(store: 'keys' | 'shared'): (operation: string, seconds: number, ok: boolean) => void {
    const known = new Map<string, ReturnType<typeof this.storeSeconds.labels>>()
    return (operation, seconds, ok) => {
      const name = ok ? operation : `${operation} failed`
      let one = known.get(name)
      if (one === undefined) {
        one = this.storeSeconds.labels({ store, operation, ok: String(ok) })
        known.set(name, one)
      }
      one.observe(seconds)
    }
  }

  #gauge<T extends string>(name: string, help: string, labelNames: T[]): Gauge<T> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] })
  }

  #counter<T extends string>(name: string, help: string, labelNames: T[]): Counter<T> {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #histogram<T extends string>(name: string, help: string, labelNames: T[]): Histogram<T> {
    return new Histogram({ name, help, labelNames, buckets: SECONDS, registers: [this.registry] })
  }
}
