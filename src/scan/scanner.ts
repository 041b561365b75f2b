import type { Renderer } from '../browser/renderer.ts'
import type { Matched } from '../detector/match-worker.ts'
import type { RulesetInfo } from '../detector/ruleset-info.ts'
import { type MatchOptions, type MatchPool, openPool, type PoolOptions } from '../detector/worker-pool.ts'
import type { PageInput } from '../engine/page/page-input.ts'
import { boundWarnings } from '../engine/text/bounds.ts'
import { ScanError } from '../errors.ts'
import type { Dial } from '../fetch/connector.ts'
import { EVIDENCE, type EvidenceKind } from '../fetch/evidence-kinds.ts'
import type { Site } from '../fetch/fetch.ts'
import type { HostLimiter, HostLimits } from '../fetch/host-limiter.ts'
import { DEFAULT_POLICY, type Policy } from '../fetch/policy.ts'
import { openResolver, type Resolver } from '../fetch/resolver.ts'
import type { FurtherPage } from '../fetch/robots-gate.ts'
import { parseTarget, type Target } from '../fetch/target.ts'
import { describeDetails } from '../lifecycles/describe-details.ts'
import type { Networks } from '../networks/network-table.ts'
import { openOwnNetworks } from '../networks/open-networks.ts'
import { CurrentPool } from './current-pool.ts'
import { RulesetChanged } from './current-rules.ts'
import type { Extras, SystemPart } from './extra-schemas.ts'
import { FetchThread } from './fetch-thread.ts'
import { readFurtherPages, type SitePage } from './further-pages.ts'
import { buildInfrastructure } from './infrastructure.ts'
import { RecentKills } from './recent-kills.ts'
import { NOT_RENDERED, type RenderMode } from './render-modes.ts'
import { addRendered, toPageInput } from './scanned-page.ts'
import { type PageFindings, unitePages } from './unite-pages.ts'

/** The full result of the scan of a live site: what was found on its pages, united, and what belongs to the scan. */
export interface LiveScan extends PageFindings {
  readonly infrastructure: Extras['infrastructure']
  readonly timing: Extras['timing']
  readonly meta: Extras['meta']
  /** The pages that were read; absent if one was asked for. */
  readonly parts?: readonly SystemPart[]
  /** Whether the page was to be rendered and was not. */
  readonly isUnrendered?: boolean
}

export interface ScannerOptions extends PoolOptions {
  readonly policy?: Policy
  readonly evidence?: readonly EvidenceKind[]
  /** Tests supply their own. */
  readonly resolver?: Resolver
  readonly dial?: Dial
  /** Limits the requests of all scans to each host. */
  readonly hostLimiter?: HostLimiter
  /** The browser that renders pages. Without it, pages are not rendered. Its owner closes it. */
  readonly renderer?: Pick<Renderer, 'render'>
  /** Fetches on a separate thread with these limits. `resolver`, `dial` and `hostLimiter` are not used then. */
  readonly fetchThread?: { readonly hostLimits: HostLimits | null; readonly file?: string }
}

export interface ScanOptions {
  /** Aborts the scan, which rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** The client for which the site is scanned, for example the ID of an API key. Workers are shared fairly between clients. */
  readonly client?: string
  /** The ruleset that the scan is to use. By default it is the current one. */
  readonly ruleset?: string
  /** How many pages of the site are read: 1 to 5, by default 1. */
  readonly pages?: number
  /** Whether a browser renders the page; `never` by default, and without a browser. */
  readonly render?: RenderMode
}

/** Scans live sites. Matching runs on worker threads; fetching can run on a separate thread too, to keep the event loop free. */
export class Scanner {
  readonly #options: ScannerOptions
  readonly #rules: CurrentPool
  readonly #resolver: Resolver
  readonly #thread: FetchThread | undefined
  readonly #kills = new RecentKills()
  readonly #networks: Networks

