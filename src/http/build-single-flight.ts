import type { Target } from '../fetch/target.ts'
import { RulesetChanged } from '../scan/current-rules.ts'
import type { ScanExtent } from '../service/cache-entry.ts'
import type { ScanLimiter } from '../service/scan-limiter.ts'
import { SingleFlight } from '../service/single-flight.ts'
import { toApiError } from '../web/error-responses.ts'
import type { AppParts } from './parts.ts'
import { logScanFailure } from './request-log.ts'

/** Builds the scans of a process: each URL once at a time, within the limits, counted and logged. */
export function buildSingleFlight(
  parts: Pick<AppParts, 'shared' | 'clock' | 'scan' | 'metrics' | 'log'>,
  limiter: ScanLimiter,
): SingleFlight {
  return new SingleFlight({
    ...parts,
    scan: (target, client, ruleset, extent) => runMeasuredScan(parts, limiter, { target, client, ruleset, extent }),
    onFailure: (order, error) => logScanFailure(parts.log, order, error),
  })
}

/** Runs a scan within the concurrency limits and records its duration and outcome. */
async function runMeasuredScan(
  { scan, metrics }: Pick<AppParts, 'scan' | 'metrics'>,
  limiter: ScanLimiter,
  {
    target,
    client,
    ruleset,
    extent,
  }: {
    readonly target: Target
    readonly client: string
    readonly ruleset: string
    readonly extent: ScanExtent
  },
): ReturnType<AppParts['scan']> {
  return await limiter.run(target.url.hostname, async () => {
    const stopTimer = metrics.scanSeconds.startTimer()
    try {
      const result = await scan(target, client, ruleset, extent)
      metrics.scans.inc({ outcome: 'ok' })
      metrics.pages.inc({ state: result.verdict.page.state })
      return result
    } catch (error) {
      if (!(error instanceof RulesetChanged)) metrics.scans.inc({ outcome: toApiError(error).code })
      throw error
    } finally {
      stopTimer()
    }
  })
}
