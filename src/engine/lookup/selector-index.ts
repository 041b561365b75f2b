import type { Tape } from '../page/page-types.ts'
import { type Compound, parseSelector, type SelectorPart } from '../rule/selector.ts'
import { append } from '../text/lists.ts'
import { joinAlternatives, LiteralIndex } from '../text/literal-index.ts'
import { MAX_COPIED_CHARACTERS } from '../text/name-table.ts'
import { PackedLists, packLists } from '../text/packed-lists.ts'
import { PackedMap, PackedMapBuilder } from '../text/packed-map.ts'
import { PackedTexts, packTexts } from '../text/packed-texts.ts'
import type { Sections } from '../text/sections.ts'
import { lower } from '../text/text.ts'
import { MAX_COMPARED_CHARACTERS, SelectorMatcher } from './selector-matcher.ts'

/** One alternative of a selector, which is parsed when an element may match it. */
interface SelectorRow {
  /** The selector as given, with the `EXACT` mark if it has one. */
  readonly selector: string
  readonly compounds: readonly Compound[]
  readonly exact: boolean
}

/** Prefix of a selector whose case matters. No selector begins with this character. */
export const EXACT = '!'

/** The rows that ask for one attribute: for its presence, or for a part of its value other than the whole value or a word. */
interface AttributeRows {
  readonly present: readonly number[]
  readonly hasValues: boolean
  readonly hasWords: boolean
  /** Matches a value that contains any part at its position. Most values contain none. */
  readonly anyPart: RegExp | null
  /** Finds which parts a value contains, and the rows of each part. */
  readonly literals: LiteralIndex
  readonly rowsOfPart: readonly (readonly number[])[]
}

/** Position of a part in a value. */
type PartPosition = 'start' | 'end' | 'any'
const POSITIONS: Readonly<Partial<Record<AttributePart['action'], PartPosition>>> = {
  hyphen: 'start',
  start: 'start',
  end: 'end',
  any: 'any',
}

/** Number of names of tags, and of attributes, whose rows are stored. Real pages use a few hundred. */
const MAX_KNOWN_NAMES = 4096
const MIN_PART_CHARACTERS = 3
/** Parts with this rarity or a larger one match many elements of a page. */
const COMMON_RARITY = 4
const NONE: readonly string[] = []
const NO_ROWS: readonly number[] = []

/** Scopes of the map of keys: tags, attributes, and for each attribute its whole values and the words of its values. */
const TAG = 0
const ATTRIBUTE = 1
const FIRST_ATTRIBUTE = 2
/** The list of the rows that any element may match. */
const ALL = 0
const FIRST_KEY = 1

/**
 * Finds the selectors that an element matches by its attributes and tag, without iterating over selectors. ASCII case is ignored.
 * A selector is a row for each of its alternatives; rows are numbered.
 */
export class SelectorIndex {
  readonly #getWord: (word: number) => string
  readonly #keys: PackedMap
  /** The rows of all elements, and those of each key. */
  readonly #rows: PackedLists
  /** The word of each row, and the number of its alternative. */
  readonly #wordOfRow: Uint32Array
  readonly #alternative: Uint32Array
  /**
   * Whether a row is looked up by an ancestor (`.rare > div`). When that ancestor was seen, the row is tried on all later
   * elements.
   */
  readonly #isArmed: Uint8Array
  readonly #partTexts: PackedTexts
  readonly #partRows: PackedLists
  /** The parts of each attribute, by position. */
  readonly #parts: Readonly<Record<PartPosition, PackedLists>>
  readonly #flags: Uint8Array
  readonly #parsed: (SelectorRow | undefined)[] = []
  readonly #attributes: (AttributeRows | undefined)[] = []
  /** The rows that any element may match. */
  readonly #ofAll: readonly number[]
  /** The rows of each tag, and the number of each attribute, by name. The tape shares one string for each usual name. */
  readonly #ofTag = new Map<string, readonly number[]>()
  readonly #ofAttribute = new Map<string, number>()
  /** Rows that the current element may match. */
  readonly #candidates: number[] = []
  /** Rows that the current element arms: they are tried on later elements. */
  readonly #arming: number[] = []
  readonly #armed = new Set<number>()
  /** The rows of each list of classes of the current page. */
  readonly #byClasses = new Map<string, readonly number[]>()
  /** The selectors that `find` has parsed. */
  readonly #whole = new Map<string, readonly (readonly Compound[])[]>()
  /** What `find` has found on the current page. */
  readonly #found = new Map<string, readonly number[]>()
  readonly #folding = new SelectorMatcher(false)
  readonly #exact = new SelectorMatcher(true)
  #tape: Tape | undefined
  #next = 0

