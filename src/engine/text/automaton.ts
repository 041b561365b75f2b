import { type AutomatonTable, buildTable, CLASS_BITS } from './automaton-table.ts'
import { PackedLists, packLists } from './packed-lists.ts'
import { Sections } from './sections.ts'

const encoder = new TextEncoder()
/** Longer texts are scanned as UTF-8: the copy runs at 3 GB/s, while a string that is a slice or rope costs at every character. */
const MAX_SHORT_TEXT_CHARACTERS = 200
let scratch = new Uint8Array(0)
/** A text with fewer times the overlap of its parts is read in one part. */
const MIN_PARTED_OVERLAPS = 16
/** Largest number that fits into a list of 32-bit numbers. */
const MAX_TEXT_NUMBER = 2 ** 32 - 1

/** The byte in lower case, by byte. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte))

/**
 * Finds which of many literals occur in a text, in one pass: Aho-Corasick over a dense table of typed arrays, whose alphabet
 * are classes of bytes. A literal is compared byte by byte where its classes end. ASCII case is ignored. Literals are numbered in
 * the order in which they were packed.
 */
export class Automaton {
  readonly #table: AutomatonTable
  readonly #ends: PackedLists
  readonly #literals: PackedBytes
  /** Characters (UTF-16 code units) by literal. */
  readonly #characters: Uint32Array
  /** Whether all literals are ASCII. */
  readonly isAscii: boolean
  /** Bytes of the longest literal. */
  readonly #longest: number
  /** The text in which a literal was last reported, by its number: each literal is reported once for a text. */
  readonly #lastText: Uint32Array
  #textNumber = 0

