import type { FastifyBaseLogger } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import { parseEmailAddress } from '../accounts/form-rules.ts'
import type { Account } from '../accounts/types.ts'
import type { SharedState } from '../coordination/types.ts'
import type { Gauges } from '../http/metrics.ts'
import type { ScanRunner } from '../http/scan-runner.ts'
import type { ServiceSwitches } from '../http/service-switches.ts'
import type { Plan } from '../keys/plans.ts'
import type { CurrentRules } from '../scan/current-rules.ts'
import type { Store } from '../store/types.ts'

/** The settings that the portal uses. */
export interface PortalSettings {
  readonly plans: ReadonlyMap<string, Plan>
  /** API revision of keys that are not pinned to one. */
  readonly apiRevision: 1 | 2
  /** The address that people see, without a trailing slash; null if `PUBLIC_URL` is not set. */
  readonly publicUrl: string | null
  /** Addresses of the operators, in lower case. */
  readonly adminEmails: readonly string[]
  /** Days for which audit entries are kept. */
  readonly auditDays: number
}

/** The dependencies of the portal. A page gets them as `context.parts`. */
export interface PortalParts {
  readonly accounts: Accounts
  readonly store: Store
  readonly shared: SharedState
  readonly settings: PortalSettings
  readonly rules: CurrentRules
  readonly scans: ScanRunner
  readonly switches: ServiceSwitches
  /** The secret that API keys are hashed with. */
  readonly pepper: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly log: FastifyBaseLogger
  /** The version of Siteprint. */
  readonly version: string
  /** Reads the values that Prometheus reads. */
  readonly readGauges: () => Gauges
}

/** Whether an account may open the operator's pages. The owner must have shown that the address is theirs. */
export function isAdmin({ email, isVerified }: Account, settings: PortalSettings): boolean {
  return isVerified && isAdminAddress(email, settings)
}

/** Whether an address, in any spelling, is one of an operator. */
export function isAdminAddress(email: string, { adminEmails }: PortalSettings): boolean {
  return adminEmails.includes(parseEmailAddress(email) ?? email)
}
