import { LiteralIndex } from './literal-index.ts'
import { type Compound, type Part, parseSelector, SelectorMatcher } from './selector.ts'
import { SparseMap } from './sparse-map.ts'
import { lower } from './text.ts'
import type { Tape } from './types.ts'

interface Row {
  /** As it was given: with the mark of an exact one. */
  readonly selector: string
  readonly compounds: readonly Compound[]
  readonly exact: boolean
}

/** Marks a selector whose case matters. No selector begins so. */
export const EXACT = '!'

/** Rows that ask for one attribute: for its being there, for its whole value, for one class, for a part of its value. */
interface AttributeRows {
  readonly named: Row[]
  readonly values: SparseMap<Row[]>
  readonly classes: Map<string, Row[]>
  readonly parts: Map<string, Row[]>
  /** Finds classes and parts in a value. */
  literals?: LiteralIndex<Row>
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
  #folding: SelectorMatcher | undefined
  #exact: SelectorMatcher | undefined

  /** @param selectors texts that `parseSelector` takes, with `EXACT` before those whose case matters */
  constructor(selectors: Iterable<string>) {
    for (const selector of selectors) {
      const exact = selector.startsWith(EXACT)
      for (const compounds of parseSelector(exact ? selector.slice(1) : selector, exact)) this.#add({ selector, compounds, exact })
    }
    for (const rows of this.#attributes.values()) {
      const literals = new Map(rows.parts)
      for (const [name, ofClass] of rows.classes) literals.set(name, [...(literals.get(name) ?? []), ...ofClass])
      if (literals.size > 0) rows.literals = new LiteralIndex(literals)
    }
  }

  /** A row is looked up by the rarest thing that its last compound says. */
  #add(row: Row): void {
    const { parts } = row.compounds[row.compounds.length - 1]
    const rarest = parts.reduce((best, part) => (rarityOf(part) < rarityOf(best) ? part : best))
    if (rarest.type === 'tag') append(this.#tags, rarest.name, row)
    else if (rarest.type === 'attribute') this.#addAttribute(rarest, row)
    else this.#all.push(row)
  }

  #addAttribute(part: AttributePart, row: Row): void {
    let rows = this.#attributes.get(part.name)
    if (rows === undefined) this.#attributes.set(part.name, (rows = { named: [], values: new SparseMap(), classes: new Map(), parts: new Map() }))
    const value = lower(part.value)
    if (part.action === 'equals') append(rows.values, value, row)
    else if (part.name === 'class' && part.action === 'element') append(rows.classes, value, row)
    else if (part.action !== 'exists' && value.length >= SHORTEST_PART) append(rows.parts, value, row)
    else rows.named.push(row)
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
      if (rows === undefined) continue
      const value = tape.values[k]
      collect(rows.named, candidates)
      collect(rows.values.getPart(value, 0, value.length), candidates)
      if (rows.literals !== undefined) collect(rows.literals.find(value), candidates)
    }
    if (candidates.length === 0) return NONE
    const fitting: string[] = []
    for (const { selector, compounds, exact } of candidates) if ((exact ? this.#exact : this.#folding)?.fits(compounds, at)) fitting.push(selector)
    return fitting
  }

  /** One page is read at a time: what is remembered goes with it. */
  #turnTo(tape: Tape): void {
    this.#tape = tape
    this.#folding = new SelectorMatcher(tape, false)
    this.#exact = new SelectorMatcher(tape, true)
  }
}

type AttributePart = Extract<Part, { type: 'attribute' }>

/** How rare it is that an element fits: the smaller, the rarer. */
function rarityOf(part: Part): number {
  if (part.type === 'tag') return 5
  if (part.type !== 'attribute') return 6
  if (part.action === 'equals') return part.name === 'id' ? 0 : 2
  if (part.name === 'class' && part.action === 'element') return 1
  return part.action !== 'exists' && part.value.length >= SHORTEST_PART ? 3 : 4
}

function append(map: Map<string, Row[]> | SparseMap<Row[]>, key: string, row: Row): void {
  map.set(key, [...(map.get(key) ?? []), row])
}

function collect(rows: readonly Row[] | undefined, candidates: Row[]): void {
  if (rows !== undefined) for (let i = 0; i < rows.length; i++) candidates.push(rows[i])
}
