import { PackedTexts, packTexts } from './packed-texts.ts'
import type { Sections } from './sections.ts'

/** The smallest filter has 2 ** 5 bits. */
const LEAST_BITS = 5
/** Bits of a filter for each key, at least: fewer let more misses through. */
const BITS_PER_KEY = 8
/** Spreads the features of a text over the bits of a number (multiplicative hashing, the golden ratio of 32 bits). */
const SPREAD = 0x9e3779b1
/** Spreads scopes; an odd number, so that different scopes stay different. */
const SCOPE_SPREAD = 0x85ebca6b
const NO_KEY = -1

/**
 * A map from texts to numbers, from 0 in the order in which they were added, for lookups that mostly miss. Length and first, middle
 * and last letter show most misses before a text is hashed. A scope is a number that is part of the key, for example the node of a
 * tree. All of it is typed arrays, which are used as they lie in a file.
 */
export class PackedMap {
  readonly #texts: PackedTexts
  readonly #scopes: Uint32Array | null
  /** Number of a key plus 1, by hash; 0 where there is none. Open addressing. */
  readonly #slots: Uint32Array
  readonly #filter: Uint32Array
  /** Bits of a value of `mix` that the filter ignores. */
  readonly #shift: number
  /** Characters of the longest key. Longer texts are not hashed: a host can have a million labels. */
  readonly #longest: number

  constructor(sections: Sections) {
    this.#texts = new PackedTexts(sections.at('keys'))
    this.#scopes = sections.has('scopes') ? sections.words('scopes') : null
    this.#slots = sections.words('slots')
    this.#filter = sections.words('filter')
    this.#shift = 32 - LEAST_BITS - Math.log2(this.#filter.length)
    this.#longest = sections.words('longest')[0]
  }

  get count(): number {
    return this.#texts.count
  }

  getKey(number: number): string {
    return this.#texts.get(number)
  }

  /** All keys, in the order in which they were added. */
  listKeys(): string[] {
    return Array.from({ length: this.count }, (_, number) => this.getKey(number))
  }

  /** Finds the number of a text, or of a part of it; -1 if the map does not have it. Keys are in lower case, and ASCII case of the text is ignored. */
  find(text: string, from = 0, to = text.length, scope = 0): number {
    if (!this.#mayHave(text, from, to, scope)) return NO_KEY
    const last = this.#slots.length - 1
    for (let slot = hash(text, from, to, scope) & last; ; slot = (slot + 1) & last) {
      const number = this.#slots[slot] - 1
      if (number < 0) return NO_KEY
      if (this.#hasScope(number, scope) && this.#texts.equalsFolded(number, text, from, to)) return number
    }
  }

  /** Finds the number of a key whose case matters. */
  findExact(text: string): number {
    if (!this.#mayHave(text, 0, text.length, 0)) return NO_KEY
    const last = this.#slots.length - 1
    for (let slot = hash(text, 0, text.length, 0) & last; ; slot = (slot + 1) & last) {
      const number = this.#slots[slot] - 1
      if (number < 0 || this.#texts.equals(number, text, 0, text.length)) return number
    }
  }

  #hasScope(number: number, scope: number): boolean {
    return this.#scopes === null ? scope === 0 : this.#scopes[number] === scope
  }

  #mayHave(text: string, from: number, to: number, scope: number): boolean {
    if (to - from > this.#longest) return false
    const bit = mix(text, from, to, scope) >>> this.#shift
    return ((this.#filter[bit >>> 5] >>> (bit & 31)) & 1) === 1
  }
}

/** Collects the keys of a `PackedMap`. */
export class PackedMapBuilder {
  readonly #numbers = new Map<string, number>()
  readonly #keys: string[] = []
  readonly #scopes: number[] = []

  get count(): number {
    return this.#keys.length
  }

  get keys(): readonly string[] {
    return this.#keys
  }

  /** Adds a key unless it is known. @returns its number */
  add(key: string, scope = 0): number {
    const name = `${scope} ${key}`
    let number = this.#numbers.get(name)
    if (number === undefined) {
      number = this.#keys.push(key) - 1
      this.#scopes.push(scope)
      this.#numbers.set(name, number)
    }
    return number
  }

  pack(into: Sections): void {
    const keys = this.#keys
    const bits = Math.max(LEAST_BITS, Math.ceil(Math.log2(BITS_PER_KEY * Math.max(1, keys.length))))
    const filter = new Uint32Array(2 ** (bits - LEAST_BITS))
    const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * keys.length + 1)))
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]
      const bit = mix(key, 0, key.length, this.#scopes[i]) >>> (32 - bits)
      filter[bit >>> 5] |= 1 << (bit & 31)
      let slot = hash(key, 0, key.length, this.#scopes[i]) & (slots.length - 1)
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
      slots[slot] = i + 1
    }
    packTexts(keys, into.at('keys'))
    if (this.#scopes.some((scope) => scope !== 0)) into.put('scopes', Uint32Array.from(this.#scopes))
    into.put('filter', filter)
    into.put('slots', slots)
    into.put('longest', Uint32Array.of(keys.reduce((most, key) => Math.max(most, key.length), 0)))
  }
}

/** Mixes features of a text that are the same for letters of either case into a number of 32 bits. */
function mix(text: string, from: number, to: number, scope: number): number {
  const ofScope = Math.imul(scope, SCOPE_SPREAD)
  if (from === to) return ofScope
  const first = text.charCodeAt(from) & 31
  const middle = text.charCodeAt((from + to) >> 1) & 31
  const last = text.charCodeAt(to - 1) & 31
  return Math.imul(first | (middle << 5) | (last << 10) | ((to - from) << 15), SPREAD) ^ ofScope
}

/** Hashes a text with ASCII case ignored (FNV-1a over code units). */
function hash(text: string, from: number, to: number, scope: number): number {
  let value = 0x811c9dc5 ^ Math.imul(scope, SCOPE_SPREAD)
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i)
    value = Math.imul(value ^ (unit >= 65 && unit <= 90 ? unit + 32 : unit), 0x01000193)
  }
  return (value ^ (value >>> 15)) >>> 0
}
