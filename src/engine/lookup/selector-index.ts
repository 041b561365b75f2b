import type { Tape } from '../page/page-types.ts'
import { type Compound, type Part, parseSelector } from '../rule/selector.ts'
import { append } from '../text/lists.ts'
import { joinAlternatives, LiteralIndex } from '../text/literal-index.ts'
import { SparseMap } from '../text/sparse-map.ts'
import { lower } from '../text/text.ts'
import { MAX_COMPARED_CHARACTERS, SelectorMatcher } from './selector-matcher.ts'

interface Row {
  /** The selector as given, with the `EXACT` mark if it has one. */
  readonly selector: string
  readonly compounds: readonly Compound[]
  readonly exact: boolean
  /**
   * The row is looked up by an ancestor (`.rare > div`). When that ancestor was seen, the row is tried on all later elements.
   */
  readonly isArmedByAncestor: boolean
}

/** Prefix of a selector whose case matters. No selector begins with this character. */
export const EXACT = '!'

/** Rows that ask for one attribute: for its presence, its whole value, a word of it such as a class, or another part of it. */
interface AttributeRows {
  readonly present: Row[]
  readonly values: SparseMap<Row[]>
  readonly words: SparseMap<Row[]>
  readonly parts: Record<Position, Map<string, Row[]>>
  /** Matches a value that contains any part at its position. Most values contain none. */
  anyPart?: RegExp
  /** Finds which parts a value contains. */
  literals?: LiteralIndex<Row>
}

/** Position of a part in a value. */
type Position = 'start' | 'end' | 'any'
const POSITIONS: Readonly<Partial<Record<AttributePart['action'], Position>>> = {
  hyphen: 'start',
  start: 'start',
  end: 'end',
  any: 'any',
}

const MIN_PART_CHARACTERS = 3
/** Parts with this rarity or a larger one match many elements of a page. */
const COMMON_RARITY = 4
const NONE: readonly string[] = []
const NO_ROWS: readonly Row[] = []

/** Finds the selectors that an element matches by its attributes and tag, without iterating over selectors. ASCII case is ignored. */
export class SelectorIndex {
  readonly #tags = new Map<string, Row[]>()
  readonly #attributes = new Map<string, AttributeRows>()
  readonly #all: Row[] = []
  /** Rows that the current element may match. */
  readonly #candidates: Row[] = []
  /** Rows that the current element arms: they are tried on later elements. */
  readonly #arming: Row[] = []
  readonly #armed = new Set<Row>()
  /** The rows of each list of classes of the current page. */
  readonly #byClasses = new Map<string, readonly Row[]>()
  readonly #folding = new SelectorMatcher(false)
  readonly #exact = new SelectorMatcher(true)
  #tape: Tape | undefined
  #next = 0

