import type { Selector } from 'css-what'
import { Automaton } from './automaton.ts'
import { type Compound, matchRow, parseSelector } from './selector.ts'
import { lower } from './text.ts'
import type { Tape } from './types.ts'

interface Row {
  readonly selector: string
  readonly compounds: readonly Compound[]
}

/** Rows that ask for one attribute: for its being there, for its whole value, for a part of its value. */
interface AttributeRows {
  readonly named: Row[]
  readonly values: Map<string, Row[]>
  readonly parts: Map<string, Row[]>
  automaton?: Automaton<Row>
}

const SHORTEST_PART = 3
const NONE: readonly string[] = []

/** Finds the selectors that an element fits by its id, classes, attributes and tag: no loop over selectors. ASCII case is ignored. */
export class SelectorIndex {
  readonly #tags = new Map<string, Row[]>()
  readonly #ids = new Map<string, Row[]>()
  readonly #classes = new Map<string, Row[]>()
  readonly #attributes = new Map<string, AttributeRows>()
  readonly #all: Row[] = []

  /** @param selectors texts that `parseSelector` takes */
  constructor(selectors: Iterable<string>) {
    for (const selector of selectors) for (const compounds of parseSelector(selector)) this.#add({ selector, compounds })
    for (const rows of this.#attributes.values()) if (rows.parts.size > 0) rows.automaton = new Automaton(rows.parts)
  }

  /** A row is looked up by the rarest thing that its last compound says. */
  #add(row: Row): void {
    const keys = row.compounds[row.compounds.length - 1].parts.map((part) => this.#keyOf(part))
    const { into, key } = keys.reduce((best, next) => (next.rarity < best.rarity ? next : best))
    if (Array.isArray(into)) into.push(row)
    else into.set(key, [...(into.get(key) ?? []), row])
  }

  #keyOf(part: Selector): { rarity: number; into: Map<string, Row[]> | Row[]; key: string } {
    if (part.type === 'tag') return { rarity: 5, into: this.#tags, key: lower(part.name) }
    if (part.type !== 'attribute') return { rarity: 6, into: this.#all, key: '' }
    const name = lower(part.name)
    const value = lower(part.value)
    if (name === 'id' && part.action === 'equals') return { rarity: 0, into: this.#ids, key: value }
    if (name === 'class' && part.action === 'element') return { rarity: 1, into: this.#classes, key: value }
    let rows = this.#attributes.get(name)
    if (rows === undefined) this.#attributes.set(name, (rows = { named: [], values: new Map(), parts: new Map() }))
    if (part.action === 'equals') return { rarity: 2, into: rows.values, key: value }
    if (part.action !== 'exists' && value.length >= SHORTEST_PART) return { rarity: 3, into: rows.parts, key: value }
    return { rarity: 4, into: rows.named, key: '' }
  }

  /** The selectors that the element `at` fits; one with several alternatives may come more than once. */
  match(tape: Tape, at: number): readonly string[] {
    let candidates: Row[] | undefined
    const add = (rows: readonly Row[] | undefined): void => {
      if (rows === undefined || rows.length === 0) return
      if (candidates === undefined) candidates = [...rows]
      else candidates.push(...rows)
    }
    add(this.#all)
    add(this.#tags.get(tape.tags[at]))
    for (let k = tape.attributes[at], end = tape.attributes[at + 1]; k < end; k++) {
      const name = tape.names[k]
      if (name === 'id') add(this.#ids.get(lower(tape.values[k])))
      if (name === 'class') for (const token of tokensOf(tape.values[k])) add(this.#classes.get(lower(token)))
      const rows = this.#attributes.get(name)
      if (rows === undefined) continue
      add(rows.named)
      add(rows.values.get(lower(tape.values[k])))
      add(rows.automaton?.find(tape.values[k]))
    }
    if (candidates === undefined) return NONE
    return candidates.filter((row) => matchRow(row.compounds, tape, at, false)).map((row) => row.selector)
  }
}

function tokensOf(value: string): readonly string[] {
  return /\s/.test(value) ? value.split(/\s+/) : [value]
}
