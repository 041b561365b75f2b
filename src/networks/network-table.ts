import { crc32 } from 'node:zlib'
import { parseIp } from '../engine/text/parse-ip.ts'
import { Sections } from '../engine/text/sections.ts'
import { type FileKind, openSections, writeSections } from '../engine/text/sections-file.ts'

/** An autonomous system: a network with one operator. */
export interface Network {
  readonly asn: number
  /** The operator as it is registered: `Hetzner Online GmbH`. */
  readonly name: string
}

/** Finds the network of an address. */
export interface Networks {
  /** @returns null if the network is not known, or the text is not an address */
  find(address: string): Network | null
}

/** Consecutive addresses of one network, both ends included. */
export interface NetworkRange {
  readonly from: string
  readonly to: string
  readonly asn: number
}

/** What a table was made from. */
export interface TableOrigin {
  /** Name and version of the data. */
  readonly source: string
  /** The day of the data: 2026-06-17. */
  readonly date: string
}

type NetworksHead = TableOrigin & { readonly networks: readonly (readonly [asn: number, name: string])[] }

/**
 * `SPNT`. The checksum is the native one of zlib: a command opens the table once, and a loop over 130,000 numbers that is not
 * compiled yet takes 10 ms, which is five times as long as all else.
 */
const KIND: FileKind = {
  magic: 0x544e5053,
  name: 'a table of networks',
  format: 2,
  computeChecksum: (numbers) => crc32(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)),
}

/**
 * The ranges of the networks that rules name, as they lie in a file. Ranges of IPv4 have one number of 32 bits, ranges of IPv6 two, as
 * networks announce no parts of a /64.
 */
export class NetworkTable implements Networks {
  readonly origin: TableOrigin
  readonly networks: readonly Network[]
  readonly #four: Ranges
  readonly #six: Ranges
  #known: ReadonlySet<number> | undefined

  /** @throws SectionsFileError if the bytes are not a table, cut, changed, or of another format */
  constructor(buffer: ArrayBufferLike) {
    const { head, sections } = openSections<NetworksHead>(KIND, buffer)
    this.origin = { source: head.source, date: head.date }
    this.networks = head.networks.map(([asn, name]) => ({ asn, name }))
    this.#four = readRanges(sections.at('four'), 1)
    this.#six = readRanges(sections.at('six'), 2)
  }

  find(address: string): Network | null {
    const words = parseIp(address)
    if (words === null) return null
    const ranges = words.length === 1 ? this.#four : this.#six
    const at = findRange(ranges, words)
    return at === -1 ? null : this.networks[ranges.owners[at]]
  }

  /** Whether the table has a network. */
  has(asn: number): boolean {
    this.#known ??= new Set(this.networks.map((one) => one.asn))
    return this.#known.has(asn)
  }

  /** Finds the first address of a network; null if the table does not have it. */
  findAddress(asn: number): string | null {
    const owner = this.networks.findIndex((one) => one.asn === asn)
    if (owner === -1) return null
    const four = this.#four.owners.indexOf(owner)
    if (four !== -1) {
      const word = this.#four.from[four]
      return [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255].join('.')
    }
    const six = this.#six.owners.indexOf(owner)
    if (six === -1) return null
    const [high, low] = this.#six.from.subarray(six * 2)
    const groups = [high >>> 16, high & 0xffff, low >>> 16, low & 0xffff].map((group) => group.toString(16))
    return `${groups.join(':')}::`
  }

  /** Number of ranges of each network, by its number. */
  countRanges(): ReadonlyMap<number, number> {
    const counts = new Map<number, number>()
    for (const { owners } of [this.#four, this.#six])
      for (const owner of owners) {
        const { asn } = this.networks[owner]
        counts.set(asn, (counts.get(asn) ?? 0) + 1)
      }
    return counts
  }
}

/** Ranges in the order of their addresses. The ends of a range are `width` numbers each, the highest first. */
interface Ranges {
  readonly width: number
  readonly from: Uint32Array
  readonly to: Uint32Array
  /** Index of the network of each range. */
  readonly owners: Uint16Array
}

function readRanges(sections: Sections, width: number): Ranges {
  return { width, from: sections.words('from'), to: sections.words('to'), owners: sections.shorts('owners') }
}

/** Finds the range that contains an address by bisection; -1 if there is none. */
function findRange({ width, from, to, owners }: Ranges, words: readonly number[]): number {
  let low = 0
  let high = owners.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(from, middle * width, words) <= 0) low = middle + 1
    else high = middle
  }
  const at = low - 1
  return at >= 0 && compare(to, at * width, words) >= 0 ? at : -1
}

function compare(numbers: Uint32Array, at: number, words: readonly number[]): number {
  let difference = numbers[at] - words[0]
  for (let i = 1; difference === 0 && i < words.length; i++) difference = numbers[at + i] - words[i]
  return difference
}

/**
 * Writes a table. Ranges that follow each other in one network become one.
 * @throws Error if a range is not one of addresses, overlaps one of another network, or belongs to no network
 */
export function writeNetworkTable(
  origin: TableOrigin,
  networks: readonly Network[],
  ranges: readonly NetworkRange[],
): Uint8Array {
  const owners = new Map(networks.map(({ asn }, i) => [asn, i]))
  const parsed = ranges.map(({ from, to, asn }) => {
    const [first, last, owner] = [parseIp(from), parseIp(to), owners.get(asn)]
    if (first === null || last === null || first.length !== last.length || owner === undefined)
      throw new Error(`${from} to ${to} is not a range of AS${asn}`)
    return { first, last, owner }
  })
  const sections = new Sections()
  for (const [name, width] of [
    ['four', 1],
    ['six', 2],
  ] as const) {
    const merged = mergeRanges(parsed.filter(({ first }) => first.length === width))
    const part = sections.at(name)
    part.put('from', Uint32Array.from(merged.flatMap(({ first }) => first)))
    part.put('to', Uint32Array.from(merged.flatMap(({ last }) => last)))
    part.put(
      'owners',
      Uint16Array.from(merged, ({ owner }) => owner),
    )
  }
  const head: NetworksHead = { ...origin, networks: networks.map(({ asn, name }) => [asn, name]) }
  return writeSections(KIND, head, sections)
}

interface ParsedRange {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly owner: number
}

function mergeRanges(ranges: readonly ParsedRange[]): ParsedRange[] {
  const toNumber = (words: readonly number[]): bigint => words.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n)
  const sorted = ranges
    .map((range) => ({ ...range, start: toNumber(range.first), end: toNumber(range.last) }))
    .sort((a, b) => (a.start < b.start ? -1 : 1))
  const merged: typeof sorted = []
  for (const range of sorted) {
    const before = merged.at(-1)
    // The data has a few ranges that are smaller than a /64: the first one stands for all of it.
    if (before !== undefined && range.start <= before.end) {
      if (before.owner !== range.owner && range.end > before.end)
        throw new Error(`two ranges overlap before ${range.last.join(' ')}: the data is not what the format can hold`)
      continue
    }
    if (before?.owner === range.owner && before.end + 1n === range.start)
      merged[merged.length - 1] = { ...before, last: range.last, end: range.end }
    else merged.push(range)
  }
  return merged
}
