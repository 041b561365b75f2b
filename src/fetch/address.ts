import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'

/** A literal address or block of addresses that an operator has allowed, on one port or on all. */
export interface AllowedAddress {
  readonly block: readonly [IPv4 | IPv6, number]
  readonly port?: number
}

// IPv4 blocks that are not global unicast: the whole IANA special-purpose registry (RFC 6890 and its updates), multicast,
// reserved space, and one public address that responds only inside a cloud.
const SPECIAL_V4: readonly (readonly [block: string, reason: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private use'],
  ['100.64.0.0/10', 'shared address space'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link local'],
  ['172.16.0.0/12', 'private use'],
  ['192.0.0.0/24', 'IETF protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relay anycast'],
  ['192.168.0.0/16', 'private use'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['168.63.129.16/32', 'Azure platform service'],
]

// IANA assigns only 2000::/3 of IPv6 as global unicast. These blocks of it are special-purpose.
const GLOBAL_V6 = '2000::/3'
const SPECIAL_V6: readonly (readonly [block: string, reason: string])[] = [
  ['2001::/23', 'IETF protocol assignments, Teredo'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3fff::/20', 'documentation'],
]

const BLOCKED_V4 = SPECIAL_V4.map(([block, reason]) => [ipaddr.IPv4.parseCIDR(block), reason] as const)
const BLOCKED_V6 = SPECIAL_V6.map(([block, reason]) => [ipaddr.IPv6.parseCIDR(block), reason] as const)
const GLOBAL = ipaddr.IPv6.parseCIDR(GLOBAL_V6)

/**
 * Finds why an address must not be contacted. Returns null when it is global unicast.
 * @param address in the spelling of a resolver or a URL: `1.2.3.4`, `2606:4700::1`, `[2606:4700::1]`
 */
export function findBlockedReason(address: string): string | null {
  const parsed = parseAddress(address)
  if (parsed === null) return 'not an address'
  if (parsed instanceof ipaddr.IPv4) return BLOCKED_V4.find(([block]) => parsed.match(block))?.[1] ?? null
  if (!parsed.match(GLOBAL)) return 'outside global unicast'
  if (isIsatap(parsed)) return 'ISATAP, which contains an IPv4 address'
  return BLOCKED_V6.find(([block]) => parsed.match(block))?.[1] ?? null
}

/** An ISATAP interface ID consists of `[0200:]5efe:` and an IPv4 address (RFC 5214). */
function isIsatap({ parts }: IPv6): boolean {
  return (parts[4] & ~0x200) === 0 && parts[5] === 0x5efe
}

/** Parses a plain literal address. Returns null for anything else: an address with a zone, a short form, a number. */
export function parseAddress(address: string): IPv4 | IPv6 | null {
  const text = address.startsWith('[') && address.endsWith(']') ? address.slice(1, -1) : address
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null
}

/** Whether two literals denote the same address, whatever their spelling. */
export function isSameAddress(a: string, b: string): boolean {
  const [one, other] = [parseAddress(a), parseAddress(b)]
  return one !== null && other !== null && formatPlain(one) === formatPlain(other)
}

/** Whether a literal denotes the machine itself, such as `127.0.0.1`, `::1` and `::ffff:127.0.0.1`. */
export function isLoopbackAddress(address: string): boolean {
  const parsed = parseAddress(address)
  return parsed !== null && ipaddr.process(parsed.toString()).range() === 'loopback'
}

/** Unmaps IPv4: a dual-stack socket reports an IPv4 peer as `::ffff:1.2.3.4`. */
function formatPlain(address: IPv4 | IPv6): string {
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
  return (isMapped ? address.toIPv4Address() : address).toNormalizedString()
}

/**
 * Parses one entry of `SCAN_ALLOW`: `address[/bits][:port]`, with IPv6 in brackets.
 * @returns null when the text is not such an entry
 */
export function parseAllowed(text: string): AllowedAddress | null {
  const [, v6, v4, bits, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?:\/(\d{1,3}))?(?::(\d{1,5}))?$/.exec(text) ?? []
  const address = parseAddress(v6 ?? v4 ?? '')
  if (address === null || (v6 !== undefined) !== address instanceof ipaddr.IPv6) return null
  const maxBits = address instanceof ipaddr.IPv4 ? 32 : 128
  const length = bits === undefined ? maxBits : Number(bits)
  if (length > maxBits || (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))) return null
  return { block: [address, length], ...(port !== undefined && { port: Number(port) }) }
}

/** Formats an entry of `SCAN_ALLOW` so that `parseAllowed` can read it. */
export function formatAllowed({ block: [address, bits], port }: AllowedAddress): string {
  const text = address instanceof ipaddr.IPv6 ? `[${address}]` : `${address}`
  return `${text}/${bits}${port === undefined ? '' : `:${port}`}`
}

/** Whether an operator has allowed a literal address on a port. */
export function isAllowed(allow: readonly AllowedAddress[], address: string, port: number): boolean {
  const parsed = parseAddress(address)
  return allow.some(
    ({ block, port: only }) =>
      parsed?.kind() === block[0].kind() &&
      parsed.match(block as [IPv4 & IPv6, number]) &&
      (only === undefined || only === port),
  )
}

/**
 * Converts a host to the form that `Target` uses: lower case, punycode, addresses in canonical spelling, without brackets
 * and without a trailing dot.
 * @returns null when the text is not a host
 */
export function normalizeHost(text: string): string | null {
  const host = text.replace(/^\[(.+)\]$/, '$1')
  const written = parseAddress(host)?.kind() === 'ipv6' ? `[${host}]` : host
  if (!/^(?:\[[\da-f:.]+\]|[^\s/?#@\\:*[\]]+)$/i.test(written) || !URL.canParse(`http://${written}`)) return null
  return new URL(`http://${written}`).hostname.replace(/^\[|\]$|\.$/g, '')
}
