import { isIP, isIPv4, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/**
 * Finds the client's address: the one that trusted proxies report, if it is valid (some proxies append a port),
 * otherwise the address of the connection.
 */
export function findClientAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  if (isIP(ip) !== 0) return ip
  const bare = ip.replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2')
  return isIP(bare) !== 0 ? bare : (socket.remoteAddress ?? '')
}

/**
 * Normalizes a client address for counting. An IPv4 address, even one mapped to IPv6, counts individually. IPv6
 * addresses count by their /64, the block that one household or server has. Any other string counts by its first 64
 * characters.
 */
export function normalizeClient(address: string): string {
  if (isIPv4(address)) return address
  const text = address.replace(/%.*$/s, '')
  if (!ipaddr.isValid(text)) return `?${text.slice(0, 64)}`
  const parsed = ipaddr.process(text)
  if (!isIPv6(parsed.toString())) return parsed.toString()
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 4)
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`
}
