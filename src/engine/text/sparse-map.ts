import { lower } from './text.ts'

/**
 * A map for lookups that mostly miss. Length and first letter show most misses before a text is hashed, or even cut out of a
 * longer one. Keys are in lower case.
 */
export class SparseMap<T> {
  readonly #map = new Map<string, T>()
  readonly #signatures = new Uint8Array(128 * 32)

  set(key: string, value: T): void {
    this.#map.set(key, value)
    this.#signatures[computeSignature(key.charCodeAt(0), key.length)] = 1
  }

  /** Gets the value of a part of a text. Case is ignored. */
  getPart(text: string, from: number, to: number): T | undefined {
    return this.#signatures[computeSignature(text.charCodeAt(from), to - from)] === 1
      ? this.#map.get(lower(text.slice(from, to)))
      : undefined
  }

  get(key: string): T | undefined {
    return this.#signatures[computeSignature(key.charCodeAt(0), key.length)] === 1 ? this.#map.get(key) : undefined
  }

  get isEmpty(): boolean {
    return this.#map.size === 0
  }

  values(): IterableIterator<T> {
    return this.#map.values()
  }
}

/** Computes a small number that is the same for equal texts, independent of case. */
function computeSignature(first: number, length: number): number {
  const letter = first >= 65 && first <= 90 ? first + 32 : first & 127
  return letter * 32 + (length & 31)
}
