import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Agent } from 'undici'
import { race } from '../async/race.ts'
import { ScanError } from '../errors.ts'
import { ACCEPT_ENCODING } from './body.ts'
import { CheckedConnector, type Dial, type Peer } from './connector.ts'
import { toScanError } from './failure.ts'
import type { Policy } from './policy.ts'
import type { Resolver } from './resolver.ts'
import type { Target } from './target.ts'

/** Head of an answer, and its body as it comes. */
export interface Answer {
  readonly status: number
  /** As the site wrote them, in order, repeated ones too; names in lower case. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Readable
}

interface SessionOptions {
  readonly policy: Policy
  readonly resolver: Resolver
  readonly dial: Dial
  /** Ends the scan before its deadline does. */
  readonly signal?: AbortSignal | undefined
}

/** How long an idle connection stays open: robots.txt and the favicon are asked for as soon as the page is there. */
const IDLE_MS = 1000

/** All that one scan opens: one agent, its sockets, one deadline. `close` leaves nothing of it. */
export class Session {
  readonly policy: Policy
  readonly resolver: Resolver
  /** Aborts with `deadline` when time is up, with the caller's reason when the caller leaves. */
  readonly signal: AbortSignal
  /** By host: what its last connection showed. */
  readonly peers = new Map<string, Peer>()
  readonly #abort = new AbortController()
  #timer: NodeJS.Timeout | undefined
  /** When time is up, as the clock of `performance` counts. */
  #endsAt: number
  readonly #connector: CheckedConnector
  readonly #agent: Agent
  readonly #caller: AbortSignal | undefined
  readonly #onCaller = (): void => this.#end(this.#caller?.reason)

  constructor({ policy, resolver, dial, signal }: SessionOptions) {
    this.policy = policy
    this.resolver = resolver
    this.signal = this.#abort.signal
    this.#endsAt = performance.now() + policy.deadlineMs
    this.#startClock()
    this.#caller = signal
    const onPeer = (peer: Peer): unknown => this.peers.set(peer.host, peer)
    this.#connector = new CheckedConnector({ policy, resolver, dial, signal: this.signal, onPeer })
    this.#agent = new Agent({
      connect: this.#connector.connect,
      connections: policy.connections,
      maxHeaderSize: policy.maxHeaderBytes,
      // One deadline stands over everything; undici's own timers would outlive it.
      headersTimeout: 0,
      bodyTimeout: 0,
      // A host that the scan has left keeps no idle connections, whatever its `Keep-Alive` header asks for.
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      allowH2: false,
    })
    signal?.addEventListener('abort', this.#onCaller, { once: true })
    if (signal?.aborted) this.#onCaller()
  }

  /**
   * Asks for one resource.
   * @param signal ends this request alone
   * @throws ScanError; the signal's reason
   */
  async get({ url }: Target, accept: string, signal = this.signal): Promise<Answer> {
    try {
      await setImmediate() // A socket is free one turn after its answer has ended; sooner, a second one is opened.
      const { statusCode, headers, body } = await race(
        this.#agent.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: 'GET',
          headers: {
            'user-agent': this.policy.userAgent,
            accept,
            'accept-language': 'en;q=0.9, *;q=0.5',
            'accept-encoding': ACCEPT_ENCODING,
          },
          responseHeaders: 'raw',
          signal,
        }),
        signal,
      )
      body.on('error', () => {}) // A body that nobody reads any more may still fail.
      return { status: statusCode, headers: pairsOf(headers as unknown as (Buffer | string)[]), body }
    } catch (error) {
      throw signal.aborted ? signal.reason : toScanError(error)
    }
  }

  /** Waits for something that is not the site's doing: the deadline stands still meanwhile. */
  async pause<T>(wait: Promise<T>): Promise<T> {
    const left = this.#endsAt - performance.now()
    clearTimeout(this.#timer)
    try {
      return await race(wait, this.signal)
    } finally {
      this.#endsAt = performance.now() + left
      if (!this.signal.aborted) this.#startClock()
    }
  }

  #startClock(): void {
    const left = Math.max(0, this.#endsAt - performance.now())
    this.#timer = setTimeout(() => this.#end(new ScanError('deadline')), left)
  }

  #end(reason: unknown): void {
    this.#abort.abort(reason)
    this.#connector.close()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#onCaller)
    if (!this.signal.aborted) this.#end(new ScanError('internal', { cause: 'the scan is over' }))
    await this.#agent.destroy()
  }
}

function pairsOf(raw: readonly (Buffer | string)[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let i = 0; i + 1 < raw.length; i += 2) pairs.push([textOf(raw[i]).toLowerCase(), textOf(raw[i + 1])])
  return pairs
}

/** Headers are bytes: Latin-1 keeps each (RFC 9110, 5.5). */
function textOf(value: Buffer | string): string {
  return typeof value === 'string' ? value : value.toString('latin1')
}
