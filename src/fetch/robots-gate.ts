import { Deadline } from '../async/deadline.ts'
import { findSite } from '../engine/text/url.ts'
import { type ScanCause, ScanError } from '../errors.ts'
import { readBody } from './body.ts'
import type { EvidenceKind } from './evidence-kinds.ts'
import type { HostSlot } from './host-limiter.ts'
import { requestFile } from './linked-file.ts'
import { findHeaders } from './redirect.ts'
import { parseRobots, permits } from './robots.ts'
import type { Session, SiteResponse } from './session.ts'
import { checkTarget, type Target } from './target.ts'

/** What is known when a page is fetched because another page of its site links it. Plain data, so that it can be sent to a thread. */
export interface FurtherPage {
  /** The site that it must not leave: a registrable domain, or an address. */
  readonly site: string
  /** Milliseconds that it may take. */
  readonly deadlineMs: number
  /** Origin → its robots.txt, where it has been read. */
  readonly robots: Readonly<Record<string, string>>
  /** Side evidence that is known. */
  readonly skip: readonly EvidenceKind[]
}

/** RFC 9309 asks for 500 KiB at least. */
const MAX_ROBOTS_BYTES = 512 * 1024

/** Errors that say that the page cannot be requested either. */
const NO_CONNECTION: ReadonlySet<ScanCause> = new Set([
  'name_not_found',
  'address_refused',
  'lookup_failed',
  'unreachable',
  'connection_refused',
  'tls_invalid',
])

/**
 * Decides which addresses a scan may request that follows a link: those of the same site that the robots.txt of their origin permits
 * (RFC 9309). A robots.txt that does not exist permits everything, one that cannot be read permits nothing.
 */
export class RobotsGate {
  readonly #page: FurtherPage
  readonly #session: Session
  readonly #hostSlot: HostSlot
  /** Origin → text of its robots.txt. */
  readonly #texts: Map<string, string>

  constructor(page: FurtherPage, { session, hostSlot }: { readonly session: Session; readonly hostSlot: HostSlot }) {
    this.#page = page
    this.#session = session
    this.#hostSlot = hostSlot
    this.#texts = new Map(Object.entries(page.robots))
  }

  /**
   * Checks an address before it is requested.
   * @throws ScanError `other_site`, `robots_refused`; the session's reason when it aborts
   */
  async check(target: Target): Promise<void> {
    if (findSite(target.url.hostname) !== this.#page.site) throw new ScanError('other_site')
    const text = this.find(target.url.origin) ?? (await this.#read(target))
    const [product] = this.#session.policy.userAgent.split('/')
    if (!permits(parseRobots(text, product), target.url)) throw new ScanError('robots_refused')
  }

  /** The robots.txt of an origin that was checked; empty if it does not exist. */
  find(origin: string): string | null {
    return this.#texts.get(origin) ?? null
  }

  async #read(page: Target): Promise<string> {
    const session = this.#session
    session.expectPage(page)
    const deadline = new Deadline({ ms: session.policy.evidenceMs, parent: session.signal })
    try {
      const text = await requestFile(checkTarget(new URL('/robots.txt', page.url), session.policy), {
        session,
        acquire: (host, signal) => this.#hostSlot.acquireForEvidence(host, signal),
        signal: deadline.signal,
        read: (response) => readRobots(response, deadline.signal),
      })
      this.#texts.set(page.url.origin, text ?? '')
      return text ?? ''
    } catch (cause) {
      if (session.signal.aborted) throw session.signal.reason
      if (cause instanceof ScanError && NO_CONNECTION.has(cause.reason)) throw cause
      throw new ScanError('robots_refused', { cause })
    } finally {
      deadline.clear()
    }
  }
}

/** @returns an empty text if the file does not exist. @throws if the server cannot say so */
async function readRobots(response: SiteResponse, signal: AbortSignal): Promise<string> {
  const { status, body } = response
  if (status >= 500 || status === 429) throw new Error(`robots.txt was answered with status ${status}`)
  if (status !== 200 || /html/i.test(findHeaders(response, 'content-type').join())) return ''
  const encodings = findHeaders(response, 'content-encoding').join(',')
  const bounds = { maxWireBytes: MAX_ROBOTS_BYTES, maxBodyBytes: MAX_ROBOTS_BYTES, signal }
  const { bytes } = await readBody(body, encodings, bounds)
  return Buffer.from(bytes).toString('utf8')
}
