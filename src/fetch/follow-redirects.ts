import { ScanError } from '../errors.ts'
import type { Peer } from './connector.ts'
import type { HostSlot } from './host-limiter.ts'
import { type ReceivedBody, readPage } from './read-page.ts'
import { followLocation, followRefresh } from './redirect.ts'
import type { RobotsGate } from './robots-gate.ts'
import type { SecondTry } from './second-try.ts'
import type { Session, SiteResponse } from './session.ts'
import type { SideEvidence } from './side-evidence.ts'
import type { Target } from './target.ts'
import type { TlsError } from './tls-error.ts'

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** What the hops of one page share. */
interface FetchContext {
  readonly session: Session
  readonly sideEvidence: SideEvidence
  readonly hostSlot: HostSlot
  readonly secondTry: SecondTry
  /** What is wrong with the certificates of hosts that redirected. */
  readonly redirectErrors: Set<TlsError>
  /** Checks each hop of another page; null for the page that a client has named. */
  readonly gate: RobotsGate | null
}

/** The final page of a fetch. */
export interface FetchedPage extends ReceivedBody {
  readonly target: Target
  readonly response: SiteResponse
  readonly peer: Peer | undefined
}

/**
 * Follows redirects to the final page and checks each hop against the policy. A refresh is part of a page that has already
 * been received: if following it fails for any reason, that page is the result.
 */
export async function followRedirects(first: Target, context: FetchContext): Promise<FetchedPage> {
  const { session, sideEvidence, hostSlot, gate } = context
  // With other cookies than before, a site may respond to the same URL with its page.
  const describeVisit = ({ url }: Target): string => `${url.href} ${session.cookies.format(url)}`
  const visits = new Set([describeVisit(first)])
  const urls = new Set([first.url.href])
  let target = first
  let lastPage: FetchedPage | null = null
  for (let hop = 0; ; hop++) {
    try {
      sideEvidence.leaveOtherHosts(target.host)
      await hostSlot.moveTo(target.host)
      await gate?.check(target)
      sideEvidence.startDns(target)
      const { page, next } = await follow(target, context)
      lastPage = page ?? lastPage
      if (page !== null && (next === null || visits.has(describeVisit(next)))) return page
      target = next as Target
      if (visits.has(describeVisit(target))) throw new ScanError('redirect_loop')
      if (hop >= session.policy.maxRedirects)
        throw new ScanError(urls.has(target.url.href) ? 'redirect_loop' : 'too_many_redirects')
      visits.add(describeVisit(target))
      urls.add(target.url.href)
    } catch (error) {
      if (lastPage === null || session.signal.aborted) throw error
      sideEvidence.startFiles(lastPage.target)
      return lastPage
    }
  }
}

interface Hop {
  readonly page: FetchedPage | null
  readonly next: Target | null
}

/** Requests one hop. A redirect has no page; a page can have a next hop. */
async function follow(target: Target, context: FetchContext): Promise<Hop> {
  const { session, sideEvidence, secondTry, redirectErrors } = context
  const response = await secondTry.onReset(() => session.getPage(target, ACCEPT))
  const peer = session.findPeer(target) // Read before files are fetched, which may open more connections.
  session.cookies.store(response.headers, target.url)
  const location = followLocation(response, target, session.policy)
  if (location !== null) {
    response.body.destroy()
    if (peer?.tlsError) redirectErrors.add(peer.tlsError)
    return { page: null, next: location }
  }
  const waitMs = secondTry.findWait(response)
  // Nothing else is requested from a site that has asked for a pause.
  if (waitMs === null) sideEvidence.startFiles(target)
  const page = { target, response, peer, ...(await readPage(response, session)) }
  if (waitMs !== null) {
    const again = (await secondTry.wait(waitMs)) ? await followAgain(target, context) : null
    if (again !== null) return again
    sideEvidence.startFiles(target)
  }
  const refreshing = page.isHtml ? page.html : new Uint8Array()
  return { page, next: followRefresh(response, refreshing, target, session.policy) }
}

/** Requests a hop a second time. Returns null if that fails: then the first response is the result. */
async function followAgain(target: Target, context: FetchContext): Promise<Hop | null> {
  try {
    return await follow(target, context)
  } catch (error) {
    if (context.session.signal.aborted) throw error
    return null
  }
}
