import type { FastifyBaseLogger } from 'fastify'
import type { SharedState } from '../coordination/types.ts'
import type { Policy } from '../fetch/policy.ts'
import type { Target } from '../fetch/target.ts'
import type { Plan } from '../keys/plans.ts'
import type { RulesetInfo } from '../scan/match-worker.ts'
import type { LiveScan } from '../scan/scanner.ts'
import type { Store } from '../store/types.ts'
import type { Metrics } from './metrics.ts'

/** A revision of the interface. */
export type Revision = 1 | 2

/** What the host sets; the rest of the settings is not its business. */
export interface HostSettings {
  readonly plans: ReadonlyMap<string, Plan>
  readonly apiRevision: Revision
  readonly corsOrigins: readonly string[] | '*'
  /** Proxies in front: how many, or which. */
  readonly trustProxy: number | readonly string[] | null
  /** Scans at once. */
  readonly scanConcurrency: number
}

/** All that the host is made of: whoever starts it brings the parts. */
export interface HostParts {
  readonly settings: HostSettings
  readonly store: Store & { readonly isUp: boolean }
  readonly shared: SharedState
  /** What keys are hashed with. */
  readonly pepper: string
  /** Scans a site on behalf of a client: the id of the key that started the scan. @throws ScanError */
  readonly scan: (target: Target, client: string) => Promise<LiveScan>
  /** Pages that wait for a worker, and pages that have one. */
  readonly workers: () => { readonly waiting: number; readonly running: number }
  readonly policy: Policy
  readonly rules: RulesetInfo
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly log: FastifyBaseLogger
  readonly metrics: Metrics
  /** Of the project. */
  readonly version: string
}
