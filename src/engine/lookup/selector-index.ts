import type { Tape } from '../page/page-types.ts'
import { type Compound, type Part, parseSelector } from '../rule/selector.ts'
import { append } from '../text/lists.ts'
import { joinAlternatives, LiteralIndex } from '../text/literal-index.ts'
import { SparseMap } from '../text/sparse-map.ts'
import { lower } from '../text/text.ts'
import { MAX_COMPARED, SelectorMatcher } from './selector-matcher.ts'

interface Row {
  /** As it was given: with the mark of an exact one. */
  readonly selector: string
  readonly compounds: readonly Compound[]
  readonly exact: boolean
  /** It is looked up by an element above the one it is about (`.rare > div`): from there on it is tried on all that follow. */
  readonly arms: boolean
}

/** Marks a selector whose case matters. No selector begins so. */
export const EXACT = '!'

/** Rows that ask for one attribute: for its being there, for its whole value, for a part of its value. */
interface AttributeRows {
  readonly named: Row[]
  readonly values: SparseMap<Row[]>
  readonly parts: Record<Spot, Map<string, Row[]>>
  /** Whether a value has a part where it is asked for: most have none. */
  some?: RegExp
  /** Finds which. */
  literals?: LiteralIndex<Row>
}

/** Where in a value a part stands. */
type Spot = 'word' | 'start' | 'end' | 'any'
const SPOTS: Readonly<Partial<Record<AttributePart['action'], Spot>>> = {
  element: 'word',
  hyphen: 'start',
  start: 'start',
  end: 'end',
  any: 'any',
}

const SHORTEST_PART = 3
/** Rarity from which on a page has many elements that fit. */
const COMMON = 4
const NONE: readonly string[] = []

/** Finds the selectors that an element fits by its attributes and tag: no loop over selectors. ASCII case is ignored. */
export class SelectorIndex {
  readonly #tags = new SparseMap<Row[]>()
  readonly #attributes = new SparseMap<AttributeRows>()
  readonly #all: Row[] = []
  /** Rows that the element at hand may fit. */
  readonly #candidates: Row[] = []
  /** Those among them that are tried on later elements only. */
  readonly #arming: Row[] = []
  readonly #armed = new Set<Row>()
  readonly #folding = new SelectorMatcher(false)
  readonly #exact = new SelectorMatcher(true)
  #tape: Tape | undefined
  #next = 0

  /** @param selectors texts that `parseSelector` takes, with `EXACT` before those whose case matters */
  constructor(selectors: Iterable<string>) {
    for (const selector of selectors) {
      const exact = selector.startsWith(EXACT)
      for (const compounds of parseSelector(exact ? selector.slice(1) : selector, exact))
        this.#add(selector, compounds, exact)
    }
    for (const rows of this.#attributes.values()) {
      const literals = new Map<string, Row[]>()
      for (const parts of Object.values(rows.parts))
        for (const [part, ofPart] of parts) for (const row of ofPart) append(literals, part, row)
      if (literals.size === 0) continue
      rows.some = buildPartPattern(rows.parts)
      rows.literals = new LiteralIndex(literals)
    }
  }

  /** A row is looked up by the rarest thing that its last compound says; where that is common, by one above it. */
  #add(selector: string, compounds: readonly Compound[], exact: boolean): void {
    const rarest = compounds.map(({ parts }) =>
      parts.reduce((best, part) => (rankRarity(part) < rankRarity(best) ? part : best)),
    )
    const last = rarest[rarest.length - 1]
    const above = rankRarity(last) >= COMMON ? rarest.find((part) => rankRarity(part) < COMMON) : undefined
    const key = above ?? last
    const row = { selector, compounds, exact, arms: above !== undefined }
    if (key.type === 'tag') append(this.#tags, key.name, row)
    else if (key.type === 'attribute') this.#addAttribute(key, row)
    else this.#all.push(row)
  }

