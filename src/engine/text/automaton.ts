import { lower } from './text.ts'

const encoder = new TextEncoder()
/** Longer texts are scanned as UTF-8: the copy runs at 3 GB/s, while a string that is a slice or rope costs at every character. */
const MAX_SHORT_TEXT_CHARACTERS = 200
let scratch = new Uint8Array(0)
/** A text with fewer times the overlap of its parts is read in one part. */
const MIN_PARTED_OVERLAPS = 16
/** Largest number that fits into a list of 32-bit numbers. */
const MAX_TEXT_NUMBER = 2 ** 32 - 1

/**
 * Classes of bytes, the columns of the table: a power of two. Rare bytes share a class, so that a row of 16-bit states fills one
 * line of the processor's cache. With a class for each byte, scans of text in many languages took five times as long.
 */
const CLASSES = 32
const CLASS_BITS = 5
/** Bytes that are the most frequent in literals and share their class with no other. All others share the remaining classes. */
const UNSHARED_CLASSES = 24

/** The byte in lower case, by byte. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte))

/**
 * Finds which of many literals occur in a text, in one pass: Aho-Corasick over a dense table of typed arrays, whose alphabet
 * are classes of bytes. A literal is compared byte by byte where its classes end. ASCII case is ignored.
 */
export class Automaton<T> {
  /** Class by byte; 0 for bytes that occur in no literal. */
  readonly #classOf: Uint8Array
  /** Next state by state and class. States in which literals end come last. */
  readonly #next: Uint16Array | Uint32Array
  /** The first state in which literals end. */
  readonly #firstEnd: number
  readonly #literals: readonly Literal<T>[]
  /** Numbers of the literals that end in a state, and the next such state on the suffix chain; -1 for none. */
  readonly #ends: readonly (readonly number[])[]
  readonly #shorter: Int32Array
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
    this.#classOf = assignClasses(this.#literals)
    const trie = buildTrie(this.#literals, this.#classOf)
    const { shorter, speaks } = linkSuffixes(trie)
    const { next, ends, ...rest } = renumber({ ...trie, shorter }, speaks)
    this.#next = next
    this.#ends = ends
    this.#shorter = rest.shorter
    this.#firstEnd = rest.firstEnd
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
    const next = this.#next
    const classOf = this.#classOf
    const firstEnd = this.#firstEnd
    const items: T[] = []
    for (let i = 0, state = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      state = next[(state << CLASS_BITS) | (code < 128 ? classOf[code] : 0)]
      if (state >= firstEnd) this.#addMatches(state, items, text, i + 1)
    }
    return items
  }

  /**
   * Reads four parts of a text in turns: each step waits for the row of its state, and four steps wait together, which takes a
   * third of the time. A part overlaps the next one by the longest literal.
   */
  #findLong(text: string): T[] {
    const items: T[] = []
    const bytes = encode(text)
    const { length } = bytes
    const next = this.#next
    const classOf = this.#classOf
    const firstEnd = this.#firstEnd
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
    for (let i = 0, last = 0; i < bytes.length; i++) {
      last = this.#next[(last << CLASS_BITS) | this.#classOf[bytes[i]]]
      if (last < this.#firstEnd) continue
      for (let state = last; state > 0; state = this.#shorter[state])
        for (const number of this.#ends[state]) {
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
    for (let state = last; state > 0; state = this.#shorter[state])
      for (const number of this.#ends[state]) {
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

interface Trie {
  /** Child by state and class; 0 where there is none. */
  readonly next: Uint32Array
  /** Numbers of the literals that end in a state. */
  readonly ends: readonly (readonly number[])[]
}

const NO_ENDS: readonly number[] = []

/** Assigns classes to the bytes of literals, the most frequent bytes first. */
function assignClasses(literals: readonly { readonly bytes: Uint8Array }[]): Uint8Array {
  const counts = new Map<number, number>()
  for (const { bytes } of literals) for (const byte of bytes) counts.set(byte, (counts.get(byte) ?? 0) + 1)
  const ordered = [...counts].sort(([a, often], [b, other]) => other - often || a - b)
  const classOf = new Uint8Array(256)
  const shared = CLASSES - 1 - UNSHARED_CLASSES
  for (const [i, [byte]] of ordered.entries()) {
    classOf[byte] = 1 + (i < UNSHARED_CLASSES ? i : UNSHARED_CLASSES + (i % shared))
    if (byte >= 97 && byte <= 122) classOf[byte - 32] = classOf[byte]
  }
  return classOf
}

/** Builds the trie level by level, so that the rows near the root, which a scan reads most, are close to each other. */
function buildTrie(literals: readonly { readonly bytes: Uint8Array }[], classOf: Uint8Array): Trie {
  const mostStates = literals.reduce((sum, { bytes }) => sum + bytes.length, 1)
  const next = new Uint32Array(mostStates * CLASSES)
  const ends: (readonly number[])[] = [NO_ENDS]
  const states = new Uint32Array(literals.length)
  let left = [...literals.keys()]
  for (let depth = 0; left.length > 0; depth++)
    left = left.filter((i) => {
      const { bytes } = literals[i]
      const state = states[i]
      if (depth === bytes.length) {
        ends[state] = [...ends[state], i]
        return false
      }
      const edge = state * CLASSES + classOf[bytes[depth]]
      if (next[edge] === 0) next[edge] = ends.push(NO_ENDS) - 1
      states[i] = next[edge]
      return true
    })
  return { next: next.slice(0, ends.length * CLASSES), ends }
}

/** Turns the trie into an automaton, breadth first: each missing child becomes the child of the longest suffix. */
function linkSuffixes({ next, ends }: Trie): { shorter: Int32Array; speaks: Uint8Array } {
  const suffix = new Uint32Array(ends.length)
  const shorter = new Int32Array(ends.length).fill(-1)
  const speaks = new Uint8Array(ends.length)
  const queue = [0]
  for (const state of queue) {
    const fall = suffix[state]
    if (state > 0) {
      shorter[state] = ends[fall].length > 0 ? fall : shorter[fall]
      speaks[state] = ends[state].length > 0 || shorter[state] > 0 ? 1 : 0
    }
    for (let c = 0; c < CLASSES; c++) {
      const child = next[state * CLASSES + c]
      const other = state === 0 ? 0 : next[fall * CLASSES + c]
      if (child === 0) next[state * CLASSES + c] = other
      else {
        suffix[child] = other
        queue.push(child)
      }
    }
  }
  return { shorter, speaks }
}

/** Numbers the states again, so that those in which literals end (`speaks`) come last and one comparison finds them. */
function renumber({ next, ends, shorter }: Trie & { readonly shorter: Int32Array }, speaks: Uint8Array) {
  const order = [...ends.keys()].sort((a, b) => speaks[a] - speaks[b] || a - b)
  const numbers = new Uint32Array(order.length)
  for (const [number, state] of order.entries()) numbers[state] = number
  const renumbered = new (order.length <= 2 ** 16 ? Uint16Array : Uint32Array)(next.length)
  for (const [number, state] of order.entries())
    for (let c = 0; c < CLASSES; c++) renumbered[number * CLASSES + c] = numbers[next[state * CLASSES + c]]
  return {
    next: renumbered,
    ends: order.map((state) => ends[state]),
    shorter: Int32Array.from(order, (state) => (shorter[state] < 0 ? -1 : numbers[shorter[state]])),
    firstEnd: order.length - speaks.reduce((sum, one) => sum + one, 0),
  }
}
