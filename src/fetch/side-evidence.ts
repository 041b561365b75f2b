import { readBody } from './body.ts'
import { lookUpDns } from './dns.ts'
import { faviconHash } from './favicon.ts'
import type { Visit } from './host-limiter.ts'
import { followLocation, headersOf } from './redirect.ts'
import type { Answer, Session } from './session.ts'
import { checkTarget, type Target } from './target.ts'

/** What can be looked at beside the page. */
export const EVIDENCE = ['dns', 'tls', 'robots', 'favicon'] as const
export type EvidenceKind = (typeof EVIDENCE)[number]

/** null: not looked at, or not answered in time. */
export interface BesidePage {
  dns: Readonly<Record<string, readonly string[]>> | null
  robots: string | null
  favicon: number | null
}

interface BesideOptions {
  readonly session: Session
  readonly visit: Visit
  readonly kinds: readonly EvidenceKind[]
  /** DNS records that rules ask for. */
  readonly wantedDns: readonly string[]
}

const MAX_ROBOTS_BYTES = 64 * 1024
const MAX_FAVICON_BYTES = 256 * 1024

/** Looks beside the page while it comes. None of it can fail the scan, and all of it ends when its time is up. */
export class Beside {
  readonly #options: BesideOptions
  #abort = new AbortController()
  #host = ''
  #origin = ''
  #found: BesidePage = { dns: null, robots: null, favicon: null }
  #tasks: Promise<unknown>[] = []

  constructor(options: BesideOptions) {
    this.#options = options
  }

  /** Ends all requests for another host than this one: the scan gives up its place there. */
  leaveFor(host: string): void {
    if (host === this.#host) return
    this.#restart()
    this.#host = ''
    this.#origin = ''
  }

  /** Asks for the records of a host; what is asked of another is dropped. */
  lookUp({ host, isLiteral }: Target): void {
    if (host === this.#host) return
    this.leaveFor(host)
    this.#host = host
    const { kinds, session, wantedDns } = this.#options
    if (isLiteral || !kinds.includes('dns')) return
    const found = this.#found
    this.#start(async (signal) => {
      found.dns = await lookUpDns(host, { wanted: wantedDns, resolver: session.resolver, signal })
    })
  }

  /** Asks the origin that has answered for its robots.txt and favicon. */
  ask(target: Target): void {
    this.lookUp(target)
    const { origin } = target.url
    if (origin === this.#origin) return
    this.#origin = origin
    const found = this.#found
    found.robots = found.favicon = null
    const { kinds } = this.#options
    if (kinds.includes('robots'))
      this.#start(async (signal) => {
        const robots = robotsOf(await this.#read(target, '/robots.txt', { maxBytes: MAX_ROBOTS_BYTES, signal }))
        if (this.#origin === origin) found.robots = robots
      })
    if (kinds.includes('favicon'))
      this.#start(async (signal) => {
        const favicon = faviconOf(await this.#read(target, '/favicon.ico', { maxBytes: MAX_FAVICON_BYTES, signal }))
        if (this.#origin === origin) found.favicon = favicon
      })
  }

  /** What was found: at once when all is there, else when the time after the body is up. */
  async finish(): Promise<BesidePage> {
    const { policy, signal } = this.#options.session
    const end = (): void => this.#abort.abort()
    const timer = setTimeout(end, policy.evidenceAfterBodyMs)
    signal.addEventListener('abort', end, { once: true }) // The deadline ends the looking, not the scan: the page is there.
    if (signal.aborted) end()
    await Promise.all(this.#tasks)
    signal.removeEventListener('abort', end)
    clearTimeout(timer)
    return this.#found
  }

  close(): void {
    this.#abort.abort()
  }

  /** Each look has its own time, and none can fail: a scan that ends early hears nobody. */
  #start(look: (signal: AbortSignal) => Promise<void>): void {
    const abort = new AbortController()
    const end = (): void => abort.abort()
    const { signal } = this.#abort
    const timer = setTimeout(end, this.#options.session.policy.evidenceMs)
    signal.addEventListener('abort', end, { once: true })
    const looked = look(abort.signal)
      .catch(() => {})
      .finally(() => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
      })
    this.#tasks.push(looked)
  }

  #restart(): void {
    this.close()
    this.#abort = new AbortController()
    this.#found = { dns: null, robots: null, favicon: null }
    this.#tasks = []
  }

  /** A file of the origin, redirects followed; null when there is none. */
  async #read(from: Target, path: string, { maxBytes, signal }: ReadOptions): Promise<File | null> {
    const { session } = this.#options
    let target: Target = checkTarget(new URL(path, from.url), session.policy)
    for (let hop = 0; hop <= session.policy.maxRedirects; hop++) {
      const { next, file } = await this.#request(target, { maxBytes, signal })
      if (next === null) return file
      target = next
    }
    return null
  }

  /** One request, while it holds a place at its host: where it is redirected to, or the file. */
  async #request(target: Target, options: ReadOptions): Promise<{ next: Target | null; file: File | null }> {
    const { session, visit } = this.#options
    const leave = await visit.aside(target.host, options.signal)
    try {
      const answer = await session.get(target, '*/*', options.signal)
      try {
        const next = followLocation(answer, target, session.policy)
        return { next, file: next === null && isFile(answer) ? await this.#file(answer, options) : null }
      } finally {
        answer.body.destroy()
      }
    } finally {
      leave()
    }
  }

  async #file(answer: Answer, { maxBytes, signal }: ReadOptions): Promise<File> {
    const encodings = headersOf(answer, 'content-encoding').join(',')
    const bounds = { maxWireBytes: maxBytes, maxBodyBytes: maxBytes, signal }
    const { bytes, warnings } = await readBody(answer.body, encodings, bounds)
    return { bytes, isWhole: warnings.length === 0 }
  }
}

interface ReadOptions {
  readonly maxBytes: number
  readonly signal: AbortSignal
}

interface File {
  readonly bytes: Uint8Array
  readonly isWhole: boolean
}

/** A page instead of the file means that there is none. */
function isFile(answer: Answer): boolean {
  return answer.status === 200 && !/html/i.test(headersOf(answer, 'content-type').join())
}

function robotsOf(file: File | null): string {
  return file === null ? '' : Buffer.from(file.bytes).toString('utf8')
}

/** The hash of a part would be another icon's. */
function faviconOf(file: File | null): number | null {
  return file === null || !file.isWhole || file.bytes.length === 0 ? null : faviconHash(file.bytes)
}
