import { Automaton } from './automaton.ts'
import { type Compound, type Part, parseSelector, SelectorMatcher } from './selector.ts'
import { lower } from './text.ts'
import type { Tape } from './types.ts'

interface Row {
  readonly selector: string
  readonly compounds: readonly Compound[]
}

/** Rows that ask for one attribute: for its being there, for its whole value, for a part of its value. */
interface AttributeRows {
  readonly named: Row[]
  readonly values: SparseMap<Row[]>
  readonly parts: Map<string, Row[]>
  literals?: Automaton<Row>
}

const SHORTEST_PART = 3
const SPACE = 32
const NONE: readonly string[] = []

/** Finds the selectors that an element fits by its id, classes, attributes and tag: no loop over selectors. ASCII case is ignored. */
export class SelectorIndex {
  readonly #tags = new SparseMap<Row[]>()
  readonly #ids = new SparseMap<Row[]>()
  readonly #classes = new SparseMap<Row[]>()
  readonly #attributes = new SparseMap<AttributeRows>()
  readonly #all: Row[] = []
  /** Rows that the element at hand may fit. */
  readonly #candidates: Row[] = []
  #tape: Tape | undefined
  #matcher: SelectorMatcher | undefined

  /** @param selectors texts that `parseSelector` takes */
  constructor(selectors: Iterable<string>) {
    for (const selector of selectors) for (const compounds of parseSelector(selector)) this.#add({ selector, compounds })
    for (const rows of this.#attributes.values()) if (rows.parts.size > 0) rows.literals = new Automaton(rows.parts)
  }

  /** A row is looked up by the rarest thing that its last compound says. */
  #add(row: Row): void {
    const keys = row.compounds[row.compounds.length - 1].parts.map((part) => this.#keyOf(part))
    const { into, key } = keys.reduce((best, next) => (next.rarity < best.rarity ? next : best))
    if (Array.isArray(into)) into.push(row)
    else into.set(key, [...(into.get(key) ?? []), row])
  }

  #keyOf(part: Part): { rarity: number; into: Map<string, Row[]> | SparseMap<Row[]> | Row[]; key: string } {
    if (part.type === 'tag') return { rarity: 5, into: this.#tags, key: part.name }
    if (part.type !== 'attribute') return { rarity: 6, into: this.#all, key: '' }
    const { name, action, value } = part
    if (name === 'id' && action === 'equals') return { rarity: 0, into: this.#ids, key: value }
    if (name === 'class' && action === 'element') return { rarity: 1, into: this.#classes, key: value }
    let rows = this.#attributes.get(name)
    if (rows === undefined) this.#attributes.set(name, (rows = { named: [], values: new SparseMap(), parts: new Map() }))
    if (action === 'equals') return { rarity: 2, into: rows.values, key: value }
    if (action !== 'exists' && value.length >= SHORTEST_PART) return { rarity: 3, into: rows.parts, key: value }
    return { rarity: 4, into: rows.named, key: '' }
  }

  /** The selectors that the element `at` fits; one with several alternatives may come more than once. */
  match(tape: Tape, at: number): readonly string[] {
    const candidates = this.#candidates
    candidates.length = 0
    collect(this.#all, candidates)
    collect(this.#tags.get(tape.tags[at]), candidates)
    for (let k = tape.attributes[at], end = tape.attributes[at + 1]; k < end; k++) {
      const name = tape.names[k]
      if (name === 'class') this.#collectClasses(tape.values[k], candidates)
      else if (name === 'id') collect(this.#ids.getPart(tape.values[k], 0, tape.values[k].length), candidates)
      const rows = this.#attributes.get(name)
      if (rows === undefined) continue
      collect(rows.named, candidates)
      collect(rows.values.getPart(tape.values[k], 0, tape.values[k].length), candidates)
      if (rows.literals !== undefined) collect(rows.literals.find(tape.values[k]), candidates)
    }
    if (candidates.length === 0) return NONE
    const matcher = this.#matcherOf(tape)
    const fitting: string[] = []
    for (const { selector, compounds } of candidates) if (matcher.fits(compounds, at)) fitting.push(selector)
    return fitting
  }

  #collectClasses(value: string, candidates: Row[]): void {
    for (let from = 0, i = 0; i <= value.length; i++) {
      const code = i < value.length ? value.charCodeAt(i) : SPACE
      if (code > SPACE) continue
      if (i > from) collect(this.#classes.getPart(value, from, i), candidates)
      from = i + 1
    }
  }

  /** One page is read at a time: its matcher goes with it. */
  #matcherOf(tape: Tape): SelectorMatcher {
    if (this.#matcher === undefined || this.#tape !== tape) this.#matcher = new SelectorMatcher(tape, false)
    this.#tape = tape
    return this.#matcher
  }
}

/**
 * A map that most look-ups miss: length and first letter tell so before a text is hashed, or even cut out of a longer one.
 * Keys are in lower case.
 */
class SparseMap<T> {
  readonly #map = new Map<string, T>()
  readonly #signs = new Uint8Array(128 * 32)

  set(key: string, value: T): void {
    this.#map.set(key, value)
    this.#signs[signOf(key.charCodeAt(0), key.length)] = 1
  }

  /** Of a part of a text, case ignored. */
  getPart(text: string, from: number, to: number): T | undefined {
    return this.#signs[signOf(text.charCodeAt(from), to - from)] === 1 ? this.#map.get(lower(text.slice(from, to))) : undefined
  }

  get(key: string): T | undefined {
    return this.#signs[signOf(key.charCodeAt(0), key.length)] === 1 ? this.#map.get(key) : undefined
  }

  values(): IterableIterator<T> {
    return this.#map.values()
  }
}

/** A small number that equal texts share, whatever their case. */
function signOf(first: number, length: number): number {
  const letter = first >= 65 && first <= 90 ? first + 32 : first & 127
  return letter * 32 + (length & 31)
}

function collect(rows: readonly Row[] | undefined, candidates: Row[]): void {
  if (rows !== undefined) for (let i = 0; i < rows.length; i++) candidates.push(rows[i])
}
