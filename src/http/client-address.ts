import { isIP, isIPv4, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/** The caller's address: what trusted proxies say (some add a port) if it is one, else where the connection comes from. */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  if (isIP(ip) !== 0) return ip
  const bare = ip.replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2')
  return isIP(bare) !== 0 ? bare : (socket.remoteAddress ?? '')
}

/**
 * What an address is counted as: IPv4 as it is, also where it comes as IPv6; IPv6 by its /64, which one household or
 * server has for itself. A text that is no address counts as what it is, cut.
 */
export function clientOf(address: string): string {
  if (isIPv4(address)) return address
  const text = address.replace(/%.*$/s, '')
  if (!ipaddr.isValid(text)) return `?${text.slice(0, 64)}`
  const parsed = ipaddr.process(text)
  if (!isIPv6(parsed.toString())) return parsed.toString()
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 4)
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`
}
