import { type AttributeSelector, parse, type Selector } from 'css-what'
import { lower } from './text.ts'
import type { Tape } from './types.ts'

/** Why a text is no selector of ours; `message` is a sentence for its author. */
export class SelectorError extends Error {}

/** One condition on one element; names and tags in lower case, values too unless case matters. */
export type Part =
  | { readonly type: 'tag'; readonly name: string }
  | { readonly type: 'any' }
  | {
      readonly type: 'attribute'
      readonly name: string
      readonly action: AttributeSelector['action']
      readonly value: string
    }
  | { readonly type: 'not' | 'is'; readonly rows: readonly (readonly Part[])[] }

/** One element's conditions, and how it stands to the compound before it. */
export interface Compound {
  /** Counted over all selectors: what is remembered of it stands there. */
  readonly id: number
  readonly parts: readonly Part[]
  /** What leads from the compound on the left to this one; null for the first. */
  readonly from: 'descendant' | 'child' | null
}

/** Alternatives (the comma list), each a row of compounds from left to right. */
export type ParsedSelector = readonly (readonly Compound[])[]

const SAYS =
  'a selector is made of tag, *, #id, .class, [attr] and its operators, :not() and :is() of compounds, descendant, child and comma'

/**
 * Reads a selector of the subset that can be matched while going through a page once.
 * @throws SelectorError
 */
export function parseSelector(text: string, exact = false): ParsedSelector {
  let rows: Selector[][]
  try {
    rows = parse(text)
  } catch (error) {
    throw new SelectorError(`"${text}": ${(error as Error).message}; ${SAYS}`)
  }
  return rows.map((row) => compoundsOf(row, text, exact))
}

let ids = 0

function compoundsOf(row: readonly Selector[], text: string, exact: boolean): Compound[] {
  const compounds: { id: number; parts: Part[]; from: Compound['from'] }[] = [{ id: ids++, parts: [], from: null }]
  for (const part of row) {
    if (part.type === 'descendant' || part.type === 'child') compounds.push({ id: ids++, parts: [], from: part.type })
    else compounds[compounds.length - 1].parts.push(readPart(part, text, exact, true))
  }
  if (compounds.some(({ parts }) => parts.length === 0)) throw new SelectorError(`"${text}" ends in nothing; ${SAYS}`)
  return compounds
}

function readPart(part: Selector, text: string, exact: boolean, nest: boolean): Part {
  if (part.type === 'universal' && part.namespace === null) return { type: 'any' }
  if (part.type === 'tag' && part.namespace === null) return { type: 'tag', name: lower(part.name) }
  if (part.type === 'attribute' && part.namespace === null && part.action !== 'not')
    return {
      type: 'attribute',
      name: lower(part.name),
      action: part.action,
      value: exact ? part.value : lower(part.value),
    }
  if (part.type === 'pseudo' && nest && (part.name === 'not' || part.name === 'is') && Array.isArray(part.data))
    return { type: part.name, rows: part.data.map((row) => row.map((inner) => readPart(inner, text, exact, false))) }
  throw new SelectorError(`"${text}" has something else: ${SAYS}`)
}

/** Value of an attribute; undefined when the element has none of that name (lower case). */
export function attributeOf(tape: Tape, at: number, name: string): string | undefined {
  for (let k = tape.attributes[at], end = tape.attributes[at + 1]; k < end; k++)
    if (tape.names[k] === name) return tape.values[k]
  return undefined
}

/** Characters of an element's text that are read: elements nest, and each holds the text of all that is in it. */
const MAX_TEXT = 65_536

/** Text of an element: its first `characters`; of a script or style sheet, in which nothing nests, all. */
export function textOf(tape: Tape, at: number, characters = MAX_TEXT): string {
  const tag = tape.tags[at]
  const most = tag === 'script' || tag === 'style' ? Number.POSITIVE_INFINITY : characters
  let text = ''
  for (let i = tape.textFrom[at]; i < tape.textTo[at] && text.length < most; i++) text += tape.texts[i]
  return text.length > most ? text.slice(0, most) : text
}

/** Matches rows of compounds on the elements of one page. */
export class SelectorMatcher {
  readonly #tape: Tape
  readonly #exact: boolean
  /** By compound: whether an element, or one above it, fits the row up to there. 1 no, 2 yes, 0 not asked yet. */
  readonly #above: Uint8Array[] = []

  /** @param exact whether case matters */
  constructor(tape: Tape, exact: boolean) {
    this.#tape = tape
    this.#exact = exact
  }

  fits(row: readonly Compound[], at: number, last = row.length - 1): boolean {
    const { parts, from } = row[last]
    for (const part of parts) if (!this.#fitsPart(part, at)) return false
    if (from === null) return true
    const up = this.#tape.parents[at]
    if (up < 0) return false
    return from === 'child' ? this.fits(row, up, last - 1) : this.#fitsAbove(row, up, last - 1)
  }

  /** Remembers its answers: many elements share what stands above them. */
  #fitsAbove(row: readonly Compound[], at: number, last: number): boolean {
    const known = (this.#above[row[last].id] ??= new Uint8Array(this.#tape.tags.length))
    let up = at
    while (up >= 0 && known[up] === 0 && !this.fits(row, up, last)) up = this.#tape.parents[up]
    const answer = up >= 0 && known[up] !== 1 ? 2 : 1
    for (let i = at; i >= 0 && known[i] === 0; i = this.#tape.parents[i]) {
      known[i] = answer
      if (i === up) break
    }
    return answer === 2
  }

  #fitsPart(part: Part, at: number): boolean {
    switch (part.type) {
      case 'any':
        return true
      case 'tag':
        return this.#tape.tags[at] === part.name
      case 'attribute': {
        const got = attributeOf(this.#tape, at, part.name)
        if (got === undefined || part.action === 'exists') return got !== undefined
        return compare(part, got, this.#exact)
      }
      default: {
        const some = part.rows.some((row) => row.every((inner) => this.#fitsPart(inner, at)))
        return part.type === 'is' ? some : !some
      }
    }
  }
}

/** Compares no more of a value than the operator looks at. */
function compare(
  { action, value: wanted }: Extract<Part, { type: 'attribute' }>,
  got: string,
  exact: boolean,
): boolean {
  const fold = exact ? (text: string) => text : lower
  switch (action) {
    case 'equals':
      return got.length === wanted.length && fold(got) === wanted
    case 'element':
      return (
        wanted !== '' &&
        fold(got)
          .split(/[ \t\n\f\r]+/)
          .includes(wanted)
      )
    case 'hyphen':
      return fold(got) === wanted || fold(got).startsWith(`${wanted}-`)
    case 'any':
      return wanted !== '' && fold(got).includes(wanted)
    case 'start':
      return wanted !== '' && fold(got.slice(0, wanted.length)) === wanted
    case 'end':
      return wanted !== '' && got.length >= wanted.length && fold(got.slice(-wanted.length)) === wanted
    default:
      return false
  }
}
