import { lower } from './text.ts'

const LETTERS = 128
const NO_LENGTHS = new Uint32Array(LETTERS)

/**
 * A map for lookups that mostly miss. Length and first letter show most misses before a text is hashed, or even cut out of a
 * longer one. Keys are in lower case.
 */
export class SparseMap<T> {
  readonly #map = new Map<string, T>()
  /** For each first letter, one bit for each length of a key. Thousands of maps stay empty and share the same bits. */
  #lengths = NO_LENGTHS

  set(key: string, value: T): void {
    this.#map.set(key, value)
    if (this.#lengths === NO_LENGTHS) this.#lengths = new Uint32Array(LETTERS)
    this.#lengths[foldLetter(key.charCodeAt(0))] |= 1 << (key.length & 31)
  }

  /** Gets the value of a part of a text. Case is ignored. */
  getPart(text: string, from: number, to: number): T | undefined {
    return this.#mayHave(text.charCodeAt(from), to - from) ? this.#map.get(lower(text.slice(from, to))) : undefined
  }

  get(key: string): T | undefined {
    return this.#mayHave(key.charCodeAt(0), key.length) ? this.#map.get(key) : undefined
  }

  #mayHave(first: number, length: number): boolean {
    return ((this.#lengths[foldLetter(first)] >>> (length & 31)) & 1) === 1
  }

  get isEmpty(): boolean {
    return this.#map.size === 0
  }

  values(): IterableIterator<T> {
    return this.#map.values()
  }
}

/** Returns a small number that is the same for a letter of either case. */
function foldLetter(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code & (LETTERS - 1)
}
