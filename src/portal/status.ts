import type { Gauges } from '../service/metrics.ts'

/** The state of this process. The gauges are those that Prometheus reads. */
export interface ProcessStatus {
  readonly gauges: Gauges
  /** Version of Siteprint. */
  readonly version: string
  readonly ruleset: string
  /** Version of Node.js. */
  readonly node: string
  readonly store: 'sqlite' | 'mongodb'
  readonly uptimeSeconds: number
}

export interface StatusRow {
  readonly label: string
  readonly value: string
  /** Whether the operator has to act. */
  readonly isProblem: boolean
}

const STORE_NAMES = { sqlite: 'SQLite', mongodb: 'MongoDB' } as const

/** Describes the state of the process that answers the request; other nodes may differ. */
export function describeStatus({ gauges, version, ruleset, node, store, uptimeSeconds }: ProcessStatus): StatusRow[] {
  const { scans, workers, inFlight, isRedisUp, isStoreUp } = gauges
  const row = (label: string, value: string | number, isProblem = false): StatusRow => ({
    label,
    value: String(value),
    isProblem,
  })
  return [
    row('Siteprint', version),
    row('Rules', ruleset),
    row('Node.js', node),
    row('Running for', formatSpan(uptimeSeconds)),
    row(STORE_NAMES[store], isStoreUp ? 'up' : 'down: requests that need it get 503', !isStoreUp),
    row('Redis', isRedisUp ? 'up, or not used' : 'down: this node counts rate limits on its own', !isRedisUp),
    row('Scans running', scans.running),
    row('Scans waiting', scans.waiting),
    row('URLs in flight', inFlight),
    row('Pages being matched', workers.running),
    row('Pages waiting for a worker', workers.waiting),
  ]
}

const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

/** Formats a span of time with its two largest units, such as `3 days 4 hours`. */
export function formatSpan(seconds: number): string {
  let rest = Math.floor(seconds)
  const parts = UNITS.flatMap(([name, length]) => {
    const count = Math.floor(rest / length)
    rest %= length
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`]
  })
  return parts.slice(0, 2).join(' ') || 'less than a second'
}
