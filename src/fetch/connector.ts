import type { Socket } from 'node:net'
import { DEFAULT_CIPHERS, TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import { raceSignal } from '../async/race-signal.ts'
import { ScanError } from '../errors.ts'
import { findBlockedReason, isAllowed, isSameAddress, parseAddress } from './address.ts'
import type { Policy } from './policy.ts'
import type { Resolver } from './resolver.ts'
import { parseTlsError, type TlsError } from './tls-error.ts'

/** The server side of an open connection. */
export interface Peer {
  readonly protocol: string
  readonly host: string
  readonly port: number
  /** The checked address to which the connection was made. */
  readonly address: string
  /** The verified certificate; null without TLS, and if there is something wrong with it. */
  readonly tls: { readonly issuer: string | null; readonly names: readonly string[] } | null
  readonly tlsError: TlsError | null
}

/** Opens a socket. Returns it while it is still connecting, so that it can be destroyed. Tests supply their own. */
export type Dial = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket | undefined

// Finite-field Diffie-Hellman is excluded; no current browser offers it. The server chooses the group, and a group of 10,000
// bits blocks the event loop for 0.7 s.
const CIPHERS = `${DEFAULT_CIPHERS}:!DHE`

/**
 * Builds undici's connector without fallback to a second address or protocol, and without TLS sessions of other scans. The certificate
 * is verified but does not end the handshake: `CheckedConnector` decides what an invalid one means, so that no second connection is needed.
 */
export function openDial(): Dial {
  return buildConnector({
    autoSelectFamily: false,
    allowH2: false,
    ciphers: CIPHERS,
    maxCachedSessions: 0,
    rejectUnauthorized: false,
    timeout: 0,
  }) as unknown as Dial
}

/** One for all sockets: Node formats the stack of each error that destroys a stream, which took a fortieth of the time of a scan. */
const ENDED = new Error('the scan has ended')

/** Maximum number of addresses per family in one DNS answer. The largest public sites have 8. */
const MAX_ADDRESSES = 16

interface ConnectorOptions {
  readonly policy: Policy
  readonly resolver: Resolver
  readonly dial: Dial
  readonly signal: AbortSignal
  /** Called with the host before a connection to a checked address is started. */
  readonly onDial?: (host: string) => void
  /** Whether a host is contacted although its certificate is invalid. */
  readonly acceptsInvalidCertificate: (host: string) => boolean
  readonly onPeer: (peer: Peer) => void
}

/**
 * Opens every outgoing connection: undici calls it for each new socket, including those to literal addresses. It resolves a
 * name once, rejects the whole answer if any address is not public, connects to a checked address and verifies the peer. It rejects an
 * invalid certificate unless the host is one whose page is scanned: no request of a scan contains a secret.
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

  /**
   * Destroys all sockets, including those that are still connecting. The error is necessary: when a socket closes without one,
   * undici (7.30) completes a response without a length, and an assertion fails if its request has been aborted meanwhile.
   */
  close(): void {
    for (const socket of this.#sockets) socket.destroy(ENDED)
  }

  async #open(options: buildConnector.Options): Promise<Socket> {
    const { signal, onDial, acceptsInvalidCertificate, onPeer } = this.#options
    const host = options.hostname.replace(/^\[|\]$/g, '')
    const { protocol } = options
    const port = Number(options.port) || getDefaultPort(protocol)
    const address = await this.#findCheckedAddress(host, port)
    signal.throwIfAborted()
    onDial?.(host)
    const servername = parseAddress(host) === null ? host : undefined
    // A socket that is destroyed while it connects never calls back, so the signal is raced against it.
    const socket = await raceSignal(
      this.#dial({ ...options, hostname: address, ...(servername && { servername }) }),
      signal,
    )
    if (!isSameAddress(socket.remoteAddress ?? '', address)) {
      socket.destroy()
      throw new ScanError('address_refused', { cause: `connected to ${socket.remoteAddress} instead of ${address}` })
    }
    const tlsError = findTlsError(socket)
    if (tlsError !== null && !acceptsInvalidCertificate(host)) {
      socket.destroy()
      throw new ScanError('tls_invalid', { cause: `${host}: ${tlsError}` })
    }
    onPeer({ protocol, host, port, address, tls: tlsError === null ? readCertificate(socket) : null, tlsError })
    return socket
  }

  #dial(options: buildConnector.Options): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const opening = this.#options.dial(options, (error, opened) => {
        if (!opened) return reject(error) // undici omits the socket on failure.
        this.#track(opened)
        resolve(opened)
      })
      if (opening) this.#track(opening)
    })
  }

  async #findCheckedAddress(host: string, port: number): Promise<string> {
    const { policy, resolver, signal } = this.#options
    if (parseAddress(host) !== null) {
      const reason = isAllowed(policy.allow, host, port) ? null : findBlockedReason(host)
      if (reason !== null) throw new ScanError('address_refused', { cause: `${host}: ${reason}` })
      return host
    }
    const addresses = await raceSignal(resolver.addresses(host, signal), signal)
    if (addresses.length === 0) throw new ScanError('name_not_found')
    const ipv6Count = addresses.filter((address) => address.includes(':')).length
    if (Math.max(ipv6Count, addresses.length - ipv6Count) > MAX_ADDRESSES)
      throw new ScanError('address_refused', { cause: `${host} has ${addresses.length} addresses` })
    for (const address of addresses) {
      const reason = findBlockedReason(address)
      if (reason !== null)
        throw new ScanError('address_refused', { cause: `${host} has the address ${address}: ${reason}` })
    }
    return addresses[0]
  }

  #track(socket: Socket): void {
    if (this.#sockets.has(socket)) return
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.on('error', () => {}) // Requests report the error; without a request nothing else listens.
    if (this.#options.signal.aborted) socket.destroy()
  }
}

function getDefaultPort(protocol: string): number {
  return protocol === 'https:' ? 443 : 80
}

/** Finds what is wrong with the certificate of an open connection. Returns null for a verified one, and for a connection without TLS. */
function findTlsError(socket: Socket): TlsError | null {
  if (!(socket instanceof TLSSocket) || socket.authorized) return null
  // Contrary to its type, it is the code of the error (Node 20 and 22, onConnectSecure in lib/_tls_wrap.js).
  return parseTlsError(String(socket.authorizationError))
}

/** Reads the issuer and the names of a server's certificate. */
function readCertificate(socket: Socket): Peer['tls'] {
  if (!(socket instanceof TLSSocket)) return null
  const { issuer, subjectaltname = '' } = socket.getPeerCertificate()
  const names = Array.from(subjectaltname.matchAll(/DNS:([^,\s]+)/g), ([, name]) => name.toLowerCase())
  return { issuer: [issuer?.O ?? issuer?.CN].flat()[0] ?? null, names }
}
