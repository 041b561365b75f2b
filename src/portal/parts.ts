import type { FastifyBaseLogger } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import { parseEmailAddress } from '../accounts/form-rules.ts'
import type { BatchService } from '../batches/batch-service.ts'
import type { SharedState } from '../coordination/types.ts'
import type { CurrentRules } from '../scan/current-rules.ts'
import type { Gauges } from '../service/metrics.ts'
import type { ScanRunner } from '../service/scan-runner.ts'
import type { ServiceSwitches } from '../service/service-switches.ts'
import type { ServiceSettings } from '../service/settings.ts'
import type { Account } from '../store/account-types.ts'
import type { Store } from '../store/types.ts'

/** The dependencies of the portal. A page gets them as `context.parts`. */
export interface PortalParts {
  readonly accounts: Accounts
  readonly store: Store
  readonly shared: SharedState
  readonly settings: ServiceSettings & {
    /** Days for which the results of batches are kept. */
    readonly batchDays: number
  }
  readonly rules: CurrentRules
  readonly scans: ScanRunner
  readonly batches: BatchService
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
export function isAdmin({ email, isVerified }: Account, settings: ServiceSettings): boolean {
  return isVerified && isAdminAddress(email, settings)
}

/** Whether an address, in any spelling, is one of an operator. */
export function isAdminAddress(email: string, { adminEmails }: ServiceSettings): boolean {
  return adminEmails.includes(parseEmailAddress(email) ?? email)
}
