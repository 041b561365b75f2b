import { lower } from './text.ts'

const encoder = new TextEncoder()
/** Longer texts are scanned as UTF-8: the copy runs at 3 GB/s, while a string that is a slice or rope costs at every character. */
const MAX_SHORT_TEXT_CHARACTERS = 200
let scratch = new Uint8Array(0)
/** Largest number that fits into a list of 32-bit numbers. */
const MAX_TEXT_NUMBER = 2 ** 32 - 1

/**
 * Finds which of many literals occur in a text, in one pass: Aho-Corasick over a dense table of typed arrays, whose alphabet
 * are the bytes that occur in literals. ASCII case is ignored.
 */
export class Automaton<T> {
  /** Class by byte; 0 for bytes that occur in no literal. */
  readonly #classOf = new Uint8Array(256)
  /** Classes of a row. Each state is a row. */
  readonly #width: number
  /** First index of the next row, by row and class. It is complemented if literals end there, so that one read shows both. */
  readonly #next: Int32Array
  /** Items of the literals that end in a state, and the next such state on the suffix chain; -1 for none. */
  readonly #ends: readonly (readonly T[] | undefined)[]
  readonly #shorter: Int32Array
  /** Characters of the literals that end in a state; 0 for none. */
  readonly #lengths: Uint32Array
  readonly #isAscii: boolean
  /** The text in which a state was last reported, by its number: each literal is reported once for a text. */
  readonly #lastText: Uint32Array
  #textNumber = 0

  /** @param literals the items to report, by literal */
  constructor(literals: ReadonlyMap<string, readonly T[]>) {
    const folded = new Map<string, T[]>()
    for (const [literal, items] of literals)
      folded.set(lower(literal), [...(folded.get(lower(literal)) ?? []), ...items])
    const encoded = Array.from(folded, ([literal, items]) => ({
      bytes: encoder.encode(literal),
      characters: literal.length,
      items,
    }))
    this.#isAscii = encoded.every(({ bytes }) => bytes.every((byte) => byte < 128))
    const width = this.#assignClasses(encoded.map(({ bytes }) => bytes))
    this.#width = width
    const trie = buildTrie(encoded, this.#classOf, width)
    this.#ends = trie.ends
    this.#lengths = trie.lengths
    this.#lastText = new Uint32Array(trie.ends.length)
    const { shorter, speaks } = linkSuffixes(trie, width)
    this.#shorter = shorter
    this.#next = trie.next
    for (let i = 0; i < this.#next.length; i++) {
      const row = this.#next[i] * width
      this.#next[i] = speaks[this.#next[i]] ? ~row : row
    }
  }

  /** Assigns classes to bytes and returns the number of classes. */
  #assignClasses(literals: readonly Uint8Array[]): number {
    let classes = 1
    for (const byte of new Set(literals.flatMap((literal) => [...literal]))) {
      this.#classOf[byte] = classes
      if (byte >= 97 && byte <= 122) this.#classOf[byte - 32] = classes
      classes++
    }
    return classes
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
    const items: T[] = []
    for (let i = 0, row = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      row = next[row + (code < 128 ? classOf[code] : 0)]
      if (row >= 0) continue
      row = ~row
      this.#addMatches(row / this.#width, items)
    }
    return items
  }

  #findLong(text: string): T[] {
    const items: T[] = []
    this.#scan(text, (state) => this.#addMatches(state, items))
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
    this.#scan(text, (last, byte) => {
      for (let state = last; state > 0; state = this.#shorter[state]) {
        const count = (counts.get(state) ?? 0) + 1
        if (this.#ends[state] === undefined || count > most) continue
        counts.set(state, count)
        const end = characters.countTo(byte, scratch)
        occurrences.push({ items: this.#ends[state] ?? [], start: end - this.#lengths[state], end })
      }
    })
    return occurrences
  }

  /** Reads a text as UTF-8 and calls `onEnd` with each state in which literals end, and the index of the byte after it. */
  #scan(text: string, onEnd: (state: number, byte: number) => void): void {
    const next = this.#next
    const classOf = this.#classOf
    if (scratch.length < 3 * text.length) scratch = new Uint8Array(3 * text.length)
    const bytes = scratch
    const { written } = encoder.encodeInto(text, bytes)
    for (let i = 0, row = 0; i < written; i++) {
      row = next[row + classOf[bytes[i]]]
      if (row >= 0) continue
      row = ~row
      onEnd(row / this.#width, i + 1)
    }
  }

  #addMatches(state: number, items: T[]): void {
    for (let end = state; end > 0 && this.#lastText[end] !== this.#textNumber; end = this.#shorter[end]) {
      this.#lastText[end] = this.#textNumber
      for (const item of this.#ends[end] ?? []) items.push(item)
    }
  }
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
  readonly bytes: Uint8Array
  readonly characters: number
  readonly items: readonly T[]
}

interface Trie<T> {
  /** Child by state and class; 0 where there is none. */
  readonly next: Int32Array
  readonly ends: (readonly T[] | undefined)[]
  /** Characters of the literals that end in a state. */
  readonly lengths: Uint32Array
}

/** Builds the trie level by level, so that the rows near the root, which a scan reads most, are close to each other. */
function buildTrie<T>(literals: readonly Literal<T>[], classOf: Uint8Array, classes: number): Trie<T> {
  const mostStates = literals.reduce((sum, { bytes }) => sum + bytes.length, 1)
  const next = new Int32Array(mostStates * classes)
  const ends: (readonly T[] | undefined)[] = [undefined]
  const lengths = new Uint32Array(mostStates)
  const states = new Uint32Array(literals.length)
  const deepest = literals.reduce((most, { bytes }) => Math.max(most, bytes.length), 0)
  for (let depth = 0; depth <= deepest; depth++)
    for (const [i, { bytes, characters, items }] of literals.entries()) {
      const state = states[i]
      if (depth < bytes.length) {
        const edge = state * classes + classOf[bytes[depth]]
        if (next[edge] === 0) next[edge] = ends.push(undefined) - 1
        states[i] = next[edge]
      } else if (depth === bytes.length) {
        ends[state] = items
        lengths[state] = characters
      }
    }
  return { next: next.slice(0, ends.length * classes), ends, lengths: lengths.slice(0, ends.length) }
}

/** Turns the trie into an automaton, breadth first: each missing child becomes the child of the longest suffix. */
function linkSuffixes<T>({ next, ends }: Trie<T>, classes: number): { shorter: Int32Array; speaks: Uint8Array } {
  const suffix = new Int32Array(ends.length)
  const shorter = new Int32Array(ends.length).fill(-1)
  const speaks = new Uint8Array(ends.length)
  const queue = [0]
  for (const state of queue) {
    const fall = suffix[state]
    if (state > 0) shorter[state] = ends[fall] ? fall : shorter[fall]
    speaks[state] = ends[state] || shorter[state] > 0 ? 1 : 0
    for (let c = 0; c < classes; c++) {
      const child = next[state * classes + c]
      const other = state === 0 ? 0 : next[fall * classes + c]
      if (child === 0) next[state * classes + c] = other
      else {
        suffix[child] = other
        queue.push(child)
      }
    }
  }
  return { shorter, speaks }
}