  /** @param selectors texts for `parseSelector`, with the `EXACT` prefix where case matters */
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
      rows.anyPart = buildPartPattern(rows.parts)
      rows.literals = new LiteralIndex(literals)
    }
  }

  /** Adds a row under the rarest part of its last compound or, if that is common, under a rarer part of an ancestor. */
  #add(selector: string, compounds: readonly Compound[], exact: boolean): void {
    const rarest = compounds.map(({ parts }) =>
      parts.reduce((best, part) => (rankRarity(part) < rankRarity(best) ? part : best)),
    )
    const last = rarest[rarest.length - 1]
    const above =
      rankRarity(last) >= COMMON_RARITY ? rarest.find((part) => rankRarity(part) < COMMON_RARITY) : undefined
    const key = above ?? last
    const row = { selector, compounds, exact, isArmedByAncestor: above !== undefined }
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
          present: [],
          values: new SparseMap(),
          words: new SparseMap(),
          parts: { start: new Map(), end: new Map(), any: new Map() },
        }),
      )
    const value = lower(part.value)
    const position = POSITIONS[part.action]
    if (part.action === 'equals') append(rows.values, value, row)
    else if (part.action === 'element' && value.length > 0) append(rows.words, value, row)
    else if (position !== undefined && value.length >= (position === 'any' ? MIN_PART_CHARACTERS : 1))
      append(rows.parts[position], value, row)
    else rows.present.push(row)
  }

  /** One sentence if matching the selectors of the last page exceeded its bound. */
  get warnings(): readonly string[] {
    return this.#folding.isCut || this.#exact.isCut
      ? [`attribute values were compared up to ${MAX_COMPARED_CHARACTERS} characters`]
      : NONE
  }

  /**
   * Finds the selectors that the element `at` matches. A selector with alternatives can occur more than once. The calls are
   * cheapest in document order.
   */
  match(tape: Tape, at: number): readonly string[] {
    if (this.#tape !== tape || at < this.#next) this.#reset(tape)
    while (this.#next <= at) this.#collect(tape, this.#next++)
    let matching: string[] | undefined
    for (const { selector, compounds, exact } of this.#candidates) {
      if (!(exact ? this.#exact : this.#folding).fits(compounds, at)) continue
      if (matching === undefined) matching = [selector]
      else matching.push(selector)
    }
    return matching ?? NONE
  }

  /** Collects the rows that an element may match. Rows that it arms are tried from the next element on. */
  #collect(tape: Tape, at: number): void {
    const rows = this.#candidates
    rows.length = 0
    if (this.#armed.size > 0) for (const row of this.#armed) rows.push(row)
    this.#addRows(this.#all)
    this.#addRows(this.#tags.get(tape.tags[at]))
    for (let k = tape.attributes[at], end = tape.attributes[at + 1]; k < end; k++) {
      const ofAttribute = this.#attributes.get(tape.names[k])
      if (ofAttribute === undefined) continue
      if (tape.names[k] === 'class') this.#addRows(this.#findByClasses(ofAttribute, tape.values[k]))
      else this.#addRows(findByValue(ofAttribute, tape.values[k]))
    }
    if (this.#arming.length === 0) return
    for (const row of this.#arming) this.#armed.add(row)
    this.#arming.length = 0
  }

  /** Finds the rows of a list of classes. On a page, two thirds of the lists repeat an earlier one. */
  #findByClasses(ofAttribute: AttributeRows, classes: string): readonly Row[] {
    let found = this.#byClasses.get(classes)
    if (found === undefined) this.#byClasses.set(classes, (found = findByValue(ofAttribute, classes)))
    return found
  }

  #addRows(found: readonly Row[] = NO_ROWS): void {
    for (let i = 0; i < found.length; i++) (found[i].isArmedByAncestor ? this.#arming : this.#candidates).push(found[i])
  }

  /** Resets the state for another page: one page is read at a time. */
  #reset(tape: Tape): void {
    this.#tape = tape
    this.#next = 0
    this.#armed.clear()
    this.#byClasses.clear()
    this.#folding.reset(tape)
    this.#exact.reset(tape)
  }
}

/** Finds the rows that ask for an attribute or for something of its value. White space of HTML separates words. */
function findByValue({ present, values, words, anyPart, literals }: AttributeRows, value: string): readonly Row[] {
  let rows: readonly Row[] = present
  if (!values.isEmpty) rows = join(rows, values.getPart(value))
  if (!words.isEmpty)
    for (let from = 0, to = 0; to <= value.length; to++) {
      if (to < value.length && !isSpace(value.charCodeAt(to))) continue
      if (to > from) rows = join(rows, words.getPart(value, from, to))
      from = to + 1
    }
  return anyPart?.test(value) ? join(rows, literals?.find(value)) : rows
}

function join(rows: readonly Row[], more: readonly Row[] = NO_ROWS): readonly Row[] {
  if (more.length === 0) return rows
  return rows.length === 0 ? more : [...rows, ...more]
}

/** Whether a code is white space of HTML: space, tab, line feed, form feed or carriage return. */
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11)
}

/** Builds one pattern for all parts. It is fast because a part at a fixed position fails at the first character. */
function buildPartPattern(parts: AttributeRows['parts']): RegExp {
  const patterns: Record<Position, [before: string, after: string]> = {
    start: ['^', ''],
    end: ['', '$'],
    any: ['', ''],
  }
  const used = (Object.keys(patterns) as Position[]).filter((position) => parts[position].size > 0)
  const alternative = (position: Position): string =>
    patterns[position].join(`(?:${joinAlternatives(parts[position].keys())})`)
  return new RegExp(used.map(alternative).join('|'), 'i')
}

type AttributePart = Extract<Part, { type: 'attribute' }>

/** Ranks how rarely an element matches a part: a smaller number is rarer. */
function rankRarity(part: Part): number {
  if (part.type === 'tag') return 5
  if (part.type !== 'attribute') return 6
  if (part.action === 'equals') return part.name === 'id' ? 0 : 2
  if (part.name === 'class' && part.action === 'element') return 1
  return part.action !== 'exists' && part.value.length >= MIN_PART_CHARACTERS ? 3 : 4
}