  /** @param getWord returns a selector by its number, with the `EXACT` prefix where case matters */
  constructor(sections: Sections, getWord: (word: number) => string) {
    this.#getWord = getWord
    this.#keys = new PackedMap(sections.at('keys'))
    this.#rows = new PackedLists(sections.at('rows'))
    this.#ofAll = [...this.#rows.get(ALL)]
    this.#wordOfRow = sections.words('wordOfRow')
    this.#alternative = sections.words('alternative')
    this.#isArmed = sections.bytes('isArmed')
    this.#partTexts = new PackedTexts(sections.at('partTexts'))
    this.#partRows = new PackedLists(sections.at('partRows'))
    this.#parts = {
      start: new PackedLists(sections.at('start')),
      end: new PackedLists(sections.at('end')),
      any: new PackedLists(sections.at('any')),
    }
    this.#flags = sections.bytes('flags')
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
    for (const row of this.#candidates) {
      const { selector, compounds, exact } = (this.#parsed[row] ??= this.#parse(row))
      if (!(exact ? this.#exact : this.#folding).fits(compounds, at)) continue
      if (matching === undefined) matching = [selector]
      else matching.push(selector)
    }
    return matching ?? NONE
  }

  /** Finds the first elements that any of some selectors matches, at most `most` of them. Each list of selectors is tried once for a page. */
  find(tape: Tape, selectors: readonly string[], most: number): readonly number[] {
    if (this.#tape !== tape) this.#reset(tape)
    const key = `${most} ${selectors.join('\n')}`
    let found = this.#found.get(key)
    if (found === undefined) this.#found.set(key, (found = this.#findFirst(tape, selectors, most)))
    return found
  }

  #findFirst({ tags }: Tape, selectors: readonly string[], most: number): readonly number[] {
    const found = new Set<number>()
    for (const row of selectors.flatMap((selector) => this.#parseWhole(selector))) {
      const tag = findTag(row)
      let left = most
      for (let at = tag === undefined ? 0 : tags.indexOf(tag); at >= 0 && at < tags.length && left > 0; ) {
        if (this.#folding.fits(row, at)) {
          found.add(at)
          left--
        }
        at = tag === undefined ? at + 1 : tags.indexOf(tag, at + 1)
      }
    }
    return [...found].sort((a, b) => a - b).slice(0, most)
  }

  #parseWhole(selector: string): readonly (readonly Compound[])[] {
    let rows = this.#whole.get(selector)
    if (rows === undefined) this.#whole.set(selector, (rows = parseSelector(selector)))
    return rows
  }

  #parse(row: number): SelectorRow {
    const selector = this.#getWord(this.#wordOfRow[row])
    const { text, exact } = cutExact(selector)
    return { selector, compounds: parseSelector(text, exact)[this.#alternative[row]], exact }
  }

  /**
   * Collects the rows that an element may match. Rows that it arms are tried from the next element on. The list is emptied only if
   * it has rows: setting a length is slow, even to the same one.
   */
  #collect(tape: Tape, at: number): void {
    const rows = this.#candidates
    if (rows.length > 0) rows.length = 0
    if (this.#armed.size > 0) for (const row of this.#armed) rows.push(row)
    this.#addRows(this.#ofAll)
    this.#addRows(this.#findByTag(tape.tags[at]))
    for (let k = tape.attributes[at], end = tape.attributes[at + 1]; k < end; k++) {
      const attribute = this.#findAttribute(tape.names[k])
      if (attribute < 0) continue
      if (tape.names[k] === 'class') this.#addRows(this.#findByClasses(attribute, tape.values[k]))
      else this.#addRows(this.#findByValue(attribute, tape.values[k]))
    }
    if (this.#arming.length === 0) return
    for (const row of this.#arming) this.#armed.add(row)
    this.#arming.length = 0
  }

  #findByTag(tag: string): readonly number[] {
    let rows = this.#ofTag.get(tag)
    if (rows === undefined) {
      const key = this.#keys.find(tag, 0, tag.length, TAG)
      rows = key < 0 ? NO_ROWS : [...this.#rows.get(FIRST_KEY + key)]
      if (isStorable(tag, this.#ofTag)) this.#ofTag.set(tag, rows)
    }
    return rows
  }

  /** Finds the number of the key of an attribute; -1 if no row asks for it. */
  #findAttribute(name: string): number {
    let attribute = this.#ofAttribute.get(name)
    if (attribute === undefined) {
      attribute = this.#keys.find(name, 0, name.length, ATTRIBUTE)
      if (isStorable(name, this.#ofAttribute)) this.#ofAttribute.set(name, attribute)
    }
    return attribute
  }

  /** Finds the rows of a list of classes. On a page, two thirds of the lists repeat an earlier one. */
  #findByClasses(attribute: number, classes: string): readonly number[] {
    let found = this.#byClasses.get(classes)
    if (found === undefined) this.#byClasses.set(classes, (found = this.#findByValue(attribute, classes)))
    return found
  }

  /**
   * Finds the rows that ask for an attribute or for something of its value. White space of HTML separates words.
   * @param attribute number of its key
   */
  #findByValue(attribute: number, value: string): readonly number[] {
    const rows = (this.#attributes[attribute] ??= this.#readAttribute(attribute))
    const scope = FIRST_ATTRIBUTE + 2 * attribute
    let found = rows.present
    if (rows.hasValues) found = this.#join(found, this.#keys.find(value, 0, value.length, scope))
    if (rows.hasWords)
      for (let from = 0, to = 0; to <= value.length; to++) {
        if (to < value.length && !isSpace(value.charCodeAt(to))) continue
        if (to > from) found = this.#join(found, this.#keys.find(value, from, to, scope + 1))
        from = to + 1
      }
    if (rows.anyPart?.test(value))
      for (const part of rows.literals.find(value)) found = [...found, ...rows.rowsOfPart[part]]
    return found
  }

  #join(rows: readonly number[], key: number): readonly number[] {
    if (key < 0) return rows
    const more = this.#rows.get(FIRST_KEY + key)
    return rows.length === 0 ? [...more] : [...rows, ...more]
  }

  #readAttribute(attribute: number): AttributeRows {
    const list = (position: PartPosition): number[] => [...this.#parts[position].get(attribute)]
    const byText = new Map<string, number[]>()
    for (const part of [...list('start'), ...list('end'), ...list('any')])
      for (const row of this.#partRows.get(part)) append(byText, this.#partTexts.get(part), row)
    const texts = (position: PartPosition): string[] => list(position).map((part) => this.#partTexts.get(part))
    return {
      present: [...this.#rows.get(FIRST_KEY + attribute)],
      hasValues: (this.#flags[attribute] & HAS_VALUES) !== 0,
      hasWords: (this.#flags[attribute] & HAS_WORDS) !== 0,
      anyPart:
        byText.size === 0 ? null : buildPartPattern({ start: texts('start'), end: texts('end'), any: texts('any') }),
      literals: LiteralIndex.of([...byText.keys()]),
      rowsOfPart: [...byText.values()],
    }
  }

  #addRows(found: readonly number[]): void {
    for (let i = 0; i < found.length; i++)
      (this.#isArmed[found[i]] === 1 ? this.#arming : this.#candidates).push(found[i])
  }

  /** Resets the state for another page: one page is read at a time. */
  #reset(tape: Tape): void {
    this.#tape = tape
    this.#next = 0
    this.#armed.clear()
    this.#byClasses.clear()
    this.#found.clear()
    this.#folding.reset(tape)
    this.#exact.reset(tape)
  }
}

/** Finds the tag that an element must have to match a row. */
function findTag(row: readonly Compound[]): string | undefined {
  const tag = row[row.length - 1].parts.find((part) => part.type === 'tag')
  return tag?.name
}

/** Whether a name may be stored. V8 stores a longer slice as a view that keeps its whole document in memory. */
function isStorable(name: string, { size }: ReadonlyMap<string, unknown>): boolean {
  return name.length <= MAX_COPIED_CHARACTERS && size < MAX_KNOWN_NAMES
}

/** Whether a code is white space of HTML: space, tab, line feed, form feed or carriage return. */
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11)
}

/** Builds one pattern for all parts. It is fast because a part at a fixed position fails at the first character. */
function buildPartPattern(parts: Readonly<Record<PartPosition, readonly string[]>>): RegExp {
  const patterns: Record<PartPosition, [before: string, after: string]> = {
    start: ['^', ''],
    end: ['', '$'],
    any: ['', ''],
  }
  const used = (Object.keys(patterns) as PartPosition[]).filter((position) => parts[position].length > 0)
  const alternative = (position: PartPosition): string =>
    patterns[position].join(`(?:${joinAlternatives(parts[position])})`)
  return new RegExp(used.map(alternative).join('|'), 'i')
}

/** Cuts the `EXACT` mark off a selector. */
function cutExact(selector: string): { readonly text: string; readonly exact: boolean } {
  const exact = selector.startsWith(EXACT)
  return { text: exact ? selector.slice(EXACT.length) : selector, exact }
}

/** Whether rows ask for whole values of an attribute, and whether they ask for words of its values. */
const HAS_VALUES = 1
const HAS_WORDS = 2

/**
 * Packs selectors for a `SelectorIndex`.
 * @param selectors by number, texts for `parseSelector`, with the `EXACT` prefix where case matters
 */
export function packSelectors(selectors: ReadonlyMap<number, string>, into: Sections): void {
  const packer = new SelectorPacker()
  for (const [word, selector] of selectors) {
    const { text, exact } = cutExact(selector)
    for (const [alternative, compounds] of parseSelector(text, exact).entries())
      packer.add(compounds, { word, alternative })
  }
  packer.pack(into)
}

/** Collects the rows of selectors, each under its rarest part. */
class SelectorPacker {
  readonly #keys = new PackedMapBuilder()
  readonly #rows: number[][] = [[]]
  readonly #wordOfRow: number[] = []
  readonly #alternative: number[] = []
  readonly #isArmed: number[] = []
  readonly #partTexts: string[] = []
  readonly #partRows: number[][] = []
  readonly #partNumbers = new Map<string, number>()
  readonly #parts: Record<PartPosition, number[][]> = { start: [], end: [], any: [] }
  readonly #flags: number[] = []

  /** Adds a row under the rarest part of its last compound or, if that is common, under a rarer part of an ancestor. */
  add(compounds: readonly Compound[], { word, alternative }: { word: number; alternative: number }): void {
    const rarest = compounds.map(({ parts }) =>
      parts.reduce((best, part) => (rankRarity(part) < rankRarity(best) ? part : best)),
    )
    const last = rarest[rarest.length - 1]
    const above =
      rankRarity(last) >= COMMON_RARITY ? rarest.find((part) => rankRarity(part) < COMMON_RARITY) : undefined
    const key = above ?? last
    const row = this.#wordOfRow.push(word) - 1
    this.#alternative.push(alternative)
    this.#isArmed.push(above === undefined ? 0 : 1)
    if (key.type === 'tag') this.#addToKey(this.#keys.add(key.name, TAG), row)
    else if (key.type === 'attribute') this.#addAttribute(key, row)
    else this.#rows[ALL].push(row)
  }

  #addToKey(key: number, row: number): void {
    this.#rows[FIRST_KEY + key] ??= []
    this.#rows[FIRST_KEY + key].push(row)
  }

  #addAttribute(part: AttributePart, row: number): void {
    const attribute = this.#keys.add(part.name, ATTRIBUTE)
    const scope = FIRST_ATTRIBUTE + 2 * attribute
    const value = lower(part.value)
    const position = POSITIONS[part.action]
    if (part.action === 'equals') this.#addValue(attribute, HAS_VALUES, this.#keys.add(value, scope), row)
    else if (part.action === 'element' && value.length > 0)
      this.#addValue(attribute, HAS_WORDS, this.#keys.add(value, scope + 1), row)
    else if (position !== undefined && value.length >= (position === 'any' ? MIN_PART_CHARACTERS : 1))
      this.#addPart(attribute, position, value, row)
    else this.#addToKey(attribute, row)
  }

  #addValue(attribute: number, flag: number, key: number, row: number): void {
    this.#flags[attribute] = (this.#flags[attribute] ?? 0) | flag
    this.#addToKey(key, row)
  }

  #addPart(attribute: number, position: PartPosition, value: string, row: number): void {
    const name = `${attribute} ${position} ${value}`
    let part = this.#partNumbers.get(name)
    if (part === undefined) {
      part = this.#partTexts.push(value) - 1
      this.#partNumbers.set(name, part)
      this.#partRows.push([])
      this.#parts[position][attribute] ??= []
      this.#parts[position][attribute].push(part)
    }
    this.#partRows[part].push(row)
  }

  pack(into: Sections): void {
    const { count } = this.#keys
    const fill = <T>(lists: (T[] | undefined)[], length: number): T[][] =>
      Array.from({ length }, (_, i) => lists[i] ?? [])
    this.#keys.pack(into.at('keys'))
    packLists(fill(this.#rows, FIRST_KEY + count), into.at('rows'))
    into.put('wordOfRow', Uint32Array.from(this.#wordOfRow))
    into.put('alternative', Uint32Array.from(this.#alternative))
    into.put('isArmed', Uint8Array.from(this.#isArmed))
    packTexts(this.#partTexts, into.at('partTexts'))
    packLists(this.#partRows, into.at('partRows'))
    for (const position of Object.keys(this.#parts) as PartPosition[])
      packLists(fill(this.#parts[position], count), into.at(position))
    into.put(
      'flags',
      Uint8Array.from({ length: count }, (_, i) => this.#flags[i] ?? 0),
    )
  }
}

type AttributePart = Extract<SelectorPart, { type: 'attribute' }>

/** Ranks how rarely an element matches a part: a smaller number is rarer. */
function rankRarity(part: SelectorPart): number {
  if (part.type === 'tag') return 5
  if (part.type !== 'attribute') return 6
  if (part.action === 'equals') return part.name === 'id' ? 0 : 2
  if (part.name === 'class' && part.action === 'element') return 1
  return part.action !== 'exists' && part.value.length >= MIN_PART_CHARACTERS ? 3 : 4
}
