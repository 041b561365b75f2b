import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * What an address is counted as: IPv4 as it is, also where it comes as IPv6; IPv6 by its /64, which one household or
 * server has for itself. A text that is no address (a proxy may send any) counts as what it is, cut.
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
