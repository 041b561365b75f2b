import { parseIp } from './parse-ip.ts'

/** Shorter prefixes would name a large part of all addresses. */
const SHORTEST_PREFIX = { v4: 8, v6: 16 }

/**
 * Lists the ranges that contain an address, in CIDR notation as `formatRange` writes it, from the largest one: `13.0.0.0/8` to
 * `13.32.7.9/32`, or `2600::/16` to the /64 of the address. Networks announce no parts of a /64. None for a text that is not an address.
 */
export function listRanges(address: string): readonly string[] {
  const numbers = parseIp(address)
  if (numbers === null) return []
  const shortest = numbers.length === 1 ? SHORTEST_PREFIX.v4 : SHORTEST_PREFIX.v6
  const count = numbers.length * 32 - shortest + 1
  return Array.from({ length: count }, (_, i) => formatRange(numbers, shortest + i))
}

/** Whether a text is a range that `listRanges` can list: the rest of its first address is zero, and it is written in the shortest way. */
export function isRange(text: string): boolean {
  return listRanges(text.split('/', 1)[0]).includes(text)
}

/** Formats the first `length` bits of an address, as `parseIp` returns it: `13.32.0.0/15`, `2600:9000::/28` (RFC 4632, RFC 5952). */
function formatRange(numbers: readonly number[], length: number): string {
  const masked = numbers.map((number, i) => keepBits(number, length - i * 32))
  if (masked.length === 1) return `${[24, 16, 8, 0].map((shift) => (masked[0] >>> shift) & 0xff).join('.')}/${length}`
  const groups = masked.flatMap((number) => [number >>> 16, number & 0xffff])
  while (groups.at(-1) === 0) groups.pop()
  return `${groups.map((group) => group.toString(16)).join(':')}::/${length}`
}

/** Keeps the upper `count` bits of a number of 32 bits. */
function keepBits(number: number, count: number): number {
  if (count >= 32) return number
  return count <= 0 ? 0 : (number & (-1 << (32 - count))) >>> 0
}
