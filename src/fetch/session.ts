import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Deadline } from '../async/deadline.ts'
import { raceSignal } from '../async/race-signal.ts'
import { ScanError } from '../errors.ts'
import { ACCEPT_ENCODING } from './body.ts'
import { CheckedConnector, type Dial, type Peer } from './connector.ts'
import { ScanCookies } from './cookies.ts'
import { toScanError } from './failure.ts'
import type { Policy } from './policy.ts'
import { buildRequestSigner, type RequestSigner } from './request-signer.ts'
import type { Resolver } from './resolver.ts'
import type { Target } from './target.ts'
import { type RequestProgress, WatchedAgent } from './watched-agent.ts'

/** The head of a response, and its body as a stream. */
export interface SiteResponse {
  readonly status: number
  /** The headers in the order of the response, including repeated ones; names in lower case. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Readable
}

interface SessionOptions {
  readonly policy: Policy
  readonly resolver: Resolver
  readonly dial: Dial
  /** Ends the scan before its deadline. */
  readonly signal?: AbortSignal | undefined
}

/** How long an idle connection stays open. robots.txt and the favicon are requested as soon as the page has been received. */
const IDLE_MS = 1000

/** The resources of one scan: one agent, its sockets, one deadline. `close` releases all of them. */
export class Session {
  readonly policy: Policy
  readonly resolver: Resolver
  /** Hosts to which a connection was started, even if it failed. */
  readonly contacted = new Set<string>()
  /** The cookies that pages of this scan have set. */
  readonly cookies = new ScanCookies()
  /** Called with each new connection, before a request is sent on it. */
  onPeer: (peer: Peer) => void = () => {}
  readonly #deadline: Deadline
  readonly #connector: CheckedConnector
  readonly #agent: WatchedAgent
  /** The server side of the last connection to each origin. */
  readonly #peers = new Map<string, Peer>()
  readonly #pageHosts = new Set<string>()
  readonly #unanswered = new WeakSet<object>()
  readonly #sign: RequestSigner

  constructor({ policy, resolver, dial, signal }: SessionOptions) {
    this.policy = policy
    this.resolver = resolver
    this.#sign = buildRequestSigner(policy.identity)
    const createReason = (): ScanError => new ScanError('deadline')
    this.#deadline = new Deadline({ ms: policy.deadlineMs, createReason, parent: signal })
    const onPeer = (peer: Peer): void => {
      this.#peers.set(describeOrigin(peer), peer)
      this.onPeer(peer)
    }
    const onDial = (host: string): unknown => this.contacted.add(host)
    const acceptsInvalidCertificate = (host: string): boolean => this.#pageHosts.has(host)
    const events = { onDial, onPeer, acceptsInvalidCertificate }
    this.#connector = new CheckedConnector({ policy, resolver, dial, signal: this.signal, ...events })
    this.#agent = new WatchedAgent({
      connect: this.#connector.connect,
      connections: policy.connections,
      maxHeaderSize: policy.maxHeaderBytes,
      // The session's deadline covers everything. undici's own timers would outlive it.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Idle connections to a host that the scan has left are closed, whatever its `Keep-Alive` header requests.
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      allowH2: false,
    })
    this.signal.addEventListener('abort', () => this.#connector.close(), { once: true })
  }

  /** Aborts with `deadline` when the time is up, or with the reason of the caller's signal. */
  get signal(): AbortSignal {
    return this.#deadline.signal
  }

  /** Milliseconds that the scan has left. */
  get remainingMs(): number {
    return this.#deadline.remainingMs
  }

  /**
   * Requests one resource, with the cookies that are for it.
   * @param signal ends only this request
   * @throws ScanError; the signal's reason
   */
  async get({ url }: Target, accept: string, signal = this.signal): Promise<SiteResponse> {
    const cookie = this.cookies.format(url)
    const progress: RequestProgress = { isSent: false, isAnswered: false }
    try {
      const signature = await this.#sign(url)
      await setImmediate() // A socket is free one turn after its response has ended. Earlier, undici opens a second one.
      const { statusCode, headers, body } = await raceSignal(
        this.#agent.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: 'GET',
          headers: {
            'user-agent': this.policy.userAgent,
            accept,
            'accept-language': 'en;q=0.9, *;q=0.5',
            'accept-encoding': ACCEPT_ENCODING,
            ...(cookie !== '' && { cookie }),
            ...signature,
          },
          responseHeaders: 'raw',
          opaque: progress,
          signal,
        }),
        signal,
      )
      body.on('error', () => {}) // A body may fail after its reader has stopped.
      return { status: statusCode, headers: readHeaderPairs(headers as unknown as (Buffer | string)[]), body }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const scanError = toScanError(error)
      const isReset = scanError.reason === 'connection_reset' && progress.isSent && !progress.isAnswered
      if (isReset) this.#unanswered.add(scanError)
      throw scanError
    }
  }

  /** Requests a page or a redirect to one, whether or not the certificate of its host is valid. */
  getPage(target: Target, accept: string): Promise<SiteResponse> {
    this.expectPage(target)
    return this.get(target, accept)
  }

  /** Accepts from now on that the certificate of a host is not valid: a page of it is to be read. */
  expectPage({ host }: Pick<Target, 'host'>): void {
    this.#pageHosts.add(host)
  }

  /** Finds the server side of the last connection for a target. */
  findPeer({ url, host, port }: Target): Peer | undefined {
    return this.#peers.get(describeOrigin({ protocol: url.protocol, host, port }))
  }

  /** Whether an error of `get` says that an open connection was closed before the first byte of a response. */
  isUnanswered(error: unknown): boolean {
    return error instanceof ScanError && this.#unanswered.has(error)
  }

  /** Waits for something that does not depend on the site, with the deadline paused. */
  async pauseDeadline<T>(wait: Promise<T>): Promise<T> {
    this.#deadline.pause()
    try {
      return await raceSignal(wait, this.signal)
    } finally {
      this.#deadline.resume()
    }
  }

  async close(): Promise<void> {
    this.#deadline.abort(new ScanError('internal', { cause: 'the scan has ended' }))
    await this.#agent.destroy()
  }
}

function describeOrigin({ protocol, host, port }: Pick<Peer, 'protocol' | 'host' | 'port'>): string {
  return `${protocol}//${host}:${port}`
}

function readHeaderPairs(raw: readonly (Buffer | string)[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let i = 0; i + 1 < raw.length; i += 2) pairs.push([decodeHeader(raw[i]).toLowerCase(), decodeHeader(raw[i + 1])])
  return pairs
}

/** Headers are bytes, and Latin-1 preserves each of them (RFC 9110, 5.5). */
function decodeHeader(value: Buffer | string): string {
  return typeof value === 'string' ? value : value.toString('latin1')
}