  constructor(sections: Sections) {
    const [firstEnd, longest, isAscii] = sections.words('numbers')
    this.#table = {
      classOf: sections.bytes('classOf'),
      next: sections.states('next'),
      shorter: sections.words('shorter'),
      firstEnd,
    }
    this.#ends = new PackedLists(sections.at('ends'))
    this.#literals = { starts: sections.words('starts'), bytes: sections.bytes('bytes') }
    this.#characters = sections.words('characters')
    this.#longest = longest
    this.isAscii = isAscii === 1
    this.#lastText = new Uint32Array(this.#characters.length)
  }

  /** Number of literals. */
  get count(): number {
    return this.#characters.length
  }

  /** Builds the automaton of texts in lower case, each of which occurs once. */
  static of(texts: readonly string[]): Automaton {
    const sections = new Sections()
    packAutomaton(texts, sections)
    return new Automaton(sections)
  }

  /** Finds the numbers of all literals that occur in `text`, each literal once. */
  find(text: string): number[] {
    if (++this.#textNumber > MAX_TEXT_NUMBER) {
      this.#lastText.fill(0)
      this.#textNumber = 1
    }
    return text.length <= MAX_SHORT_TEXT_CHARACTERS && this.isAscii ? this.#findShort(text) : this.#findLong(text)
  }

  #findShort(text: string): number[] {
    const { next, classOf, firstEnd } = this.#table
    const found: number[] = []
    for (let i = 0, state = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      state = next[(state << CLASS_BITS) | (code < 128 ? classOf[code] : 0)]
      if (state >= firstEnd) this.#addMatches(state, found, text, i + 1)
    }
    return found
  }

  /**
   * Reads four parts of a text in turns: each step waits for the row of its state, and four steps wait together, which takes 50 to
   * 60 % of the time. A part overlaps the next one by the longest literal.
   */
  #findLong(text: string): number[] {
    const found: number[] = []
    const bytes = encode(text)
    const { length } = bytes
    const { next, classOf, firstEnd } = this.#table
    const overlap = this.#longest - 1
    const part = length < MIN_PARTED_OVERLAPS * overlap ? 0 : (length - overlap) >> 2
    let [a, b, c, d] = [0, 0, 0, 0]
    const end = part > 0 ? part + overlap : 0
    for (let i = 0, j = part, k = 2 * part, l = 3 * part; i < end; i++, j++, k++, l++) {
      a = next[(a << CLASS_BITS) | classOf[bytes[i]]]
      b = next[(b << CLASS_BITS) | classOf[bytes[j]]]
      c = next[(c << CLASS_BITS) | classOf[bytes[k]]]
      d = next[(d << CLASS_BITS) | classOf[bytes[l]]]
      if (a >= firstEnd) this.#addMatches(a, found, bytes, i + 1)
      if (b >= firstEnd) this.#addMatches(b, found, bytes, j + 1)
      if (c >= firstEnd) this.#addMatches(c, found, bytes, k + 1)
      if (d >= firstEnd) this.#addMatches(d, found, bytes, l + 1)
    }
    for (let l = 3 * part + end; l < length; l++) {
      d = next[(d << CLASS_BITS) | classOf[bytes[l]]]
      if (d >= firstEnd) this.#addMatches(d, found, bytes, l + 1)
    }
    return found
  }

  /**
   * Finds where literals occur in `text`, in one pass, in the order of their ends.
   * @param most of each literal only this number of occurrences is reported
   */
  findOccurrences(text: string, most: number): Occurrence[] {
    const occurrences: Occurrence[] = []
    const counts = new Map<number, number>()
    const characters = new CharacterCounter()
    const bytes = encode(text)
    const { next, classOf, firstEnd, shorter } = this.#table
    for (let i = 0, last = 0; i < bytes.length; i++) {
      last = next[(last << CLASS_BITS) | classOf[bytes[i]]]
      if (last < firstEnd) continue
      for (let state = last; state > 0; state = shorter[state])
        for (const literal of this.#ends.get(state)) {
          const count = (counts.get(literal) ?? 0) + 1
          if (count > most || !this.#endsAt(literal, bytes, i + 1)) continue
          counts.set(literal, count)
          const end = characters.countTo(i + 1, bytes)
          occurrences.push({ literal, start: end - this.#characters[literal], end })
        }
    }
    return occurrences
  }

  #addMatches(last: number, found: number[], text: string | Uint8Array, end: number): void {
    const { shorter } = this.#table
    const { starts, items } = this.#ends
    for (let state = last; state > 0; state = shorter[state])
      for (let i = starts[state]; i < starts[state + 1]; i++) {
        const literal = items[i]
        if (this.#lastText[literal] === this.#textNumber || !this.#endsAt(literal, text, end)) continue
        this.#lastText[literal] = this.#textNumber
        found.push(literal)
      }
  }

  /** Whether a literal ends at an offset of a text, in characters of an ASCII string or in bytes. */
  #endsAt(literal: number, text: string | Uint8Array, end: number): boolean {
    const { starts, bytes } = this.#literals
    const start = starts[literal]
    let at = end - 1
    for (let i = starts[literal + 1] - 1; i >= start; i--, at--) {
      const code = typeof text === 'string' ? text.charCodeAt(at) : text[at]
      if ((code < 128 ? FOLDED[code] : code) !== bytes[i]) return false
    }
    return true
  }
}

/** The literals as UTF-8 in lower case, one after the other: literal `i` is `bytes` from `starts[i]` to `starts[i + 1]`. */
interface PackedBytes {
  readonly starts: Uint32Array
  readonly bytes: Uint8Array
}

/** Packs the automaton of texts in lower case, each of which occurs once. */
export function packAutomaton(texts: readonly string[], into: Sections): void {
  const literals = texts.map((text) => encoder.encode(text))
  const starts = new Uint32Array(literals.length + 1)
  for (let i = 0; i < literals.length; i++) starts[i + 1] = starts[i] + literals[i].length
  const bytes = new Uint8Array(starts[literals.length])
  for (let i = 0; i < literals.length; i++) bytes.set(literals[i], starts[i])
  const { classOf, next, shorter, firstEnd, ends } = buildTable(literals)
  const longest = literals.reduce((most, { length }) => Math.max(most, length), 1)
  into.put('numbers', Uint32Array.of(firstEnd, longest, bytes.every((byte) => byte < 128) ? 1 : 0))
  into.put('classOf', classOf)
  into.put('next', next)
  into.put('shorter', shorter)
  packLists(ends, into.at('ends'))
  into.put('starts', starts)
  into.put('bytes', bytes)
  into.put(
    'characters',
    Uint32Array.from(texts, ({ length }) => length),
  )
}

/** Encodes a text as UTF-8. The result is valid until the next call. */
function encode(text: string): Uint8Array {
  if (scratch.length < 3 * text.length) scratch = new Uint8Array(3 * text.length)
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written)
}

/** A place of a text at which a literal occurs. */
export interface Occurrence {
  /** Number of the literal. */
  readonly literal: number
  /** Characters of the text before the literal, and before its end. */
  readonly start: number
  readonly end: number
}

/** Turns byte offsets of UTF-8 into offsets of characters (UTF-16 code units), from front to back. */
class CharacterCounter {
  #byte = 0
  #character = 0

  countTo(byte: number, bytes: Uint8Array): number {
    for (; this.#byte < byte; this.#byte++) {
      const value = bytes[this.#byte]
      // A continuation byte begins no character; a character of four bytes has two code units.
      if ((value & 0xc0) !== 0x80) this.#character += value >= 0xf0 ? 2 : 1
    }
    return this.#character
  }
}
