import { type AttributeSelector, parse, type Selector } from 'css-what'
import { lower } from '../text/text.ts'
import { RuleSyntaxError } from './rule-syntax-error.ts'

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
 * @throws RuleSyntaxError
 */
export function parseSelector(text: string, exact = false): ParsedSelector {
  let rows: Selector[][]
  try {
    rows = parse(text)
  } catch (error) {
    throw new RuleSyntaxError(`"${text}": ${(error as Error).message}; ${SAYS}`)
  }
  return rows.map((row) => readCompounds(row, text, exact))
}

let ids = 0

function readCompounds(row: readonly Selector[], text: string, exact: boolean): Compound[] {
  const compounds: { id: number; parts: Part[]; from: Compound['from'] }[] = [{ id: ids++, parts: [], from: null }]
  for (const part of row) {
    if (part.type === 'descendant' || part.type === 'child') compounds.push({ id: ids++, parts: [], from: part.type })
    else compounds[compounds.length - 1].parts.push(readPart(part, text, exact, true))
  }
  if (compounds.some(({ parts }) => parts.length === 0)) throw new RuleSyntaxError(`"${text}" ends in nothing; ${SAYS}`)
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
  throw new RuleSyntaxError(`"${text}" has something else: ${SAYS}`)
}
