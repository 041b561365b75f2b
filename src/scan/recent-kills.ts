import { LRUCache } from 'lru-cache'
import { findSite } from '../engine/text/url.ts'

/** How long a site is blocked after one of its pages killed a worker. */
const BLOCK_MS = 60_000
/** Maximum number of sites that are remembered. The oldest are forgotten first. */
const MAX_SITES = 10_000

/**
 * Remembers for a minute the sites whose page killed a worker, so that repeating such a page uses no worker time.
 *
 * A site is the registrable domain, with private suffixes of the Public Suffix List taken into account. Blocking the host
 * name alone would not suffice, because the owner of a domain can create any number of subdomains. The list separates
 * customers of shared hosting (`a.github.io` does not block `b.github.io`). An address, or a name without a registrable
 * domain, is a site of its own.
 */
export class RecentKills {
  readonly #sites: LRUCache<string, true>

  /** @param clock milliseconds from any starting point */
  constructor(clock: () => number = () => performance.now()) {
    this.#sites = new LRUCache({ max: MAX_SITES, ttl: BLOCK_MS, ttlResolution: 0, perf: { now: clock } })
  }

  add(url: string): void {
    this.#sites.set(findSite(new URL(url).hostname), true)
  }

  has(url: string): boolean {
    return this.#sites.has(findSite(new URL(url).hostname))
  }
}
