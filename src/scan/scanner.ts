import { getDomain } from 'tldts'
import { boundWarnings, cutLine } from '../engine/text/bounds.ts'
import { type Result, toResult } from '../engine/verdict/result.ts'
import { ScanError } from '../errors.ts'
import type { Dial } from '../fetch/connector.ts'
import { fetchSite, type Site } from '../fetch/fetch.ts'
import type { Gate, GateOptions } from '../fetch/host-limiter.ts'
import { DEFAULT_POLICY, type Policy } from '../fetch/policy.ts'
import { openResolver, type Resolver } from '../fetch/resolver.ts'
import { EVIDENCE, type EvidenceKind } from '../fetch/side-evidence.ts'
import { parseTarget } from '../fetch/target.ts'
import type { Verdict } from '../index.ts'
import type { Extras } from './extra-schemas.ts'
import { LIVE_EXTRAS, type LiveExtra } from './extras.ts'
import { FetchThread } from './fetch-thread.ts'
import type { RulesetInfo } from './match-worker.ts'
import { RecentKills } from './recent-kills.ts'
import { type MatchOptions, type MatchPool, openPool, type PoolOptions } from './worker-pool.ts'

/** All that a scan of a live site tells. */
export interface LiveScan {
  readonly verdict: Verdict
  readonly infrastructure: Extras['infrastructure']
  readonly timing: Extras['timing']
}

export type LiveResult = Result & Partial<Pick<Extras, 'infrastructure' | 'timing'>>

/** Makes the answer of a scan: the ten fields, then what was asked for, in one order. */
export function toLiveResult({ verdict, ...live }: LiveScan, include: readonly LiveExtra[] = []): LiveResult {
  const known = { ...verdict, ...live }
  const extras = LIVE_EXTRAS.filter((key) => include.includes(key)).map((key) => [key, known[key]])
  return { ...toResult(verdict), ...Object.fromEntries(extras) }
}

export interface ScannerOptions extends PoolOptions {
  readonly policy?: Policy
  readonly evidence?: readonly EvidenceKind[]
  /** Tests bring their own. */
  readonly resolver?: Resolver
  readonly dial?: Dial
  /** Is asked before each host that a scan visits. */
  readonly gate?: Gate
  /** Fetches on a thread of its own, with this gate; resolver, dial and gate of these options are not used then. */
  readonly fetchThread?: { readonly gate: GateOptions | null; readonly file?: string }
}

export interface ScanOptions {
  /** Ends the scan; it rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** On whose behalf the site is scanned, for example a key's id. Workers are shared fairly between clients. */
  readonly client?: string
}

/** Scans live sites: matching on other threads, and fetching too where other clients must not wait for it. */
export class Scanner {
  readonly #options: ScannerOptions
  readonly #pool: MatchPool
  readonly #resolver: Resolver
  readonly #thread: FetchThread | undefined
  readonly #kills = new RecentKills()

  constructor(options: ScannerOptions = {}) {
    this.#options = options
    const { policy = DEFAULT_POLICY, evidence = EVIDENCE, fetchThread } = options
    if (fetchThread) this.#thread = new FetchThread({ policy, evidence, ...fetchThread })
    this.#pool = openPool(options)
    this.#resolver = options.resolver ?? openResolver()
  }

  /** Waits until the rules are loaded; tells of them. */
  ready(): Promise<RulesetInfo> {
    return this.#pool.ready
  }

  /** Pages that wait for a worker, and pages that have one. */
  get queue(): { readonly waiting: number; readonly running: number } {
    return { waiting: this.#pool.waiting, running: this.#pool.running }
  }

  /**
   * Scans one site.
   * @param text the URL as somebody typed it
   * @throws ScanError, `killer_site` within a minute of a page of that site killing a worker; the signal's reason when that
   *   aborts
   */
  async scan(text: string, { signal, client }: ScanOptions = {}): Promise<LiveScan> {
    const started = performance.now()
    const { wantedDns } = await this.#pool.ready
    const { policy = DEFAULT_POLICY } = this.#options
    this.#checkSite(parseTarget(text, policy).url.href)
    const site = await this.#fetch(text, { wantedDns, signal })
    const fetched = performance.now()
    this.#checkSite(site.url) // Redirects may have led to another site.
    const { verdict } = await this.#match(site, { ...(signal && { signal }), ...(client !== undefined && { client }) })
    const total = performance.now() - started
    const timing = { ...site.timing, match: performance.now() - fetched, total }
    return {
      verdict: { ...verdict, warnings: boundWarnings([...site.warnings, ...verdict.warnings]) },
      infrastructure: infrastructureOf(site, verdict),
      timing: mapValues(timing, (ms) => Math.round(ms * 10) / 10),
    }
  }

  #fetch(text: string, call: { wantedDns: readonly string[]; signal: AbortSignal | undefined }): Promise<Site> {
    if (this.#thread) return this.#thread.fetch(text, call)
    const { policy = DEFAULT_POLICY, evidence = EVIDENCE, dial, gate } = this.#options
    return fetchSite(text, { resolver: this.#resolver, policy, evidence, gate, ...call, ...(dial && { dial }) })
  }

  #checkSite(url: string): void {
    if (this.#kills.has(url)) throw new ScanError('killer_site')
  }

  async #match(site: Site, options: MatchOptions): ReturnType<MatchPool['match']> {
    const { url, status, headers, html, dns, tls, robots, favicon } = site
    try {
      return await this.#pool.match({ url, status, headers, html, dns, tls, robots, favicon }, options)
    } catch (error) {
      if (error instanceof ScanError && error.reason === 'worker_killed') this.#kills.add(url)
      throw error
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#thread?.close()])
  }
}

function mapValues<K extends string>(values: Record<K, number>, change: (value: number) => number): Record<K, number> {
  return Object.fromEntries(Object.entries<number>(values).map(([key, value]) => [key, change(value)])) as Record<
    K,
    number
  >
}

/** Characters of a string of `infrastructure`, and domains of name servers that it lists. */
const MAX_NAME = 256
const MAX_DNS = 16

function lineOf(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : cutLine(text, MAX_NAME)
}

function infrastructureOf({ dns, address, tls, headers }: Site, verdict: Verdict): Extras['infrastructure'] {
  const isCdn = ({ kind, name, chosen }: Verdict['evidence'][number]): boolean =>
    kind === 'hosting' && chosen && name !== verdict.hosting
  return {
    cdn: verdict.evidence.find(isCdn)?.name ?? null,
    dns: [...new Set((dns?.ns ?? []).map((name) => cutLine(getDomain(name) ?? name, MAX_NAME)))].slice(0, MAX_DNS),
    ip: address,
    tlsIssuer: lineOf(tls?.issuer),
    server: lineOf(headers.find(([name]) => name === 'server')?.[1]),
  }
}

/** What a failed scan tells its caller. */
export function toErrorBody(error: unknown): { readonly error: string; readonly code: string } {
  const told = error instanceof ScanError ? error : new ScanError('internal', { cause: error })
  return { error: told.message, code: told.code }
}
