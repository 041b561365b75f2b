import { Deadline } from '../async/deadline.ts'
import { raceSignal } from '../async/race-signal.ts'
import { readBody } from './body.ts'
import { lookUpDns, lookUpName } from './dns.ts'
import type { EvidenceKind } from './evidence-kinds.ts'
import { hashFavicon } from './favicon.ts'
import type { HostSlot } from './host-limiter.ts'
import { isFile, requestFile } from './linked-file.ts'
import { findHeaders } from './redirect.ts'
import type { Session, SiteResponse } from './session.ts'
import { checkTarget, type Target } from './target.ts'

/** null: not requested, or not received in time. */
export interface EvidenceFound {
  dns: Readonly<Record<string, readonly string[]>> | null
  robots: string | null
  favicon: number | null
  /** Whether the favicon was received, or the site has none. */
  isFaviconSeen: boolean
}

const NOTHING: Readonly<EvidenceFound> = { dns: null, robots: null, favicon: null, isFaviconSeen: false }

interface SideEvidenceOptions {
  readonly session: Session
  readonly hostSlot: HostSlot
  readonly kinds: readonly EvidenceKind[]
  /** DNS records that rules read. */
  readonly wantedDns: readonly string[]
}

const MAX_ROBOTS_BYTES = 64 * 1024
const MAX_FAVICON_BYTES = 256 * 1024

/** Collects side evidence while the page is being received. It cannot fail the scan, and each request has a time limit. */
export class SideEvidence {
  readonly #options: SideEvidenceOptions
  #abort = new AbortController()
  #host = ''
  #origin = ''
  /** The address whose name is looked up. */
  #named = ''
  #found: EvidenceFound = { ...NOTHING }
  #tasks: Promise<unknown>[] = []

  constructor(options: SideEvidenceOptions) {
    this.#options = options
    // The name of the address is looked up while the server makes its response.
    options.session.onPeer = ({ host, address }) => {
      if (host === this.#host && this.#named === '') this.#startReverse(address)
    }
  }

  /** Aborts all requests that belong to a host other than this one, because the scan releases its slot there. */
  leaveOtherHosts(host: string): void {
    if (host === this.#host) return
    this.#restart()
    this.#host = ''
    this.#origin = ''
  }

  /** Starts the DNS lookups for a host, and discards the evidence of any other host. */
  startDns({ host, isLiteral }: Target): void {
    if (host === this.#host) return
    this.leaveOtherHosts(host)
    this.#host = host
    const { kinds, session, wantedDns } = this.#options
    if (isLiteral || !kinds.includes('dns')) return
    const found = this.#found
    this.#start(async (signal) => {
      const records = await lookUpDns(host, { wanted: wantedDns, resolver: session.resolver, signal })
      found.dns = { ...records, ...found.dns }
    })
  }

  /** Requests robots.txt and the favicon of an origin that has responded. */
  startFiles(target: Target): void {
    this.startDns(target)
    const { origin } = target.url
    if (origin === this.#origin) return
    this.#origin = origin
    const found = this.#found
    Object.assign(found, { ...NOTHING, dns: found.dns })
    const { kinds, session } = this.#options
    const peer = session.findPeer(target)
    if (peer !== undefined) this.#startReverse(peer.address)
    if (kinds.includes('robots'))
      this.#start(async (signal) => {
        const robots = decodeRobots(await this.#readFile(target, '/robots.txt', { maxBytes: MAX_ROBOTS_BYTES, signal }))
        if (this.#origin === origin) found.robots = robots
      })
    if (kinds.includes('favicon'))
      this.#start(async (signal) => {
        const file = await this.#readFile(target, '/favicon.ico', { maxBytes: MAX_FAVICON_BYTES, signal })
        if (this.#origin === origin) Object.assign(found, { favicon: hashWholeFile(file), isFaviconSeen: true })
      })
  }

  /** Looks up the name of the address that answered, once for a host. */
  #startReverse(address: string): void {
    const { kinds, session, wantedDns } = this.#options
    if (address === this.#named || !kinds.includes('dns') || !wantedDns.includes('ptr')) return
    this.#named = address
    const found = this.#found
    this.#start(async (signal) => {
      const names = await lookUpName(address, { resolver: session.resolver, signal })
      found.dns = { ...found.dns, ptr: names }
    })
  }

  /** Waits for the requests, but not longer than the time allowed after the body, and returns what was received. */
  async finish(): Promise<EvidenceFound> {
    const { policy, signal } = this.#options.session
    // The scan's deadline ends the collection only: the page has already been received.
    const deadline = new Deadline({ ms: policy.evidenceAfterBodyMs, parent: signal })
    const done = Promise.all(this.#tasks)
    await raceSignal(done, deadline.signal).catch(() => this.#abort.abort())
    await done
    deadline.clear()
    return this.#found
  }

  close(): void {
    this.#abort.abort()
  }

  /** Gives each task its own time limit, and ignores its failure. */
  #start(task: (signal: AbortSignal) => Promise<void>): void {
    const deadline = new Deadline({ ms: this.#options.session.policy.evidenceMs, parent: this.#abort.signal })
    const ended = task(deadline.signal)
      .catch(() => {})
      .finally(() => deadline.clear())
    this.#tasks.push(ended)
  }

  #restart(): void {
    if (this.#tasks.length === 0) return
    this.close()
    this.#abort = new AbortController()
    this.#found = { ...NOTHING }
    this.#named = ''
    this.#tasks = []
  }

  /** Reads a file of an origin and follows redirects. Returns null when the file does not exist. */
  async #readFile(from: Target, path: string, options: ReadOptions): Promise<EvidenceFile | null> {
    const { session, hostSlot } = this.#options
    const read = async (response: SiteResponse): Promise<EvidenceFile | null> =>
      isFile(response) ? await readEvidenceFile(response, options) : null
    const target = checkTarget(new URL(path, from.url), session.policy)
    const acquire = (host: string, signal: AbortSignal) => hostSlot.acquireForEvidence(host, signal)
    return await requestFile(target, { session, acquire, signal: options.signal, read })
  }
}

interface ReadOptions {
  readonly maxBytes: number
  readonly signal: AbortSignal
}

interface EvidenceFile {
  readonly bytes: Uint8Array
  readonly isWhole: boolean
}

async function readEvidenceFile(response: SiteResponse, { maxBytes, signal }: ReadOptions): Promise<EvidenceFile> {
  const encodings = findHeaders(response, 'content-encoding').join(',')
  const bounds = { maxWireBytes: maxBytes, maxBodyBytes: maxBytes, signal }
  const { bytes, warnings } = await readBody(response.body, encodings, bounds)
  return { bytes, isWhole: warnings.length === 0 }
}

function decodeRobots(file: EvidenceFile | null): string {
  return file === null ? '' : Buffer.from(file.bytes).toString('utf8')
}

/** Hashes only complete files: the hash of a part could be that of another icon. */
function hashWholeFile(file: EvidenceFile | null): number | null {
  return file === null || !file.isWhole || file.bytes.length === 0 ? null : hashFavicon(file.bytes)
}
