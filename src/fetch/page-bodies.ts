import { Deadline } from '../async/deadline.ts'
import type { BodyLink } from '../engine/page/body-links.ts'
import type { PageBodyInput } from '../engine/page/page-input.ts'
import { BODY_BOUNDS, MAX_BODY_BYTES, selectBodiesOfResponse } from '../engine/page/select-bodies.ts'
import { readBody } from './body.ts'
import type { HostSlot } from './host-limiter.ts'
import { isFile, requestFile } from './linked-file.ts'
import { findHeaders } from './redirect.ts'
import type { Session, SiteResponse } from './session.ts'
import { checkTarget } from './target.ts'

/** The scripts and style sheets of a page that were received; null: not requested. */
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

type FetchedBody = PageBodyInput & { readonly text: Uint8Array }

const NO_BODIES: BodiesFound = { scripts: null, styles: null, lateBodies: 0 }

/**
 * Types that browsers do not run as scripts or apply as style sheets, and that do not contain text of a build either.
 */
export const FOREIGN_TYPE = /^\s*(?:image|audio|video|font|multipart)\/|\b(?:json|xml|pdf|zip|wasm)\b/i

/**
 * Fetches the scripts and style sheets that `selectBodies` selects, all concurrently, as text: they are never executed.
 * It cannot fail the scan, ends within `bodiesAfterPageMs` and within the scan's deadline, and returns what was
 * received by then.
 */
export async function fetchBodies(
  page: FetchedHtml,
  { session, hostSlot }: { readonly session: Session; readonly hostSlot: HostSlot },
): Promise<BodiesFound> {
  if (!session.policy.fetchesBodies) return NO_BODIES
  const { script, style } = selectBodiesOfResponse(page.html, page.contentType, page.url.href).selected
  const deadline = new Deadline({ ms: session.policy.bodiesAfterPageMs, parent: session.signal })
  const { signal } = deadline
  const slots = new SharedSlots(hostSlot)
  const acquire = (host: string): Promise<() => void> => slots.acquire(host, signal)
  let lateBodies = 0
  const fetchOne = async (link: BodyLink): Promise<FetchedBody | null> => {
    try {
      const target = checkTarget(new URL(link.url.href), session.policy)
      return await requestFile(target, { session, acquire, signal, read: (found) => readLinked(found, link, signal) })
    } catch {
      if (signal.aborted) lateBodies++
      return null
    }
  }
  try {
    const [scripts, styles] = await Promise.all([script, style].map((links) => Promise.all(links.map(fetchOne))))
    return {
      scripts: trimBodies(scripts, BODY_BOUNDS.script.totalBytes),
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

/** Reads one body; null if the response is not a script or style sheet. */
async function readLinked(response: SiteResponse, link: BodyLink, signal: AbortSignal): Promise<FetchedBody | null> {
  if (!isFile(response) || FOREIGN_TYPE.test(findHeaders(response, 'content-type').join())) return null
  const encodings = findHeaders(response, 'content-encoding').join(',')
  const most = Math.min(MAX_BODY_BYTES, BODY_BOUNDS[link.kind].totalBytes)
  const bounds = { maxWireBytes: most, maxBodyBytes: most, signal }
  const { bytes, warnings } = await readBody(response.body, encodings, bounds)
  if (bytes.length === 0 && warnings.length > 0) return null
  return { url: link.url.href, text: bytes, ...(warnings.length > 0 && { isCut: true }) }
}

/** Drops missing bodies, and cuts the others to their total bound. */
function trimBodies(bodies: readonly (FetchedBody | null)[], totalBytes: number): PageBodyInput[] {
  let room = totalBytes
  return bodies.flatMap((body): PageBodyInput[] => {
    if (body === null || room === 0) return []
    const text = body.text.subarray(0, room)
    room -= text.length
    return [text.length < body.text.length ? { ...body, text, isCut: true } : body]
  })
}
