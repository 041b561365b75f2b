import { type AttributeSelector, parse, type Selector, stringify } from 'css-what'
import { lower } from '../text/text.ts'
import { RuleSyntaxError } from './rule-syntax-error.ts'

/** One condition on one element. Names and tags are in lower case, values too unless case matters. */
export type SelectorPart =
  | { readonly type: 'tag'; readonly name: string }
  | { readonly type: 'any' }
  | {
      readonly type: 'attribute'
      readonly name: string
      readonly action: AttributeSelector['action']
      readonly value: string
    }
  | { readonly type: 'not' | 'is'; readonly rows: readonly (readonly SelectorPart[])[] }

/** The conditions on one element, and its relation to the compound before it. */
export interface Compound {
  /** A number that is unique over all selectors: the index of the compound's cached results. */
  readonly id: number
  readonly parts: readonly SelectorPart[]
  /** The combinator between the compound on the left and this one; null for the first compound. */
  readonly from: 'descendant' | 'child' | null
}

/** Alternatives (the comma-separated list), each a row of compounds from left to right. */
export type ParsedSelector = readonly (readonly Compound[])[]

const SUPPORTED =
  'supported are tag, *, #id, .class, [attr] with its operators, :not() and :is() of compounds, descendant, child and comma'

/**
 * Parses a selector of the subset that can be matched in one pass over a page.
 * @throws RuleSyntaxError
 */
export function parseSelector(text: string, exact = false): ParsedSelector {
  let rows: Selector[][]
  try {
    rows = parse(text)
  } catch (error) {
    throw new RuleSyntaxError(`"${text}": ${(error as Error).message}; ${SUPPORTED}`)
  }
  return rows.map((row) => readCompounds(row, text, exact))
}

/** Splits a valid selector at its commas. */
export function splitSelector(text: string): string[] {
  return parse(text).map((row) => stringify([row]))
}

let ids = 0

function readCompounds(row: readonly Selector[], text: string, exact: boolean): Compound[] {
  const compounds: { id: number; parts: SelectorPart[]; from: Compound['from'] }[] = [
    { id: ids++, parts: [], from: null },
  ]
  for (const part of row) {
    if (part.type === 'descendant' || part.type === 'child') compounds.push({ id: ids++, parts: [], from: part.type })
    else compounds[compounds.length - 1].parts.push(readPart(part, text, exact, true))
  }
  if (compounds.some(({ parts }) => parts.length === 0))
    throw new RuleSyntaxError(`"${text}" has an empty part; ${SUPPORTED}`)
  return compounds
}

function readPart(part: Selector, text: string, exact: boolean, nest: boolean): SelectorPart {
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
  throw new RuleSyntaxError(`"${text}" is not supported; ${SUPPORTED}`)
}
