import { type Dial, openDial, type Peer } from './connector.ts'
import { EVIDENCE, type EvidenceKind } from './evidence-kinds.ts'
import { toScanError } from './failure.ts'
import { type FetchedPage, followRedirects } from './follow-redirects.ts'
import { type HostLimiter, HostSlot } from './host-limiter.ts'
import { type BodiesFound, fetchBodies } from './page-bodies.ts'
import { DEFAULT_POLICY, type Policy } from './policy.ts'
import { findHeaders } from './redirect.ts'
import type { Resolver } from './resolver.ts'
import { type FurtherPage, RobotsGate } from './robots-gate.ts'
import { SecondTry } from './second-try.ts'
import { Session } from './session.ts'
import { type EvidenceFound, SideEvidence } from './side-evidence.ts'
import type { Target } from './target.ts'
import { listTlsWarnings, type TlsError } from './tls-error.ts'

/** The data that one scan received from a site: the input of `buildPage`, and details of the connection. */
export interface Site extends Omit<EvidenceFound, 'isFaviconSeen'>, BodiesFound {
  /** The final URL, without a fragment. */
  readonly url: string
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  /** The part of the body that was received, decompressed. Empty if the response is neither HTML nor a short message of an error. */
  readonly html: Uint8Array
  readonly tls: Peer['tls']
  /** What is wrong with the certificate of the page's host, which is then no evidence; null for a valid one, and without TLS. */
  readonly tlsError: TlsError | null
  /** The IP address that served the page. */
  readonly address: string | null
  /**
   * Places of rules that exist and were not looked at, because they were skipped or did not respond in time. A page without TLS
   * has no certificate, and an address has no DNS records.
   */
  readonly unseen: readonly string[]
  /** One sentence per limit or error that cut the page. */
  readonly warnings: readonly string[]
  /**
   * Milliseconds: `fetch` until the page was received, then `evidence` until the side evidence was complete and, in
   * parallel, `bodies` until the scripts and style sheets were.
   */
  readonly timing: { readonly fetch: number; readonly evidence: number; readonly bodies: number }
  /** Milliseconds until the deadline of the scan. */
  readonly remainingMs: number
}

export interface FetchOptions {
  readonly resolver: Resolver
  readonly policy?: Policy
  /** DNS records that rules read (`ruleset.wanted('dns')`). */
  readonly wantedDns?: readonly string[]
  /** The side evidence to collect; by default all of it. */
  readonly evidence?: readonly EvidenceKind[]
  readonly signal?: AbortSignal | undefined
  /** Opens sockets. Tests supply their own. */
  readonly dial?: Dial
  /** Limits the requests to each host, including hosts to which a page or side evidence is redirected. */
  readonly hostLimiter?: HostLimiter | undefined
  /** Set for a page that another page of its site links: it must not leave the site, and robots.txt must permit it. */
  readonly further?: FurtherPage | undefined
}

/**
 * Fetches a site that a client has named. Contacts only public addresses, checks redirects against the same policy, ends
 * within the policy's deadline, and leaves no socket and no timer.
 * @throws ScanError; the signal's reason when it aborts
 */
export async function fetchSite(target: Target, options: FetchOptions): Promise<Site> {
  const { resolver, signal, wantedDns = [], further } = options
  const { policy, evidence } = limitFurther(options)
  const started = performance.now()
  const session = new Session({ policy, resolver, signal, dial: options.dial ?? openDial() })
  const hostSlot = new HostSlot(options.hostLimiter, session)
  const gate = further === undefined ? null : new RobotsGate(further, { session, hostSlot })
  const sideEvidence = new SideEvidence({ session, hostSlot, kinds: evidence, wantedDns })
  try {
    const secondTry = new SecondTry(session)
    const redirectErrors = new Set<TlsError>()
    const page = await followRedirects(target, { session, sideEvidence, hostSlot, secondTry, redirectErrors, gate })
    const { peer } = page
    const tlsError = peer?.tlsError ?? null
    const fetched = performance.now()
    const [side, bodies] = await Promise.all([
      measure(sideEvidence.finish(), fetched),
      measure(fetchBodies(describeHtml(page), { session, hostSlot }), fetched),
    ])
    signal?.throwIfAborted()
    const { isFaviconSeen, ...found } = side.value
    const tls = evidence.includes('tls') ? (peer?.tls ?? null) : null
    const robots = gate?.find(page.target.url.origin) ?? found.robots
    const seen = { ...found, robots, ...bodies.value, tls }
    return {
      ...seen,
      url: page.target.url.href,
      status: page.response.status,
      headers: page.response.headers,
      html: page.html,
      tlsError,
      warnings: [...listTlsWarnings(tlsError, redirectErrors), ...page.warnings, ...reportLate(bodies.value, policy)],
      // A certificate that was rejected was looked at.
      unseen: listUnseen(page.target, { ...seen, tls: tls ?? tlsError, favicon: isFaviconSeen || null }),
      address: peer?.address ?? null,
      timing: { fetch: fetched - started, evidence: side.ms, bodies: bodies.ms },
      remainingMs: session.remainingMs,
    }
  } catch (error) {
    throw session.signal.aborted ? session.signal.reason : toScanError(error)
  } finally {
    sideEvidence.close()
    await session.close()
    hostSlot.release()
  }
}

/** The policy and the side evidence of a page: another page has less time, and its robots.txt is read before it. */
function limitFurther({
  policy = DEFAULT_POLICY,
  evidence = EVIDENCE,
  further,
}: FetchOptions): Required<Pick<FetchOptions, 'policy' | 'evidence'>> {
  if (further === undefined) return { policy, evidence }
  return {
    policy: { ...policy, deadlineMs: Math.min(policy.deadlineMs, further.deadlineMs) },
    evidence: evidence.filter((kind) => kind !== 'robots' && !further.skip.includes(kind)),
  }
}

interface Seen
  extends Pick<Site, 'dns'>,
    Readonly<Record<'tls' | 'robots' | 'favicon' | 'scripts' | 'styles', unknown>> {}

/** Lists the places that were not looked at: those whose value is null, and DNS without the answer to any query. */
function listUnseen({ url, isLiteral }: Target, seen: Seen): string[] {
  const places = [
    ['dns', isLiteral || (Object.keys(seen.dns ?? {}).length > 0 ? seen.dns : null)],
    ['tls', url.protocol === 'http:' || seen.tls],
    ['robots', seen.robots],
    ['favicon', seen.favicon],
    ['bundle', seen.scripts],
    ['stylesheet', seen.styles],
  ] as const
  return places.filter(([, value]) => value === null).map(([place]) => place)
}

/** Waits for a result and measures the time from `start`. */
async function measure<T>(result: Promise<T>, start: number): Promise<{ readonly value: T; readonly ms: number }> {
  return { value: await result, ms: performance.now() - start }
}

function describeHtml({ target, html, isHtml, response }: FetchedPage): Parameters<typeof fetchBodies>[0] {
  return {
    url: target.url,
    html: isHtml ? html : new Uint8Array(),
    contentType: findHeaders(response, 'content-type')[0],
  }
}

function reportLate({ lateBodies }: BodiesFound, { bodiesAfterPageMs }: Policy): string[] {
  if (lateBodies === 0) return []
  const files = lateBodies === 1 ? '1 script or style sheet was' : `${lateBodies} scripts or style sheets were`
  return [`${files} not received within ${bodiesAfterPageMs} ms of the page`]
}
