import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

const toText = (n: number): string => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count)

/** The inverse of `toText`, with which fast-check mixes texts such as `__proto__` in. @throws TypeError for any other value */
function fromText(value: unknown): number {
  const n = typeof value === 'string' ? (value.codePointAt(0) ?? Number.NaN) : Number.NaN
  const isSurrogate = n >= SURROGATES.first && n < SURROGATES.first + SURROGATES.count
  if (isSurrogate || String.fromCodePoint(n || 0) !== value) throw new TypeError('not one character')
  return n < SURROGATES.first ? n : n - SURROGATES.count
}

/**
 * Any character of Unicode, as the unit of `fc.string`. fast-check's own unit `binary` produces the same, and first builds a map
 * of all 1,112,064 characters, which takes a second.
 */
export const codePoint = fc.integer({ min: 0, max: 0x10ffff - SURROGATES.count }).map(toText, fromText)
