// A second implementation of the address check, written from the IANA registries: it shares no code with src/fetch/address.ts.
// https://www.iana.org/assignments/iana-ipv4-special-registry, …/iana-ipv6-special-registry, …/ipv6-address-space

/** [first address as a number, bits of the prefix] */
type Block = readonly [bigint, number]

/** Special-purpose registry, multicast and reserved space (RFC 5771, RFC 1112), and Azure's platform service. */
const V4: readonly string[] = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 ' +
  '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32'
).split(' ')

/** Everything outside of 2000::/3, then the special-purpose blocks within it. */
const V6: readonly string[] = (
  '0::/3 4000::/3 6000::/3 8000::/3 a000::/3 c000::/3 e000::/3 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 ' +
  '3fff::/20'
).split(' ')

/** Converts a dotted quad to a number. */
export function numberOfV4(text: string): bigint {
  return text.split('.').reduce((sum, octet) => sum * 256n + BigInt(octet), 0n)
}

/** Converts an IPv6 address to a number: groups and at most one `::`, without a dotted tail. */
export function numberOfV6(text: string): bigint {
  const [left, right] = text.split('::').map((side) => side.split(':').filter(Boolean))
  const zeros = right === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...(right ?? [])].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
}

const blockOf = (text: string, read: (address: string) => bigint): Block => {
  const [address, bits] = text.split('/')
  return [read(address), Number(bits)]
}

export const BLOCKS_V4: readonly Block[] = V4.map((text) => blockOf(text, numberOfV4))
export const BLOCKS_V6: readonly Block[] = V6.map((text) => blockOf(text, numberOfV6))

export function isSpecialV4(address: bigint): boolean {
  return BLOCKS_V4.some(([first, bits]) => address >> BigInt(32 - bits) === first >> BigInt(32 - bits))
}

export function isSpecialV6(address: bigint): boolean {
  const interfaceHead = (address >> 32n) & 0xffff_ffffn // RFC 5214: 0000:5efe or 0200:5efe
  if (interfaceHead === 0x5efen || interfaceHead === 0x0200_5efen) return true
  return BLOCKS_V6.some(([first, bits]) => address >> BigInt(128 - bits) === first >> BigInt(128 - bits))
}

export function textOfV4(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join('.')
}

/** Formats all eight groups. */
export function textOfV6(address: bigint): string {
  return Array.from({ length: 8 }, (_, at) => ((address >> BigInt(112 - 16 * at)) & 0xffffn).toString(16)).join(':')
}
