import { ScanError } from '../errors.ts'
import { readBody } from './body.ts'
import { type Dial, openDial, type Peer } from './connector.ts'
import { toScanError } from './failure.ts'
import { type Gate, Visit } from './host-limiter.ts'
import { DEFAULT_POLICY, type Policy } from './policy.ts'
import { followLocation, followRefresh, headersOf } from './redirect.ts'
import type { Resolver } from './resolver.ts'
import { type Answer, Session } from './session.ts'
import { Beside, type BesidePage, EVIDENCE, type EvidenceKind } from './side-evidence.ts'
import { parseTarget, type Target } from './target.ts'

/** What one scan saw of a site: what `buildPage` takes, and what is told beside it. */
export interface Site extends BesidePage {
  /** The final URL, without fragment. */
  readonly url: string
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  /** The body, unpacked, as far as it came; empty for what is not HTML. */
  readonly html: Uint8Array
  readonly tls: Peer['tls']
  /** The address that answered. */
  readonly address: string | null
  /** One sentence for each thing that was cut. */
  readonly warnings: readonly string[]
  /** Milliseconds: until the page was there, and for what stands beside it after that. */
  readonly timing: { readonly fetch: number; readonly evidence: number }
}

export interface FetchOptions {
  readonly resolver: Resolver
  readonly policy?: Policy
  /** DNS records that rules ask for (`ruleset.wanted('dns')`). */
  readonly wantedDns?: readonly string[]
  /** What to look at beside the page; all of it when absent. */
  readonly evidence?: readonly EvidenceKind[]
  readonly signal?: AbortSignal | undefined
  /** Opens sockets; tests bring their own. */
  readonly dial?: Dial
  /** Is asked before each host that the page, a redirect or side evidence leads to. */
  readonly gate?: Gate | undefined
}

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/**
 * Fetches what a stranger names. Contacts public addresses alone, follows redirects under the same policy, ends within its
 * deadline, and leaves no socket and no timer.
 * @throws ScanError; the signal's reason when that aborts
 */
export async function fetchSite(text: string, options: FetchOptions): Promise<Site> {
  const { policy = DEFAULT_POLICY, resolver, signal, evidence = EVIDENCE, wantedDns = [] } = options
  const started = performance.now()
  const first = parseTarget(text, policy)
  const session = new Session({ policy, resolver, signal, dial: options.dial ?? openDial() })
  const visit = new Visit(options.gate, session)
  const beside = new Beside({ session, visit, kinds: evidence, wantedDns })
  try {
    const page = await followAll(first, { session, beside, visit })
    const fetched = performance.now()
    const found = await beside.finish()
    signal?.throwIfAborted()
    const peer = session.peers.get(page.target.host)
    return {
      ...found,
      url: page.target.url.href,
      status: page.answer.status,
      headers: page.answer.headers,
      html: page.html,
      warnings: page.warnings,
      tls: evidence.includes('tls') ? (peer?.tls ?? null) : null,
      address: peer?.address ?? null,
      timing: { fetch: fetched - started, evidence: performance.now() - fetched },
    }
  } catch (error) {
    throw session.signal.aborted ? session.signal.reason : toScanError(error)
  } finally {
    beside.close()
    await session.close()
    visit.end()
  }
}

interface Way {
  readonly session: Session
  readonly beside: Beside
  readonly visit: Visit
}

interface Fetched {
  readonly target: Target
  readonly answer: Answer
  readonly html: Uint8Array
  readonly warnings: readonly string[]
}

/**
 * Goes from redirect to redirect, each hop under the policy, to the page at their end. A refresh is an offer of a page that
 * is there already: where it leads nowhere, for whatever reason, that page is the result.
 */
async function followAll(first: Target, way: Way): Promise<Fetched> {
  const { session, beside, visit } = way
  const seen = new Set<string>([first.url.href])
  let target = first
  let inHand: Fetched | null = null
  for (let hop = 0; ; hop++) {
    try {
      beside.leaveFor(target.host)
      await visit.to(target.host)
      beside.lookUp(target)
      const { page, next } = await follow(target, way)
      inHand = page ?? inHand
      if (page !== null && (next === null || seen.has(next.url.href))) return page
      target = next as Target
      if (seen.has(target.url.href)) throw new ScanError('redirect_loop')
      if (hop >= session.policy.maxRedirects) throw new ScanError('too_many_redirects')
      seen.add(target.url.href)
    } catch (error) {
      if (inHand === null || session.signal.aborted) throw error
      beside.ask(inHand.target)
      return inHand
    }
  }
}

/** One hop: a redirect has no page, a page may lead on. */
async function follow(
  target: Target,
  { session, beside }: Way,
): Promise<{ readonly page: Fetched | null; readonly next: Target | null }> {
  const answer = await session.get(target, ACCEPT)
  const location = followLocation(answer, target, session.policy)
  if (location !== null) {
    answer.body.destroy()
    return { page: null, next: location }
  }
  beside.ask(target)
  const page = { target, answer, ...(await readPage(answer, session)) }
  return { page, next: followRefresh(answer, page.html, target, session.policy) }
}

const NOT_HTML = 'the answer is not HTML: its body was not looked at'

/** Reads the body of what is HTML, or says nothing of what it is. */
async function readPage(answer: Answer, session: Session): Promise<Pick<Fetched, 'html' | 'warnings'>> {
  const type = headersOf(answer, 'content-type')[0]
  try {
    if (type !== undefined && !/^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type))
      return { html: new Uint8Array(), warnings: [NOT_HTML] }
    const encodings = headersOf(answer, 'content-encoding').join(',')
    const { bytes, warnings } = await readBody(answer.body, encodings, { ...session.policy, signal: session.signal })
    if (type !== undefined || bytes.length === 0 || beginsWithTag(bytes)) return { html: bytes, warnings }
    return { html: new Uint8Array(), warnings: [...warnings, NOT_HTML] }
  } finally {
    answer.body.destroy()
  }
}

/** Whether a body without a type is a page: a tag comes first, after a byte order mark or none, in UTF-16 too. */
function beginsWithTag(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 512)).toString('latin1')
  return /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*</.test(start)
}
