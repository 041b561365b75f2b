import { lower } from './text.ts'

/** The smallest filter has 2 ** 5 bits. */
const LEAST_BITS = 5
/** Bits of a filter for each key, at least: fewer let more misses through. */
const BITS_PER_KEY = 8
const NO_FILTER = new Uint32Array(1)
/** Spreads the features of a text over the bits of a number (multiplicative hashing, the golden ratio of 32 bits). */
const SPREAD = 0x9e3779b1

/**
 * A map for lookups that mostly miss. Length and first, middle and last letter show most misses before a text is hashed, or even
 * cut out of a longer one. Keys are in lower case.
 */
export class SparseMap<T> {
  readonly #map = new Map<string, T>()
  /** One bit for each value of `mix`, of which only the upper bits are used. Thousands of maps stay empty and share one. */
  #filter = NO_FILTER
  /** Bits of a value of `mix` that the filter ignores. */
  #shift = 32 - LEAST_BITS
  /** Characters of the longest key. Longer texts are not cut out: a host can have a million labels. */
  #longest = 0

  set(key: string, value: T): void {
    this.#map.set(key, value)
    this.#longest = Math.max(this.#longest, key.length)
    if (this.#filter !== NO_FILTER && this.#map.size * BITS_PER_KEY <= 32 * this.#filter.length) this.#mark(key)
    else {
      const bits = Math.max(LEAST_BITS, Math.ceil(Math.log2(2 * BITS_PER_KEY * this.#map.size)))
      this.#filter = new Uint32Array(2 ** (bits - LEAST_BITS))
      this.#shift = 32 - bits
      for (const known of this.#map.keys()) this.#mark(known)
    }
  }

  #mark(key: string): void {
    const bit = mix(key, 0, key.length) >>> this.#shift
    this.#filter[bit >>> 5] |= 1 << (bit & 31)
  }

  /** Gets the value of a text, or of a part of it. Case is ignored. */
  getPart(text: string, from = 0, to = text.length): T | undefined {
    return this.#mayHave(text, from, to) ? this.#map.get(lower(text.slice(from, to))) : undefined
  }

  get(key: string): T | undefined {
    return this.#mayHave(key, 0, key.length) ? this.#map.get(key) : undefined
  }

  #mayHave(text: string, from: number, to: number): boolean {
    if (to - from > this.#longest) return false
    const bit = mix(text, from, to) >>> this.#shift
    return ((this.#filter[bit >>> 5] >>> (bit & 31)) & 1) === 1
  }

  get isEmpty(): boolean {
    return this.#map.size === 0
  }

  keys(): IterableIterator<string> {
    return this.#map.keys()
  }

  values(): IterableIterator<T> {
    return this.#map.values()
  }

  entries(): IterableIterator<[string, T]> {
    return this.#map.entries()
  }
}

/** Mixes features of a text that are the same for letters of either case into a number of 32 bits. */
function mix(text: string, from: number, to: number): number {
  if (from === to) return 0
  const first = text.charCodeAt(from) & 31
  const middle = text.charCodeAt((from + to) >> 1) & 31
  const last = text.charCodeAt(to - 1) & 31
  return Math.imul(first | (middle << 5) | (last << 10) | ((to - from) << 15), SPREAD)
}
