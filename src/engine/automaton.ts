import { lower } from './text.ts'

/**
 * Finds which of many literals occur in a text, in one pass whatever their number: Aho-Corasick over a dense table
 * of typed arrays, its alphabet compressed to the characters that literals use. ASCII case is ignored.
 */
export class Automaton<T> {
  /** Class of an ASCII character; of others by map, since few literals have one. 0 = in no literal. */
  readonly #classOf = new Uint16Array(128)
  readonly #others = new Map<number, number>()
  /** A state is a row of 2^shift classes. */
  readonly #shift: number
  /** First index of the next row, by row and class. */
  readonly #next: Int32Array
  /** Literals that end in a state, and the next state on the suffix chain that has some; -1 for none. */
  readonly #ends: readonly (readonly T[] | undefined)[]
  readonly #shorter: Int32Array
  readonly #speaks: Uint8Array

  /** @param literals what to look for → what to report for it */
  constructor(literals: ReadonlyMap<string, readonly T[]>) {
    const folded = new Map<string, T[]>()
    for (const [literal, items] of literals) folded.set(lower(literal), [...(folded.get(lower(literal)) ?? []), ...items])
    this.#shift = Math.ceil(Math.log2(this.#compress(folded.keys())))
    const width = 1 << this.#shift
    const trie = buildTrie(folded, (code) => this.#class(code), width)
    this.#ends = trie.ends
    const { shorter, speaks } = link(trie, width)
    this.#shorter = shorter
    this.#speaks = speaks
    this.#next = Int32Array.from(trie.next, (state) => state << this.#shift)
  }

  #class(code: number): number {
    return code < 128 ? this.#classOf[code] : (this.#others.get(code) ?? 0)
  }

  #compress(literals: Iterable<string>): number {
    let classes = 1
    for (const literal of literals)
      for (let i = 0; i < literal.length; i++) {
        const code = literal.charCodeAt(i)
        if (this.#class(code) !== 0) continue
        if (code < 128) this.#classOf[code] = classes
        else this.#others.set(code, classes)
        if (code >= 97 && code <= 122) this.#classOf[code - 32] = classes
        classes++
      }
    return classes
  }

  /** What was given for every literal that occurs in `text`, each literal once. */
  find(text: string): T[] {
    const found: T[] = []
    const next = this.#next
    const classOf = this.#classOf
    const speaks = this.#speaks
    const shift = this.#shift
    let told: Set<number> | undefined
    for (let i = 0, row = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      row = next[row + (code < 128 ? classOf[code] : this.#class(code))]
      if (speaks[row >> shift] === 0) continue
      told ??= new Set()
      for (let end = row >> shift; end > 0 && !told.has(end); end = this.#shorter[end]) {
        told.add(end)
        found.push(...(this.#ends[end] ?? []))
      }
    }
    return found
  }
}

interface Trie<T> {
  /** Child by state and class; 0 where there is none. */
  readonly next: number[]
  readonly ends: (readonly T[] | undefined)[]
}

function buildTrie<T>(literals: ReadonlyMap<string, readonly T[]>, classOf: (code: number) => number, classes: number): Trie<T> {
  const next: number[] = new Array(classes).fill(0)
  const ends: (readonly T[] | undefined)[] = [undefined]
  for (const [literal, items] of literals) {
    let state = 0
    for (let i = 0; i < literal.length; i++) {
      const edge = state * classes + classOf(literal.charCodeAt(i))
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
