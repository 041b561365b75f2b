/** A name as written in code: `data-wf-page`, `cdn.acme.com`, `wf_session`. */
const NAME = /[a-z0-9]+(?:[-_.][a-z0-9]+)*/gi
/** A part of a name: `wix` and `Bi` of `wixBi`. */
const PART = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+/g
/** The longest name that is counted. Longer ones are data. */
const MAX_NAME_LENGTH = 120

/** Splits a text into names, in lower case. */
function splitNames(text: string): string[] {
  return (text.match(NAME) ?? []).filter((name) => name.length <= MAX_NAME_LENGTH).map((name) => name.toLowerCase())
}

/** Splits a text into the words of its names, in lower case: `wixBi-page` into wix, bi and page. */
export function splitWords(text: string): string[] {
  return (text.match(PART) ?? []).map((part) => part.toLowerCase())
}

/**
 * Counts in how many texts a name occurs. The texts are the test files of all rules and the ordinary pages of the tests, so a
 * name that occurs in many of them says little about one product.
 */
export class Vocabulary {
  readonly #counts = new Map<string, number>()
  readonly #size: number

  /** @param texts one per file */
  constructor(texts: readonly string[]) {
    this.#size = texts.length
    for (const text of texts)
      for (const name of new Set([...splitNames(text), ...splitWords(text)]))
        this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** Number of texts that contain a word or a name. */
  count(name: string): number {
    return this.#counts.get(name.toLowerCase()) ?? 0
  }

  /** Number of texts that contain a name; for a text of several names, of the rarest of them. */
  countRarest(text: string): number {
    const names = splitNames(text)
    return names.length === 0 ? this.#size : Math.min(...names.map((name) => this.count(name)))
  }

  /** Rarity of a name in bits: that of the whole name, and half of that of its rarest word. */
  computeRarity(text: string): number {
    const bits = (count: number): number => Math.log2((this.#size + 1) / (count + 1))
    const rarest = Math.min(...splitWords(text).map((word) => this.count(word)), this.#size)
    return bits(this.countRarest(text)) + bits(rarest) / 2
  }
}
