import { Deadline } from '../async/deadline.ts'
import type { BodyLink } from '../engine/page/body-links.ts'
import { HTML_INSTEAD } from '../engine/page/page-bodies.ts'
import type { PageBodyInput } from '../engine/page/page-input.ts'
import { BODY_BOUNDS, MAX_BODY_BYTES, selectBodiesOfResponse } from '../engine/page/select-bodies.ts'
import { readBody } from './body.ts'
import type { HostSlot } from './host-limiter.ts'
import { requestFile } from './linked-file.ts'
import { findHeaders } from './redirect.ts'
import type { Session, SiteResponse } from './session.ts'
import { checkTarget } from './target.ts'

/** The scripts of a page with its tag containers, and its style sheets; those that were not received with the reason; null: not requested. */
export interface BodiesFound {
  readonly scripts: readonly PageBodyInput[] | null
  readonly styles: readonly PageBodyInput[] | null
  /** Number of bodies that were not complete when the time was up. */
  readonly lateBodies: number
}

interface FetchedHtml {
  readonly url: URL
  readonly html: Uint8Array
  readonly contentType: string | undefined
}

type BodyKind = keyof typeof BODY_BOUNDS
type FetchedBody = PageBodyInput & { readonly text: Uint8Array }

const NO_BODIES: BodiesFound = { scripts: null, styles: null, lateBodies: 0 }

/**
 * Types that browsers do not run as scripts or apply as style sheets, and that do not contain text of a build either.
 */
export const FOREIGN_TYPE = /^\s*(?:image|audio|video|font|multipart)\/|\b(?:json|xml|pdf|zip|wasm)\b/i

/**
 * Fetches the scripts, style sheets and tag containers that `selectBodiesOfResponse` selects, all concurrently, as text: they are never
 * executed.
 * It cannot fail the scan, ends within `bodiesAfterPageMs` and within the scan's deadline, and returns what was
 * received by then.
 */
export async function fetchBodies(
  page: FetchedHtml,
  { session, hostSlot }: { readonly session: Session; readonly hostSlot: HostSlot },
): Promise<BodiesFound> {
  if (!session.policy.fetchesBodies) return NO_BODIES
  const { script, style, container } = selectBodiesOfResponse(page.html, page.contentType, page.url.href).selected
  const deadline = new Deadline({ ms: session.policy.bodiesAfterPageMs, parent: session.signal })
  const { signal } = deadline
  const slots = new SharedSlots(hostSlot)
  const acquire = (host: string): Promise<() => void> => slots.acquire(host, signal)
  let lateBodies = 0
  const fetchOne = async (link: BodyLink, kind: BodyKind): Promise<FetchedBody> => {
    try {
      const target = checkTarget(new URL(link.url.href), session.policy)
      const read = (found: SiteResponse): Promise<FetchedBody> => readLinked(found, { link, kind, signal })
      const body = await requestFile(target, { session, acquire, signal, read })
      return body ?? buildMissing(link, 'too many redirects')
    } catch {
      if (signal.aborted) lateBodies++
      return buildMissing(link, signal.aborted ? 'not received in time' : 'the request failed')
    }
  }
  try {
    const fetchAll = (links: readonly BodyLink[], kind: BodyKind): Promise<FetchedBody[]> =>
      Promise.all(links.map((link) => fetchOne(link, kind)))
    const [scripts, styles, containers] = await Promise.all([
      fetchAll(script, 'script'),
      fetchAll(style, 'style'),
      fetchAll(container, 'container'),
    ])
    return {
      scripts: [
        ...trimBodies(scripts, BODY_BOUNDS.script.totalBytes),
        ...trimBodies(containers, BODY_BOUNDS.container.totalBytes),
      ],
      styles: trimBodies(styles, BODY_BOUNDS.style.totalBytes),
      lateBodies,
    }
  } finally {
    deadline.clear()
    slots.release()
  }
}

/** One slot for each other host, which all requests of the page share: a list scan waits a second between two slots of a host. */
class SharedSlots {
  readonly #hostSlot: HostSlot
  readonly #slots = new Map<string, Promise<() => void>>()

  constructor(hostSlot: HostSlot) {
    this.#hostSlot = hostSlot
  }

  async acquire(host: string, signal: AbortSignal): Promise<() => void> {
    const slot = this.#slots.get(host) ?? this.#hostSlot.acquireForEvidence(host, signal)
    this.#slots.set(host, slot)
    await slot
    return () => {}
  }

  /** Releases all slots once no request is waiting for one. */
  release(): void {
    for (const slot of this.#slots.values())
      slot.then(
        (release) => release(),
        () => {},
      )
  }
}

/** @param missing a reason that contains nothing from outside but a status: it becomes part of a warning */
function buildMissing({ url }: BodyLink, missing: string): FetchedBody {
  return { url: url.href, text: new Uint8Array(), missing }
}

/** Reads one body. */
async function readLinked(
  response: SiteResponse,
  { link, kind, signal }: { readonly link: BodyLink; readonly kind: BodyKind; readonly signal: AbortSignal },
): Promise<FetchedBody> {
  const type = findHeaders(response, 'content-type').join()
  if (response.status !== 200) return buildMissing(link, `status ${response.status}`)
  if (/html/i.test(type)) return buildMissing(link, HTML_INSTEAD)
  // The tags of some containers are listed in a JSON file.
  if (FOREIGN_TYPE.test(kind === 'container' ? type.replace(/\bjson\b/i, '') : type))
    return buildMissing(link, 'another type of file')
  const encodings = findHeaders(response, 'content-encoding').join(',')
  const most = Math.min(MAX_BODY_BYTES, BODY_BOUNDS[kind].totalBytes)
  const bounds = { maxWireBytes: most, maxBodyBytes: most, signal }
  const { bytes, warnings } = await readBody(response.body, encodings, bounds)
  if (bytes.length === 0 && warnings.length > 0) return buildMissing(link, 'the body could not be decoded')
  return { url: link.url.href, text: bytes, ...(warnings.length > 0 && { isCut: true }) }
}

/** Cuts bodies to their total bound. */
function trimBodies(bodies: readonly FetchedBody[], totalBytes: number): PageBodyInput[] {
  let room = totalBytes
  return bodies.map((body): PageBodyInput => {
    const text = body.text.subarray(0, room)
    room -= text.length
    if (text.length === body.text.length) return body
    if (text.length > 0) return { ...body, text, isCut: true }
    return { url: body.url, text, missing: `too large: more than ${totalBytes} bytes in total` }
  })
}
