import type { Config } from '../../config/config.ts'
import { ScanError } from '../../errors.ts'
import { fetchSite } from '../../fetch/fetch.ts'
import { openResolver } from '../../fetch/resolver.ts'
import { parseTarget } from '../../fetch/target.ts'
import type { PageInput } from '../../index.ts'
import { UsageError } from '../command/command.ts'
import { readPolicy } from '../scan/live-scan.ts'

/**
 * Fetches the page of a live site like a scan.
 * @throws UsageError for a site that cannot be fetched
 */
export async function fetchPage(url: string, config: Config, wantedDns: readonly string[]): Promise<PageInput> {
  const policy = readPolicy(config)
  try {
    const site = await fetchSite(parseTarget(url, policy), { policy, resolver: openResolver(), wantedDns })
    const { address, timing, warnings, ...input } = site
    return input
  } catch (error) {
    if (!(error instanceof ScanError)) throw error
    const hint =
      error.reason === 'not_public' ? ' To read a site on your own machine, allow its address with SCAN_ALLOW.' : ''
    throw new UsageError(`${error.message} (${error.code})${hint}`)
  }
}
