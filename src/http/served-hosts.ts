import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { isLoopbackAddress, isSameAddress, normalizeHost, parseAddress } from '../fetch/address.ts'
import { DIRECTORY_PATH } from '../fetch/bot-identity.ts'
import { SECRET_PREFIX } from '../keys/key.ts'
import { getRequestState } from '../service/request-state.ts'
import { HEALTH_ROUTE } from './health.ts'

/** The settings that decide which hosts are served. */
export interface HostSettings {
  /** The address or name that the server listens on. */
  readonly host: string
  /** Null if `PUBLIC_URL` is not set. */
  readonly publicUrl: string | null
  /** Names and addresses that are served in addition, in the form of `normalizeHost`. */
  readonly allowedHosts: readonly string[]
}

/** The part of a request that names its host. */
export type HostedRequest = Pick<FastifyRequest, 'originalUrl' | 'raw'>

/** Addresses that stand for all addresses of the machine. */
const ALL_ADDRESSES = ['0.0.0.0', '::']
/** Maximum length of a DNS name. */
const MAX_NAME_LENGTH = 253

/**
 * Builds a check of the host that a request names. A page can make its own name resolve to the address of this server (DNS
 * rebinding) and would then share its origin with the service, but its requests still name the host of the page. The header
 * X-Forwarded-Host is not read, because any client can send it.
 * @returns a function that returns the name if the host is not served, otherwise null; an empty text for no name
 */
export function buildHostFilter(settings: HostSettings): (request: HostedRequest) => string | null {
  const { host, publicUrl, allowedHosts } = settings
  const isPublic = publicUrl !== null
  const main = isPublic ? [normalizeHost(new URL(publicUrl).hostname)] : ['localhost', normalizeHost(host)]
  const names = new Set([...main, ...allowedHosts])
  const listensOnAll = ALL_ADDRESSES.includes(host)
  return (request) => {
    for (const written of listHosts(request)) {
      const bare = removePort(written)
      if (names.has(bare)) continue // The usual spelling needs no parsing.
      const name = normalizeHost(bare)
      if (name !== null && names.has(name)) continue
      const { localAddress } = request.raw.socket
      if (name !== null && !isPublic && isOwnAddress(name, { localAddress, listensOnAll })) continue
      return name ?? ''
    }
    return null
  }
}

/**
 * Builds a check that rejects requests to hosts that are not served, except health checks, whose clients know the address only, and
 * the directory of keys, which is public, always the same, and may be published under a name of its own.
 * @returns a function that returns the error; null if the host is served
 */
export function buildHostCheck(settings: HostSettings): (request: FastifyRequest) => ApiError | null {
  const findUnserved = buildHostFilter(settings)
  return (request) => {
    const { url: route = '' } = request.routeOptions
    if (HEALTH_ROUTE.test(route) || route === DIRECTORY_PATH) return null
    const name = findUnserved(request)
    if (name === null) return null
    if (!name.includes(SECRET_PREFIX)) getRequestState(request).unservedHost = name.slice(0, MAX_NAME_LENGTH)
    return new ApiError('misdirected_request')
  }
}

/** The hosts that a request names: that of its header and, in absolute form (RFC 9112, section 3.2.2), that of its target. */
function listHosts({ originalUrl, raw }: HostedRequest): readonly string[] {
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(originalUrl) ?? []
  const header = raw.headers.host ?? ''
  return authority === undefined ? [header] : [header, authority]
}

function removePort(host: string): string {
  return host.replace(/:\d*$/, '')
}

interface Listener {
  /** The address at which the connection arrived; absent if there is no connection. */
  readonly localAddress: string | undefined
  readonly listensOnAll: boolean
}

/**
 * Whether a name is a literal address that the server listens on. A container that listens on all of its addresses also gets
 * requests for the loopback address of the machine that publishes its port.
 */
function isOwnAddress(name: string, { localAddress, listensOnAll }: Listener): boolean {
  const address = parseAddress(name)
  if (address === null) return false
  if (listensOnAll && isLoopbackAddress(name)) return true
  return localAddress !== undefined && isSameAddress(name, localAddress.split('%', 1)[0])
}
