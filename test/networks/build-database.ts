// The format: https://maxmind.github.io/MaxMind-DB/
export type Value = string | number | readonly Value[] | { readonly [key: string]: Value }

const TYPES = { text: 2, number: 6, map: 7, list: 11 } as const

function encodeHead(type: number, size: number): number[] {
  const sizes = size < 29 ? [size] : [29, size - 29]
  const extended = type > 7
  return [((extended ? 0 : type) << 5) | sizes[0], ...(extended ? [type - 7] : []), ...sizes.slice(1)]
}

function encode(value: Value): number[] {
  if (typeof value === 'number') {
    const bytes = [24, 16, 8, 0].map((shift) => (value >>> shift) & 255)
    return [...encodeHead(TYPES.number, 4), ...bytes]
  }
  if (typeof value === 'string') return [...encodeHead(TYPES.text, Buffer.byteLength(value)), ...Buffer.from(value)]
  if (Array.isArray(value)) return [...encodeHead(TYPES.list, value.length), ...value.flatMap(encode)]
  const entries = Object.entries(value)
  return [
    ...encodeHead(TYPES.map, entries.length),
    ...entries.flatMap(([key, one]) => [...encode(key), ...encode(one)]),
  ]
}

/** Builds a database with one network of IPv4, of 24 bits. */
export function buildDatabase(network: readonly number[], entry: Value): Buffer {
  const bits = network.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((shift) => (byte >> shift) & 1))
  const nodes = bits.length
  const number = (value: number): number[] => [value >> 16, (value >> 8) & 255, value & 255]
  const tree = bits.flatMap((bit, i) => {
    const next = number(i + 1 < nodes ? i + 1 : nodes + 16)
    return bit === 0 ? [...next, ...number(nodes)] : [...number(nodes), ...next]
  })
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_764_115_200,
    database_type: 'A test',
    description: { en: 'A test' },
    ip_version: 4,
    languages: ['en'],
    node_count: nodes,
    record_size: 24,
  }
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.from([...tree, ...Array(16).fill(0), ...encode(entry), ...marker, ...encode(metadata)])
}

/** An entry as those of MaxMind and DB-IP. */
export const MAXMIND = { autonomous_system_number: 64_496, autonomous_system_organization: 'Harbour Networks' }
