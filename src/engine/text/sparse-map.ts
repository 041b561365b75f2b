import { lower } from './text.ts'

/**
 * A map that most look-ups miss: length and first letter tell so before a text is hashed, or even cut out of a longer one.
 * Keys are in lower case.
 */
export class SparseMap<T> {
  readonly #map = new Map<string, T>()
  readonly #signs = new Uint8Array(128 * 32)

  set(key: string, value: T): void {
    this.#map.set(key, value)
    this.#signs[computeSign(key.charCodeAt(0), key.length)] = 1
  }

  /** Of a part of a text, case ignored. */
  getPart(text: string, from: number, to: number): T | undefined {
    return this.#signs[computeSign(text.charCodeAt(from), to - from)] === 1
      ? this.#map.get(lower(text.slice(from, to)))
      : undefined
  }

  get(key: string): T | undefined {
    return this.#signs[computeSign(key.charCodeAt(0), key.length)] === 1 ? this.#map.get(key) : undefined
  }

  get isEmpty(): boolean {
    return this.#map.size === 0
  }

  values(): IterableIterator<T> {
    return this.#map.values()
  }
}

/** A small number that equal texts share, whatever their case. */
function computeSign(first: number, length: number): number {
  const letter = first >= 65 && first <= 90 ? first + 32 : first & 127
  return letter * 32 + (length & 31)
}