  constructor(options: ScannerOptions = {}) {
    this.#options = options
    const { policy = DEFAULT_POLICY, evidence = EVIDENCE, fetchThread } = options
    if (fetchThread) this.#thread = new FetchThread({ policy, evidence, ...fetchThread })
    this.#rules = new CurrentPool(openPool(options))
    this.#resolver = options.resolver ?? openResolver()
    this.#networks = options.networks ?? openOwnNetworks()
  }

  /** Waits until the rules are loaded, and describes them. */
  ready(): Promise<RulesetInfo> {
    return this.#rules.pool.ready
  }

  /** Describes the rules, if possible before they are loaded. */
  describe(): Promise<RulesetInfo> {
    return this.#rules.pool.described
  }

  /** Starts the workers of another ruleset: of a released one, or null for that of the options. The current one stays in use. */
  prepare(release: PoolOptions['release']): MatchPool {
    return openPool({ ...this.#options, release: release ?? null })
  }

  /** Switches to workers that are ready. Scans that have started end with their ruleset, then the former workers are terminated. */
  switchTo(pool: MatchPool): void {
    this.#rules.replace(pool)
  }

  /** Pages that wait for a worker, and pages that are being matched. */
  get queue(): { readonly waiting: number; readonly running: number } {
    return this.#rules.queue
  }

  /**
   * Scans one site.
   * @param input a parsed target, or a URL as text, for example of the command line
   * @throws ScanError, with `killer_site` within a minute after a page of the site killed a worker; the signal's reason when
   *   it aborts; RulesetChanged if the current ruleset is not the wanted one
   */
  scan(input: Target | string, options: ScanOptions = {}): Promise<LiveScan> {
    return this.#rules.use((pool) => this.#scan(input, pool, options))
  }

  async #scan(input: Target | string, pool: MatchPool, options: ScanOptions): Promise<LiveScan> {
    const started = performance.now()
    const { signal, client, ruleset, pages = 1, render = 'never' } = options
    const { wantedDns, wantedGlobals, version } = await pool.ready
    if (ruleset !== undefined && ruleset !== version) throw new RulesetChanged()
    const { policy = DEFAULT_POLICY } = this.#options
    const target = typeof input === 'string' ? parseTarget(input, policy) : input
    this.#checkSite(target.url.href)
    const site = await this.#fetch(target, { wantedDns, signal })
    const fetched = performance.now()
    this.#checkSite(site.url) // A redirect may lead to another site.
    const call = { ...(signal && { signal }), ...(client !== undefined && { client }) }
    const how = { render, wantedGlobals, call: { ...call, ...(pages > 1 && { selectsPages: true }) } }
    const { matched, warnings: ofBrowser, isUnrendered } = await this.#matchFront(site, pool, how)
    const { verdict, title } = matched
    const matchMs = performance.now() - fetched
    const further =
      pages === 1
        ? null
        : await readFurtherPages({
            wanted: pages - 1,
            front: { site: { ...site, remainingMs: site.remainingMs - matchMs }, matched },
            policy,
            signal,
            fetch: (next, how) => this.#fetch(next, { wantedDns, ...how }),
            match: (next, signal) => this.#match(toPageInput(next), pool, { ...call, signal }),
          })
    const now = new Date()
    const front = describePage({ site, matched }, now)
    const found: PageFindings & Pick<LiveScan, 'parts'> =
      further === null ? front : unitePages([front, ...further.pages.map((page) => describePage(page, now))])
    const timing = { ...site.timing, match: matchMs, total: performance.now() - started }
    const warnings = [...listWarnings(site), ...ofBrowser, ...verdict.warnings, ...(further?.warnings ?? [])]
    return {
      ...found,
      verdict: { ...found.verdict, warnings: boundWarnings(warnings) },
      infrastructure: buildInfrastructure(site, verdict, this.#networks),
      timing: mapValues(timing, (ms) => Math.round(ms * 10) / 10),
      meta: { status: site.status, scannedAt: now.toISOString(), ruleset: version, title },
      ...(isUnrendered && { isUnrendered }),
    }
  }

  async #fetch(
    target: Target,
    call: {
      readonly wantedDns: readonly string[]
      readonly signal: AbortSignal | undefined
      readonly further?: FurtherPage
    },
  ): Promise<Site> {
    if (this.#thread) return this.#thread.fetch(target.url.href, call)
    // A fetch thread has its own copy, and loading undici takes a tenth of the start time.
    const { fetchSite } = await import('../fetch/fetch.ts')
    const { policy = DEFAULT_POLICY, evidence = EVIDENCE, dial, hostLimiter } = this.#options
    return fetchSite(target, {
      resolver: this.#resolver,
      policy,
      evidence,
      hostLimiter,
      ...call,
      ...(dial && { dial }),
    })
  }

  #checkSite(url: string): void {
    if (this.#kills.has(url)) throw new ScanError('killer_site')
  }

  /** Matches the first page of a site: as it was fetched, or as a browser shows it. */
  async #matchFront(
    site: Site,
    pool: MatchPool,
    how: { readonly render: RenderMode; readonly wantedGlobals: readonly string[]; readonly call: MatchOptions },
  ): Promise<{ readonly matched: Matched; readonly warnings: readonly string[]; readonly isUnrendered?: boolean }> {
    const fetched = toPageInput(site)
    if (how.render === 'never') return { matched: await this.#match(fetched, pool, how.call), warnings: [] }
    // The page may be matched again, and its bytes are transferred to the worker.
    const first = how.render === 'auto' ? await this.#match(structuredClone(fetched), pool, how.call) : null
    if (first?.isShell === false) return { matched: first, warnings: [] }
    const { input, warnings } = await this.#render(site, how.wantedGlobals, how.call.signal)
    const matched = first === null || input !== null ? await this.#match(input ?? fetched, pool, how.call) : first
    return { matched, warnings, isUnrendered: input === null }
  }

  /** Renders a fetched page. If that fails, a warning says why, and the page is matched as it was fetched. */
  async #render(
    site: Site,
    globals: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<{ readonly input: PageInput | null; readonly warnings: readonly string[] }> {
    const { renderer } = this.#options
    if (renderer === undefined) return { input: null, warnings: [`${NOT_RENDERED}there is no browser`] }
    try {
      const rendered = await renderer.render(site.url, globals, signal)
      return { input: addRendered(toPageInput(site), rendered), warnings: rendered.warnings }
    } catch (error) {
      signal?.throwIfAborted()
      const why = error instanceof Error ? error.message : String(error)
      return { input: null, warnings: [NOT_RENDERED + why] }
    }
  }

  async #match(page: PageInput, pool: MatchPool, options: MatchOptions): Promise<Matched> {
    try {
      return await pool.match(page, options)
    } catch (error) {
      if (error instanceof ScanError && error.reason === 'worker_killed') this.#kills.add(page.url ?? '')
      throw error
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#rules.close(), this.#thread?.close()])
  }
}

/** Describes what was found on a page. @param now the time of the scan */
function describePage({ site, matched: { verdict, packages } }: SitePage, now: Date): PageFindings {
  return { verdict, details: describeDetails(verdict, { now }), packages, isLate: site.lateBodies > 0 }
}

/** The warnings of a fetched site, and one that names the places that were not looked at. */
function listWarnings({ warnings, unseen }: Site): readonly string[] {
  return unseen.length === 0 ? warnings : [...warnings, `not looked at: ${unseen.join(', ')}`]
}

function mapValues<K extends string>(values: Record<K, number>, change: (value: number) => number): Record<K, number> {
  return Object.fromEntries(Object.entries<number>(values).map(([key, value]) => [key, change(value)])) as Record<
    K,
    number
  >
}
