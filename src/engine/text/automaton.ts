import { type AutomatonTable, buildTable, CLASS_BITS } from './automaton-table.ts'
import { lower } from './text.ts'

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
 * are classes of bytes. A literal is compared byte by byte where its classes end. ASCII case is ignored.
 */
export class Automaton<T> {
  readonly #literals: readonly Literal<T>[]
  readonly #table: AutomatonTable
  readonly #isAscii: boolean
  /** Bytes of the longest literal. */
  readonly #longest: number
  /** The text in which a literal was last reported, by its number: each literal is reported once for a text. */
  readonly #lastText: Uint32Array
  #textNumber = 0

  /** @param literals the items to report, by literal */
  constructor(literals: ReadonlyMap<string, readonly T[]>) {
    const folded = new Map<string, T[]>()
    for (const [literal, items] of literals)
      folded.set(lower(literal), [...(folded.get(lower(literal)) ?? []), ...items])
    this.#literals = Array.from(folded, ([text, items]) => ({ text, bytes: encoder.encode(text), items }))
    this.#isAscii = this.#literals.every(({ bytes }) => bytes.every((byte) => byte < 128))
    this.#longest = this.#literals.reduce((most, { bytes }) => Math.max(most, bytes.length), 1)
    this.#lastText = new Uint32Array(this.#literals.length)
    this.#table = buildTable(this.#literals.map(({ bytes }) => bytes))
  }

  /** Finds the items of all literals that occur in `text`, each literal once. */
  find(text: string): T[] {
    if (++this.#textNumber > MAX_TEXT_NUMBER) {
      this.#lastText.fill(0)
      this.#textNumber = 1
    }
    return text.length <= MAX_SHORT_TEXT_CHARACTERS && this.#isAscii ? this.#findShort(text) : this.#findLong(text)
  }

  #findShort(text: string): T[] {
    const { next, classOf, firstEnd } = this.#table
    const items: T[] = []
    for (let i = 0, state = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      state = next[(state << CLASS_BITS) | (code < 128 ? classOf[code] : 0)]
      if (state >= firstEnd) this.#addMatches(state, items, text, i + 1)
    }
    return items
  }

  /**
   * Reads four parts of a text in turns: each step waits for the row of its state, and four steps wait together, which takes 50 to
   * 60 % of the time. A part overlaps the next one by the longest literal.
   */
  #findLong(text: string): T[] {
    const items: T[] = []
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
      if (a >= firstEnd) this.#addMatches(a, items, bytes, i + 1)
      if (b >= firstEnd) this.#addMatches(b, items, bytes, j + 1)
      if (c >= firstEnd) this.#addMatches(c, items, bytes, k + 1)
      if (d >= firstEnd) this.#addMatches(d, items, bytes, l + 1)
    }
    for (let l = 3 * part + end; l < length; l++) {
      d = next[(d << CLASS_BITS) | classOf[bytes[l]]]
      if (d >= firstEnd) this.#addMatches(d, items, bytes, l + 1)
    }
    return items
  }

  /**
   * Finds where literals occur in `text`, in one pass, in the order of their ends.
   * @param most of each literal only this number of occurrences is reported
   */
  findOccurrences(text: string, most: number): Occurrence<T>[] {
    const occurrences: Occurrence<T>[] = []
    const counts = new Map<number, number>()
    const characters = new CharacterCounter()
    const bytes = encode(text)
    const { next, classOf, firstEnd, ends, shorter } = this.#table
    for (let i = 0, last = 0; i < bytes.length; i++) {
      last = next[(last << CLASS_BITS) | classOf[bytes[i]]]
      if (last < firstEnd) continue
      for (let state = last; state > 0; state = shorter[state])
        for (const number of ends[state]) {
          const literal = this.#literals[number]
          const count = (counts.get(number) ?? 0) + 1
          if (count > most || !endsAt(literal, bytes, i + 1)) continue
          counts.set(number, count)
          const end = characters.countTo(i + 1, bytes)
          occurrences.push({ items: literal.items, start: end - literal.text.length, end })
        }
    }
    return occurrences
  }

  #addMatches(last: number, items: T[], text: string | Uint8Array, end: number): void {
    const { ends, shorter } = this.#table
    for (let state = last; state > 0; state = shorter[state])
      for (const number of ends[state]) {
        const literal = this.#literals[number]
        if (this.#lastText[number] === this.#textNumber || !endsAt(literal, text, end)) continue
        this.#lastText[number] = this.#textNumber
        for (const item of literal.items) items.push(item)
      }
  }
}

/** Encodes a text as UTF-8. The result is valid until the next call. */
function encode(text: string): Uint8Array {
  if (scratch.length < 3 * text.length) scratch = new Uint8Array(3 * text.length)
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written)
}

/** Whether a literal ends at an offset of a text, in characters of a string or in bytes. */
function endsAt(literal: Omit<Literal<unknown>, 'items'>, text: string | Uint8Array, end: number): boolean {
  if (typeof text === 'string') return lower(text.slice(Math.max(0, end - literal.text.length), end)) === literal.text
  const { bytes } = literal
  for (let i = bytes.length - 1, at = end - 1; i >= 0; i--, at--) if (FOLDED[text[at]] !== bytes[i]) return false
  return true
}

/** A place of a text at which a literal occurs. */
export interface Occurrence<T> {
  readonly items: readonly T[]
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

/** A literal in lower case. */
interface Literal<T> {
  readonly text: string
  /** The text as UTF-8. */
  readonly bytes: Uint8Array
  readonly items: readonly T[]
}
