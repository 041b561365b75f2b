import { lower } from './text.ts'

const encoder = new TextEncoder()
/** Longer texts are scanned as UTF-8: a copy at 3 GB/s, where a string that is a slice or a rope costs at every character. */
const SHORT = 200
let scratch = new Uint8Array(0)

/**
 * Finds which of many literals occur in a text, in one pass whatever their number: Aho-Corasick over a dense table
 * of typed arrays, its alphabet the bytes that literals use. ASCII case is ignored.
 */
export class Automaton<T> {
  /** Class of a byte; 0 = in no literal. */
  readonly #classOf = new Uint8Array(256)
  /** A state is a row of 2^shift classes. */
  readonly #shift: number
  /** First index of the next row, by row and class; its complement where literals end there, so that one look tells both. */
  readonly #next: Int32Array
  /** Literals that end in a state, and the next state on the suffix chain that has some; -1 for none. */
  readonly #ends: readonly (readonly T[] | undefined)[]
  readonly #shorter: Int32Array
  readonly #isAscii: boolean

  /** @param literals what to look for → what to report for it */
  constructor(literals: ReadonlyMap<string, readonly T[]>) {
    const folded = new Map<string, T[]>()
    for (const [literal, items] of literals)
      folded.set(lower(literal), [...(folded.get(lower(literal)) ?? []), ...items])
    const encoded = [...folded].map(([literal, items]) => [encoder.encode(literal), items] as const)
    this.#isAscii = encoded.every(([bytes]) => bytes.every((byte) => byte < 128))
    this.#shift = Math.ceil(Math.log2(this.#compress(encoded.map(([bytes]) => bytes))))
    const trie = buildTrie(encoded, this.#classOf, 1 << this.#shift)
    this.#ends = trie.ends
    const { shorter, speaks } = link(trie, 1 << this.#shift)
    this.#shorter = shorter
    this.#next = Int32Array.from(trie.next, (state) => (speaks[state] ? ~(state << this.#shift) : state << this.#shift))
  }

  #compress(literals: readonly Uint8Array[]): number {
    let classes = 1
    for (const byte of new Set(literals.flatMap((literal) => [...literal]))) {
      this.#classOf[byte] = classes
      if (byte >= 97 && byte <= 122) this.#classOf[byte - 32] = classes
      classes++
    }
    return classes
  }

  /** What was given for every literal that occurs in `text`, each literal once. */
  find(text: string): T[] {
    return text.length <= SHORT && this.#isAscii ? this.#findShort(text) : this.#findLong(text)
  }

  #findShort(text: string): T[] {
    const next = this.#next
    const classOf = this.#classOf
    const told: Told<T> = { items: [], states: NOTHING }
    for (let i = 0, row = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      row = next[row + (code < 128 ? classOf[code] : 0)]
      if (row >= 0) continue
      row = ~row
      this.#tell(row >> this.#shift, told)
    }
    return told.items
  }

  #findLong(text: string): T[] {
    const next = this.#next
    const classOf = this.#classOf
    const told: Told<T> = { items: [], states: NOTHING }
    if (scratch.length < 3 * text.length) scratch = new Uint8Array(3 * text.length)
    const bytes = scratch
    const { written } = encoder.encodeInto(text, bytes)
    for (let i = 0, row = 0; i < written; i++) {
      row = next[row + classOf[bytes[i]]]
      if (row >= 0) continue
      row = ~row
      this.#tell(row >> this.#shift, told)
    }
    return told.items
  }

  #tell(state: number, told: Told<T>): void {
    if (told.states === NOTHING) told.states = new Set()
    for (let end = state; end > 0 && !told.states.has(end); end = this.#shorter[end]) {
      told.states.add(end)
      told.items.push(...(this.#ends[end] ?? []))
    }
  }
}

/** What one text has shown so far. */
interface Told<T> {
  readonly items: T[]
  states: Set<number>
}

/** Most texts show nothing: they share this. */
const NOTHING: Set<number> = new Set()

interface Trie<T> {
  /** Child by state and class; 0 where there is none. */
  readonly next: number[]
  readonly ends: (readonly T[] | undefined)[]
}

function buildTrie<T>(
  literals: readonly (readonly [Uint8Array, readonly T[]])[],
  classOf: Uint8Array,
  classes: number,
): Trie<T> {
  const next: number[] = new Array(classes).fill(0)
  const ends: (readonly T[] | undefined)[] = [undefined]
  for (const [literal, items] of literals) {
    let state = 0
    for (const byte of literal) {
      const edge = state * classes + classOf[byte]
      if (next[edge] === 0) {
        next[edge] = ends.push(undefined) - 1
        for (let c = 0; c < classes; c++) next.push(0)
      }
      state = next[edge]
    }
    ends[state] = items
  }
  return { next, ends }
}

/** Turns the trie into an automaton, breadth first: every missing child becomes the child of the longest suffix. */
function link<T>({ next, ends }: Trie<T>, classes: number): { shorter: Int32Array; speaks: Uint8Array } {
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
