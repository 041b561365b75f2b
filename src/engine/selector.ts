import { type AttributeSelector, parse, type Selector } from 'css-what'
import { lower } from './text.ts'
import type { Tape } from './types.ts'

/** Why a text is no selector of ours; `message` is a sentence for its author. */
export class SelectorError extends Error {}

/** One element's conditions, and how it stands to the compound before it. */
export interface Compound {
  readonly parts: readonly Selector[]
  /** What leads from the compound on the left to this one; null for the first. */
  readonly from: 'descendant' | 'child' | null
}

/** Alternatives (the comma list), each a row of compounds from left to right. */
export type ParsedSelector = readonly (readonly Compound[])[]

const SAYS = 'a selector is made of tag, *, #id, .class, [attr] and its operators, :not() and :is() of compounds, descendant, child and comma'

/**
 * Reads a selector of the subset that can be matched while going through a page once.
 * @throws SelectorError
 */
export function parseSelector(text: string): ParsedSelector {
  let rows: Selector[][]
  try {
    rows = parse(text)
  } catch (error) {
    throw new SelectorError(`"${text}": ${(error as Error).message}; ${SAYS}`)
  }
  return rows.map((row) => compoundsOf(row, text))
}

function compoundsOf(row: readonly Selector[], text: string): Compound[] {
  const compounds: { parts: Selector[]; from: Compound['from'] }[] = [{ parts: [], from: null }]
  for (const part of row) {
    if (part.type === 'descendant' || part.type === 'child') compounds.push({ parts: [], from: part.type })
    else {
      check(part, text, true)
      compounds[compounds.length - 1].parts.push(part)
    }
  }
  if (compounds.some(({ parts }) => parts.length === 0)) throw new SelectorError(`"${text}" ends in nothing; ${SAYS}`)
  return compounds
}

function check(part: Selector, text: string, nest: boolean): void {
  if (part.type === 'tag' || part.type === 'universal') {
    if (part.namespace === null) return
  } else if (part.type === 'attribute') {
    if (part.namespace === null && part.action !== 'not') return
  } else if (part.type === 'pseudo' && nest && (part.name === 'not' || part.name === 'is') && Array.isArray(part.data)) {
    for (const row of part.data) for (const inner of row) check(inner, text, false)
    return
  }
  throw new SelectorError(`"${text}" has something else: ${SAYS}`)
}

/** Value of an attribute; undefined when the element has none of that name (lower case). */
export function attributeOf(tape: Tape, at: number, name: string): string | undefined {
  for (let k = tape.attributes[at], end = tape.attributes[at + 1]; k < end; k++) if (tape.names[k] === name) return tape.values[k]
  return undefined
}

/** Whether the element `at` fits one row of compounds; ASCII case is ignored unless `exact`. */
export function matchRow(row: readonly Compound[], tape: Tape, at: number, exact: boolean): boolean {
  return matchFrom(row, row.length - 1, tape, at, exact)
}

function matchFrom(row: readonly Compound[], last: number, tape: Tape, at: number, exact: boolean): boolean {
  const { parts, from } = row[last]
  for (const part of parts) if (!matchPart(part, tape, at, exact)) return false
  if (from === null) return true
  for (let up = tape.parents[at]; up >= 0; up = tape.parents[up]) {
    if (matchFrom(row, last - 1, tape, up, exact)) return true
    if (from === 'child') return false
  }
  return false
}

function matchPart(part: Selector, tape: Tape, at: number, exact: boolean): boolean {
  switch (part.type) {
    case 'universal':
      return true
    case 'tag':
      return tape.tags[at] === lower(part.name)
    case 'attribute':
      return matchAttribute(part, attributeOf(tape, at, lower(part.name)), exact)
    case 'pseudo': {
      const rows = part.data as Selector[][]
      const some = rows.some((row) => row.every((inner) => matchPart(inner, tape, at, exact)))
      return part.name === 'is' ? some : !some
    }
    default:
      return false
  }
}

function matchAttribute({ action, value: wanted }: AttributeSelector, got: string | undefined, exact: boolean): boolean {
  if (got === undefined) return false
  const value = exact ? got : lower(got)
  const want = exact ? wanted : lower(wanted)
  switch (action) {
    case 'exists':
      return true
    case 'equals':
      return value === want
    case 'element':
      return want !== '' && value.split(/\s+/).includes(want)
    case 'hyphen':
      return value === want || value.startsWith(`${want}-`)
    case 'any':
      return want !== '' && value.includes(want)
    case 'start':
      return want !== '' && value.startsWith(want)
    case 'end':
      return want !== '' && value.endsWith(want)
    default:
      return false
  }
}
