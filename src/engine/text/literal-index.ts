import { Automaton, type Occurrence } from './automaton.ts'

/** Up to this number of literals, one search for each is faster than one pass for all (measured: 4.5 against 0.5 GB/s). */
const MAX_SEARCHED_LITERALS = 6
/** Up to this number of literals and length of text, one pattern is the fastest way to find that a text contains none. */
const MAX_PATTERN_LITERALS = 128
const MAX_SHORT_TEXT_CHARACTERS = 200

const NOTHING: readonly never[] = []

/** Finds which literals occur in a text. ASCII case is ignored. */
export class LiteralIndex<T> {
  readonly #patterns: readonly { readonly pattern: RegExp; readonly items: readonly T[] }[]
  readonly #anyPattern: RegExp | null
  readonly #automaton: Automaton<T>

  /** @param literals the items to report, by literal */
  constructor(literals: ReadonlyMap<string, readonly T[]>) {
    const texts = [...literals.keys()]
    // Outside of ASCII, a pattern that ignores case also folds other letters, and not always correctly.
    const literalCount = texts.every(isAscii) ? texts.length : Number.POSITIVE_INFINITY
    this.#patterns =
      literalCount > MAX_SEARCHED_LITERALS
        ? []
        : [...literals].map(([literal, items]) => ({ pattern: buildPattern([literal]), items }))
    this.#anyPattern = literalCount > MAX_PATTERN_LITERALS ? null : buildPattern(texts)
    this.#automaton = new Automaton(literals)
  }

  /** Finds the items of all literals that occur in `text`. */
  find(text: string): readonly T[] {
    const isShort = text.length <= MAX_SHORT_TEXT_CHARACTERS
    if ((isShort || this.#patterns.length > 0) && this.#anyPattern?.test(text) === false) return NOTHING
    if (isShort || this.#patterns.length === 0) return this.#automaton.find(text)
    return this.#patterns.flatMap(({ pattern, items }) => (pattern.test(text) ? items : []))
  }

  /** Finds where the literals occur in `text`, in one pass, each literal at most `most` times. */
  findOccurrences(text: string, most: number): readonly Occurrence<T>[] {
    return this.#automaton.findOccurrences(text, most)
  }
}

function buildPattern(literals: readonly string[]): RegExp {
  return new RegExp(joinAlternatives(literals), 'i')
}

/** Joins literals into the source of a pattern that matches any of them. */
export function joinAlternatives(literals: Iterable<string>): string {
  return Array.from(literals, (literal) => literal.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is the ASCII range.
  return /^[\x00-\x7f]*$/.test(text)
}
