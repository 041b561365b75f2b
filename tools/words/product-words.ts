import { splitParts, splitTokens } from '../../src/authoring/common-words/tokens.ts'
import type { CompiledRule } from '../../src/engine/rule/types.ts'

/** Words of code and markup that say nothing about a product, although rules name them next to others. */
const DULL = new Set(
  'script style window function document class image images content index assets static theme themes button object'.split(
    ' ',
  ),
)
/** A shorter token is a part of too many others. */
const MIN_TOKEN = 4
const MIN_MARK = 5

/** Finds out which rules name a word in their clauses. */
export class ProductWords {
  readonly #tokens = new Map<string, ReadonlySet<string>>()
  readonly #marks = new Map<string, readonly string[]>()

  constructor(rules: readonly CompiledRule[]) {
    for (const rule of rules) {
      const texts = rule.leaves.flatMap(({ words, is, has, under, match, attr }) =>
        [words, is, has, under, match, attr].flatMap((one) => one ?? []),
      )
      const tokens = new Set(texts.flatMap((text) => [...splitTokens(text).map(trim), ...splitParts(text)]))
      const key = formatRule(rule)
      this.#tokens.set(key, tokens)
      this.#marks.set(
        key,
        [...tokens].filter((token) => token.length >= MIN_MARK && !DULL.has(token)),
      )
    }
  }

  /** Whether a rule names all of a word, or a part of it that is long enough to be a mark. */
  names(rule: string, word: string): boolean {
    const parts = splitTokens(word)
      .map(trim)
      .filter((token) => !/^[0-9.]*$/.test(token))
    if (parts.length === 0) return false
    if (parts.every((part) => this.#contains(rule, part))) return true
    return parts.some((part) => part.length >= MIN_MARK && !DULL.has(part) && this.#contains(rule, part))
  }

  #contains(rule: string, part: string): boolean {
    const tokens = this.#tokens.get(rule)
    if (tokens === undefined) return false
    if (tokens.has(part)) return true
    const isBeginning = part.length >= MIN_TOKEN && [...tokens].some((token) => token.startsWith(part))
    return isBeginning || (this.#marks.get(rule) ?? []).some((mark) => part.includes(mark))
  }
}

/** Names a rule uniquely: a builder and a hosting provider may share a slug. */
export function formatRule({ kind, slug }: Pick<CompiledRule, 'kind' | 'slug'>): string {
  return `${kind}/${slug}`
}

function trim(token: string): string {
  return token.replace(/^-+|-+$/g, '')
}
