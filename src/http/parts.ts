import type { FastifyBaseLogger } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import type { BatchRunner } from '../batches/batch-service.ts'
import type { SharedState } from '../coordination/types.ts'
import type { Policy } from '../fetch/policy.ts'
import type { Target } from '../fetch/target.ts'
import type { CurrentRules } from '../scan/current-rules.ts'
import type { LiveScan } from '../scan/scanner.ts'
import type { ScanExtent } from '../service/cache-entry.ts'
import type { Metrics } from '../service/metrics.ts'
import type { ServiceSettings } from '../service/settings.ts'
import type { Store } from '../store/types.ts'
import type { HostSettings } from './served-hosts.ts'

/** The settings that the HTTP application uses. */
export interface AppSettings extends ServiceSettings, HostSettings {
  /** Whether tools for assistants are served at `/mcp`; by default they are. */
  readonly mcp?: 'on' | 'off'
  readonly corsOrigins: readonly string[] | '*'
  /** Trusted proxies: their number, or their addresses and blocks. */
  readonly trustProxy: number | readonly string[] | null
  /** URL at which the operator can be contacted; null if `CONTACT_URL` is not set. */
  readonly contactUrl: string | null
  /** Maximum number of concurrent scans. */
  readonly scanConcurrency: number
  /** Maximum number of URLs of batches that are scanned at a time. */
  readonly workerConcurrency: number
  /** Days for which the results of batches are kept. */
  readonly batchDays: number
}

/** The dependencies of the HTTP application. The composition root (src/compose.ts) or a test provides them. */
export interface AppParts {
  readonly settings: AppSettings
  readonly store: Store & { readonly isUp: boolean }
  readonly shared: SharedState
  /** The secret that API keys are hashed with. */
  readonly pepper: string
  /** Keys that are hashed with this secret are accepted, too; absent or null for none. */
  readonly oldPepper?: string | null
  /** Id of the pepper that the store was first opened with; by default that of `pepper`. */
  readonly firstPepper?: string
  /**
   * Scans a site with a version of the rules. `client` is the id of the key that started the scan.
   * @throws ScanError; RulesetChanged if the rules in use have another version
   */
  readonly scan: (target: Target, client: string, ruleset: string, extent: ScanExtent) => Promise<LiveScan>
  /** Pages waiting for a worker, and pages being matched. */
  readonly workers: () => { readonly waiting: number; readonly running: number }
  /** The accounts of the portal; null if the portal is off. */
  readonly accounts: Accounts | null
  /** What scans the URLs of batches; absent if this process does so. */
  readonly batchRunner?: BatchRunner
  readonly policy: Policy
  readonly rules: CurrentRules
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly log: FastifyBaseLogger
  readonly metrics: Metrics
  /** The version of Siteprint. */
  readonly version: string
}
