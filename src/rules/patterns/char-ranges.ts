/** Code units that a one-character pattern matches: sorted and disjoint ranges, both ends included. */
export type CharRanges = readonly (readonly [first: number, last: number])[]

const ALL = Array.from({ length: 256 }, (_, high) =>
  String.fromCharCode(...Array.from({ length: 256 }, (_, low) => high * 256 + low)),
).join('')
const cachedRanges = new Map<string, CharRanges>()

/**
 * Finds the code units that match `source`, a pattern of one character such as `\d`, `[^;]` or `a`. The regular
 * expression engine tests them, so its rules of case folding apply.
 */
export function findCharRanges(source: string, flags: string): CharRanges {
  const key = `${flags}/${source}`
  const cached = cachedRanges.get(key)
  if (cached) return cached
  const runs = ALL.matchAll(new RegExp(`(?:${source})+`, `${flags}g`))
  const ranges = [...runs].map(({ index, 0: run }) => [index, index + run.length - 1] as const)
  cachedRanges.set(key, ranges)
  return ranges
}

/** Whether both contain at least one common code unit. */
export function doRangesOverlap(a: CharRanges, b: CharRanges): boolean {
  let j = 0
  for (const [first, last] of a) {
    while (j < b.length && b[j][1] < first) j++
    if (j < b.length && b[j][0] <= last) return true
  }
  return false
}

/** Picks a code unit of the ranges, preferably a readable one. */
export function pickChar(ranges: CharRanges): string | null {
  if (ranges.length === 0) return null
  for (const [from, to] of READABLE)
    for (const [first, last] of ranges)
      if (first <= to && last >= from) return String.fromCharCode(Math.max(first, from))
  return String.fromCharCode(ranges[0][0])
}

/** Preferred ranges: a–z, 0–9, then printable ASCII. */
const READABLE = [
  [0x61, 0x7a],
  [0x30, 0x39],
  [0x20, 0x7e],
] as const
