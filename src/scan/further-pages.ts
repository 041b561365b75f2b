import { Deadline } from '../async/deadline.ts'
import type { Matched } from '../detector/match-worker.ts'
import { cutLine } from '../engine/text/bounds.ts'
import { findSite } from '../engine/text/url.ts'
import { ScanError } from '../errors.ts'
import type { Site } from '../fetch/fetch.ts'
import type { Policy } from '../fetch/policy.ts'
import type { FurtherPage } from '../fetch/robots-gate.ts'
import { parseTarget, type Target } from '../fetch/target.ts'

/** Pages that are requested for each one that is wanted, because some cannot be read. */
const TRIES_PER_PAGE = 2
/** Below this time, in milliseconds, no other page is requested. */
const MIN_REST_MS = 100
/** A longer robots.txt of the first page may have been cut, and is read again. */
const MAX_KNOWN_ROBOTS_CHARACTERS = 60_000
/** Characters of an address in a warning. */
const MAX_QUOTED_CHARACTERS = 200

/** A page that was read. */
export interface SitePage {
  readonly site: Site
  readonly matched: Matched
}

interface FurtherPagesOptions {
  /** How many pages are wanted in addition to the first one. */
  readonly wanted: number
  /** The first page, with the addresses that were selected from its links. */
  readonly front: SitePage
  readonly policy: Policy
  readonly fetch: (
    target: Target,
    call: { readonly further: FurtherPage; readonly signal: AbortSignal },
  ) => Promise<Site>
  /** Matches a page. */
  readonly match: (site: Site, signal: AbortSignal) => Promise<Matched>
  readonly signal: AbortSignal | undefined
}

/** What became of an address. */
interface Fetched {
  readonly url: string
  readonly site: Site | null
  readonly error: unknown
}

/**
 * Reads other pages of a site in the time that its scan has left: one after another of each host, several hosts at a time. A page that
 * cannot be read is replaced by the next one.
 * @returns the pages, and a sentence for each address that was not read
 * @throws only the signal's reason when it aborts
 */
export async function readFurtherPages(
  options: FurtherPagesOptions,
): Promise<{ readonly pages: readonly SitePage[]; readonly warnings: readonly string[] }> {
  const { wanted, front, signal } = options
  const deadline = new Deadline({
    ms: front.site.remainingMs,
    createReason: () => new ScanError('deadline'),
    parent: signal,
  })
  const reader = new FurtherPagesReader(options, deadline)
  try {
    await reader.readAll()
    signal?.throwIfAborted()
    const missing = wanted - reader.pages.length
    const count = `${reader.pages.length + 1} of ${wanted + 1} pages were read`
    return { pages: reader.pages, warnings: missing === 0 ? reader.warnings : [...reader.warnings, count] }
  } finally {
    deadline.clear()
  }
}

class FurtherPagesReader {
  readonly pages: SitePage[] = []
  readonly warnings: string[] = []
  readonly #options: FurtherPagesOptions
  readonly #deadline: Deadline
  /** Addresses that were read. */
  readonly #read: Set<string>
  /** Set when a page has killed its worker: nothing else is requested from such a site. */
  #isStopped = false

  constructor(options: FurtherPagesOptions, deadline: Deadline) {
    this.#options = options
    this.#deadline = deadline
    this.#read = new Set([options.front.site.url])
  }

  async readAll(): Promise<void> {
    const { wanted, front, policy } = this.#options
    const targets = (front.matched.pages ?? []).flatMap((url) => findTarget(url, policy) ?? [])
    const waiting = targets.slice(0, TRIES_PER_PAGE * wanted)
    while (waiting.length > 0 && this.pages.length < wanted && !this.#isStopped) {
      if (this.#deadline.signal.aborted || this.#deadline.remainingMs < MIN_REST_MS) return
      for (const fetched of await this.#fetchRound(waiting.splice(0, wanted - this.pages.length)))
        await this.#keep(fetched)
    }
  }

  /** Fetches pages: one after another of each host, and several hosts at a time. @returns the pages in the order of the targets */
  async #fetchRound(targets: readonly Target[]): Promise<readonly Fetched[]> {
    const hosts = new Map<string, Promise<unknown>>()
    return await Promise.all(
      targets.map((target) => {
        const fetched = (hosts.get(target.host) ?? Promise.resolve()).then(() => this.#fetch(target))
        hosts.set(target.host, fetched)
        return fetched
      }),
    )
  }

  async #fetch(target: Target): Promise<Fetched> {
    const { front, fetch } = this.#options
    const { url: frontUrl, robots } = front.site
    const own = new URL(frontUrl)
    const isKnown = robots !== null && robots !== '' && robots.length < MAX_KNOWN_ROBOTS_CHARACTERS
    const url = target.url.href
    const { signal, remainingMs } = this.#deadline
    try {
      signal.throwIfAborted()
      const further: FurtherPage = {
        site: findSite(own.hostname),
        deadlineMs: remainingMs,
        robots: isKnown ? { [own.origin]: robots } : {},
        skip: target.url.origin === own.origin ? ['dns', 'favicon'] : [],
      }
      return { url, site: addKnown(await fetch(target, { further, signal }), front.site), error: null }
    } catch (error) {
      return { url, site: null, error }
    }
  }

  /** Matches a page, unless it was read before or is an error of its server. */
  async #keep({ url, site, error }: Fetched): Promise<void> {
    if (site === null) return this.#warn(url, describeError(error))
    if (this.#read.has(site.url)) return
    this.#read.add(site.url)
    if (site.status >= 400) return this.#warn(url, `it was answered with status ${site.status}.`)
    if (site.html.length === 0) return this.#warn(url, 'it is empty, or not HTML.')
    if (this.#isStopped) return
    try {
      this.pages.push({ site, matched: await this.#options.match(site, this.#deadline.signal) })
    } catch (cause) {
      this.#isStopped = cause instanceof ScanError && cause.reason === 'worker_killed'
      this.#warn(url, describeError(cause))
    }
  }

  #warn(url: string, why: string): void {
    this.warnings.push(`${cutLine(url, MAX_QUOTED_CHARACTERS)} was not read: ${why}`)
  }
}

function findTarget(url: string, policy: Policy): Target | null {
  try {
    return parseTarget(url, policy)
  } catch {
    return null // An address that this service does not scan, such as one with another port.
  }
}

/** Adds what is known of the same origin from the first page. */
function addKnown(site: Site, front: Site): Site {
  if (new URL(site.url).origin !== new URL(front.url).origin) return site
  return { ...site, dns: site.dns ?? front.dns, favicon: site.favicon ?? front.favicon }
}

function describeError(error: unknown): string {
  return (error instanceof ScanError ? error : new ScanError('internal')).message
}
