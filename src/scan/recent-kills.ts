import { LRUCache } from 'lru-cache'
import { getDomain } from 'tldts'

/** How long a site whose page killed a worker is not matched. */
const BLOCK_MS = 60_000
/** Sites remembered; the oldest is forgotten first. */
const MAX_SITES = 10_000

/**
 * Remembers for a minute the sites whose page killed a worker, so that repeating such a page costs nothing.
 *
 * A site is the registrable domain, with private suffixes of the Public Suffix List counted. A host name alone would not
 * do: whoever owns a domain has as many names below it as they like. The list keeps customers of shared hosting apart
 * (`a.github.io` does not block `b.github.io`). An address, and a name without a registrable domain, stands for itself.
 */
export class RecentKills {
  readonly #sites: LRUCache<string, true>

  /** @param clock milliseconds; only differences matter */
  constructor(clock: () => number = () => performance.now()) {
    this.#sites = new LRUCache({ max: MAX_SITES, ttl: BLOCK_MS, ttlResolution: 0, perf: { now: clock } })
  }

  add(url: string): void {
    this.#sites.set(siteOf(url), true)
  }

  has(url: string): boolean {
    return this.#sites.has(siteOf(url))
  }
}

function siteOf(url: string): string {
  const { hostname } = new URL(url)
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
}
