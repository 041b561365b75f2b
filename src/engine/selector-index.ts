import { Automaton } from './automaton.ts'
import { type Compound, type Part, parseSelector, SelectorMatcher } from './selector.ts'
import { SparseMap } from './sparse-map.ts'
import { lower } from './text.ts'
import type { Tape } from './types.ts'

interface Row {
  readonly selector: string
  readonly compounds: readonly Compound[]
}

/** Rows that ask for one attribute: for its being there, for its whole value, for a part of its value, for one class. */
interface AttributeRows {
  readonly named: Row[]
  readonly values: Map<string, Row[]>
  readonly parts: Map<string, Row[]>
  readonly classes: SparseMap<Row[]>
  literals?: Automaton<Row>
  /** What the values of the page at hand came to: most values of a page stand there many times. */
  readonly known: Map<string, readonly Row[]>
}

const SHORTEST_PART = 3
const NONE: readonly string[] = []

/** Finds the selectors that an element fits by its attributes and tag: no loop over selectors. ASCII case is ignored. */
export class SelectorIndex {
  readonly #tags = new SparseMap<Row[]>()
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
    let rows = this.#attributes.get(name)
    if (rows === undefined) this.#attributes.set(name, (rows = newRows()))
    if (name === 'id' && action === 'equals') return { rarity: 0, into: rows.values, key: value }
    if (name === 'class' && action === 'element') return { rarity: 1, into: rows.classes, key: value }
    if (action === 'equals') return { rarity: 2, into: rows.values, key: value }
    if (action !== 'exists' && value.length >= SHORTEST_PART) return { rarity: 3, into: rows.parts, key: value }
    return { rarity: 4, into: rows.named, key: '' }
  }

  /** The selectors that the element `at` fits; one with several alternatives may come more than once. */
  match(tape: Tape, at: number): readonly string[] {
    if (this.#tape !== tape) this.#turnTo(tape)
    const candidates = this.#candidates
    if (candidates.length > 0) candidates.length = 0
    collect(this.#all, candidates)
    collect(this.#tags.get(tape.tags[at]), candidates)
    for (let k = tape.attributes[at], end = tape.attributes[at + 1]; k < end; k++) {
      const rows = this.#attributes.get(tape.names[k])
      if (rows !== undefined) collect(rowsOf(rows, tape.values[k]), candidates)
    }
    if (candidates.length === 0) return NONE
    const fitting: string[] = []
    for (const { selector, compounds } of candidates) if (this.#matcher?.fits(compounds, at)) fitting.push(selector)
    return fitting
  }

  /** One page is read at a time: what is remembered goes with it. */
  #turnTo(tape: Tape): void {
    this.#tape = tape
    this.#matcher = new SelectorMatcher(tape, false)
    for (const { known } of this.#attributes.values()) known.clear()
  }
}

function newRows(): AttributeRows {
  return { named: [], values: new Map(), parts: new Map(), classes: new SparseMap(), known: new Map() }
}

/** Rows that a value of an attribute may lead to. */
function rowsOf(rows: AttributeRows, value: string): readonly Row[] {
  const known = rows.known.get(value)
  if (known !== undefined) return known
  const found: Row[] = []
  collect(rows.named, found)
  if (rows.values.size > 0) collect(rows.values.get(lower(value)), found)
  if (!rows.classes.isEmpty) collectClasses(rows.classes, value, found)
  if (rows.literals !== undefined) collect(rows.literals.find(value), found)
  rows.known.set(value, found)
  return found
}

/** White space of HTML: ASCII alone. */
function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 12 || code === 13
}

function collectClasses(classes: SparseMap<Row[]>, value: string, found: Row[]): void {
  for (let from = 0, i = 0; i <= value.length; i++) {
    if (i < value.length && !isSpace(value.charCodeAt(i))) continue
    if (i > from) collect(classes.getPart(value, from, i), found)
    from = i + 1
  }
}

function collect(rows: readonly Row[] | undefined, candidates: Row[]): void {
  if (rows !== undefined) for (let i = 0; i < rows.length; i++) candidates.push(rows[i])
}