  #addAttribute(part: AttributePart, row: Row): void {
    let rows = this.#attributes.get(part.name)
    if (rows === undefined)
      this.#attributes.set(
        part.name,
        (rows = {
          named: [],
          values: new SparseMap(),
          parts: { word: new Map(), start: new Map(), end: new Map(), any: new Map() },
        }),
      )
    const value = lower(part.value)
    const spot = SPOTS[part.action]
    if (part.action === 'equals') append(rows.values, value, row)
    else if (spot !== undefined && value.length >= (spot === 'any' ? SHORTEST_PART : 1))
      append(rows.parts[spot], value, row)
    else rows.named.push(row)
  }

  /** One sentence when the last page cost too much to match all its selectors. */
  get warnings(): readonly string[] {
    return this.#folding.isCut || this.#exact.isCut
      ? [`values of attributes were compared up to ${MAX_COMPARED} characters`]
      : NONE
  }

  /** The selectors that the element `at` fits; one with several alternatives may come more than once. Cheapest in document order. */
  match(tape: Tape, at: number): readonly string[] {
    if (this.#tape !== tape || at < this.#next) this.#turnTo(tape)
    while (this.#next <= at) this.#collect(tape, this.#next++)
    let fitting: string[] | undefined
    for (const { selector, compounds, exact } of this.#candidates) {
      if (!(exact ? this.#exact : this.#folding).fits(compounds, at)) continue
      if (fitting === undefined) fitting = [selector]
      else fitting.push(selector)
    }
    return fitting ?? NONE
  }

  /** Collects the rows that an element may fit. Those that it arms are tried from the next one on. */
  #collect(tape: Tape, at: number): void {
    const rows = this.#candidates
    rows.length = 0
    if (this.#armed.size > 0) for (const row of this.#armed) rows.push(row)
    this.#take(this.#all)
    this.#take(this.#tags.get(tape.tags[at]))
    for (let k = tape.attributes[at], end = tape.attributes[at + 1]; k < end; k++) {
      const ofName = this.#attributes.get(tape.names[k])
      if (ofName === undefined) continue
      const value = tape.values[k]
      this.#take(ofName.named)
      this.#take(ofName.values.getPart(value, 0, value.length))
      if (ofName.some?.test(value)) this.#take(ofName.literals?.find(value))
    }
    if (this.#arming.length === 0) return
    for (const row of this.#arming) this.#armed.add(row)
    this.#arming.length = 0
  }

  #take(found: readonly Row[] | undefined): void {
    if (found === undefined) return
    for (let i = 0; i < found.length; i++) (found[i].arms ? this.#arming : this.#candidates).push(found[i])
  }

  /** One page is read at a time: what is remembered goes with it. */
  #turnTo(tape: Tape): void {
    this.#tape = tape
    this.#next = 0
    this.#armed.clear()
    this.#folding.turnTo(tape)
    this.#exact.turnTo(tape)
  }
}

/** What stands at a certain spot fails at most letters, so that one pattern for all parts is fast. */
function buildPartPattern(parts: AttributeRows['parts']): RegExp {
  const patterns: Record<Spot, [before: string, after: string]> = {
    word: ['(?:^|[ \\t\\n\\f\\r])', '(?![^ \\t\\n\\f\\r])'],
    start: ['^', ''],
    end: ['', '$'],
    any: ['', ''],
  }
  const asked = (Object.keys(patterns) as Spot[]).filter((spot) => parts[spot].size > 0)
  const alternative = (spot: Spot): string => patterns[spot].join(`(?:${joinAlternatives(parts[spot].keys())})`)
  return new RegExp(asked.map(alternative).join('|'), 'i')
}

type AttributePart = Extract<Part, { type: 'attribute' }>

/** How rare it is that an element fits: the smaller, the rarer. */
function rankRarity(part: Part): number {
  if (part.type === 'tag') return 5
  if (part.type !== 'attribute') return 6
  if (part.action === 'equals') return part.name === 'id' ? 0 : 2
  if (part.name === 'class' && part.action === 'element') return 1
  return part.action !== 'exists' && part.value.length >= SHORTEST_PART ? 3 : 4
}
