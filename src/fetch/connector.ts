import type { Socket } from 'node:net'
import { DEFAULT_CIPHERS, TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import { race } from '../async/race.ts'
import { ScanError } from '../errors.ts'
import { isAllowed, isSameAddress, parseAddress, refusalOf } from './address.ts'
import type { Policy } from './policy.ts'
import type { Resolver } from './resolver.ts'

/** What a connection showed of the other side. */
export interface Peer {
  readonly host: string
  /** The address that was checked and connected to. */
  readonly address: string
  readonly tls: { readonly issuer: string | null; readonly names: readonly string[] } | null
}

/** Opens sockets: undici's own, or a test's. Returns the socket while it still connects, so that it can be ended. */
export type Dial = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket | undefined

// Without finite-field Diffie-Hellman, which no browser offers any more: the server chooses the group, and one of 10,000 bits
// keeps the thread busy for 0.7 s.
const CIPHERS = `${DEFAULT_CIPHERS}:!DHE`

/** Neither a second address nor a second protocol is tried behind our back; sessions of other scans are not taken up. */
export function openDial(): Dial {
  return buildConnector({
    autoSelectFamily: false,
    allowH2: false,
    ciphers: CIPHERS,
    maxCachedSessions: 0,
    timeout: 0,
  }) as unknown as Dial
}

/** Addresses of one DNS answer; the largest public sites have 8. */
const MAX_ADDRESSES = 16

interface ConnectorOptions {
  readonly policy: Policy
  readonly resolver: Resolver
  readonly dial: Dial
  readonly signal: AbortSignal
  readonly onPeer: (peer: Peer) => void
}

/**
 * The only way out: undici calls it for every new socket, literal addresses included. A name is resolved once, its whole
 * answer is refused if any address of it is not public, a checked address is connected to, and the peer compared.
 */
export class CheckedConnector {
  readonly #options: ConnectorOptions
  readonly #sockets = new Set<Socket>()

  constructor(options: ConnectorOptions) {
    this.#options = options
  }

  readonly connect = (options: buildConnector.Options, callback: buildConnector.Callback): void => {
    this.#open(options).then(
      (socket) => callback(null, socket),
      (error) => callback(error, null),
    )
  }

  /** Ends every socket, those too that still connect. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async #open(options: buildConnector.Options): Promise<Socket> {
    const { signal, onPeer } = this.#options
    const host = options.hostname.replace(/^\[|\]$/g, '')
    const address = await this.#checkedAddress(host, Number(options.port) || defaultPort(options.protocol))
    signal.throwIfAborted()
    const servername = parseAddress(host) === null ? host : undefined
    // A socket that is destroyed while it connects never calls back: the signal is heard beside it.
    const socket = await race(this.#dial({ ...options, hostname: address, ...(servername && { servername }) }), signal)
    if (!isSameAddress(socket.remoteAddress ?? '', address)) {
      socket.destroy()
      throw new ScanError('address_refused', { cause: `connected to ${socket.remoteAddress}, not to ${address}` })
    }
    onPeer({ host, address, tls: certificateOf(socket) })
    return socket
  }

  #dial(options: buildConnector.Options): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const opening = this.#options.dial(options, (error, opened) => {
        if (!opened) return reject(error) // undici leaves it out when it fails.
        this.#track(opened)
        resolve(opened)
      })
      if (opening) this.#track(opening)
    })
  }

  async #checkedAddress(host: string, port: number): Promise<string> {
    const { policy, resolver, signal } = this.#options
    if (parseAddress(host) !== null) {
      const why = isAllowed(policy.allow, host, port) ? null : refusalOf(host)
      if (why !== null) throw new ScanError('address_refused', { cause: `${host}: ${why}` })
      return host
    }
    const addresses = await race(resolver.addresses(host, signal), signal)
    if (addresses.length === 0) throw new ScanError('name_not_found')
    const ofIpv6 = addresses.filter((address) => address.includes(':')).length
    if (Math.max(ofIpv6, addresses.length - ofIpv6) > MAX_ADDRESSES)
      throw new ScanError('address_refused', { cause: `${host} has ${addresses.length} addresses` })
    for (const address of addresses) {
      const why = refusalOf(address)
      if (why !== null) throw new ScanError('address_refused', { cause: `${host} is ${address}: ${why}` })
    }
    return addresses[0]
  }

  #track(socket: Socket): void {
    if (this.#sockets.has(socket)) return
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    if (this.#options.signal.aborted) socket.destroy()
  }
}

function defaultPort(protocol: string): number {
  return protocol === 'https:' ? 443 : 80
}

/** Issuer and names of a server's certificate. */
function certificateOf(socket: Socket): Peer['tls'] {
  if (!(socket instanceof TLSSocket)) return null
  const { issuer, subjectaltname = '' } = socket.getPeerCertificate()
  const names = Array.from(subjectaltname.matchAll(/DNS:([^,\s]+)/g), ([, name]) => name.toLowerCase())
  return { issuer: [issuer?.O ?? issuer?.CN].flat()[0] ?? null, names }
}
