import { Ruleset } from '../engine/lookup/ruleset.ts'
import type { Page } from '../engine/page/page-types.ts'
import { FOUND } from '../engine/rule/clause.ts'
import { listLeaves } from '../engine/rule/list-leaves.ts'
import { parseLocator } from '../engine/rule/locator.ts'
import type { CompiledRule, Leaf } from '../engine/rule/types.ts'
import { holds } from '../engine/verdict/held-clauses.ts'
import { readHits } from '../engine/verdict/hits.ts'

/** Values that a leaf would find if it were written more generally. */
export interface NearValues {
  readonly count: number
  /** The first values, cut. */
  readonly texts: readonly string[]
}

/** A clause that does not hold, and what it nearly found. */
export interface NearClause {
  /** The clause as written. */
  readonly text: string
  readonly found: readonly string[]
}

const MAX_TEXT_CHARACTERS = 100

/**
 * Finds what the leaves of a rule would find without their tests and, for a locator with a host, without its path. Leaves that
 * find nothing even then are omitted.
 * @returns values by the id of the leaf
 */
export function findNearValues(rule: CompiledRule, page: Page, ruleset: Ruleset): ReadonlyMap<string, NearValues> {
  const detectors = [...ruleset.places.values()].map(({ detector }) => detector).filter(({ key }) => key !== FOUND.key)
  const general: CompiledRule = { ...rule, leaves: rule.leaves.map((leaf) => generalize(leaf, ruleset)) }
  const only = Ruleset.of({ rules: [general], categories: ruleset.categories, version: '' }, detectors)
  const hits = readHits(only, page)
  return new Map(
    only.rules[0].leaves.flatMap((leaf) => {
      const { count = 0, values = [] } = hits.get(leaf) ?? {}
      const texts = values.map((value) => value.readExcerpt(MAX_TEXT_CHARACTERS))
      return count === 0 ? [] : [[leaf.id, { count, texts }] as const]
    }),
  )
}

function generalize({ id, place, words, positive }: Leaf, ruleset: Ruleset): Leaf {
  const isLocator = ruleset.places.get(place)?.detector.word === 'locator'
  return { id, place, positive, words: isLocator ? [...new Set(words.map(removePath))] : words }
}

/** Removes the path of a locator that has a host. */
function removePath(locator: string): string {
  return parseLocator(locator).hosts === 'any' ? locator : locator.split('/', 1)[0]
}

/** Finds the clauses of a rule that do not hold on a page and of which a part nearly does. */
export function findNearClauses(rule: CompiledRule, page: Page, ruleset: Ruleset): NearClause[] {
  const hits = readHits(ruleset, page)
  const near = findNearValues(rule, page, ruleset)
  const positive = new Set(rule.leaves.filter((leaf) => leaf.positive).map(({ id }) => id))
  return rule.clauses
    .filter((clause) => !holds(clause, listLeaves(clause, rule.leaves), hits))
    .map(({ text, leaves }) => ({
      text,
      found: leaves.filter((id) => positive.has(id)).flatMap((id) => near.get(id)?.texts ?? []),
    }))
    .filter(({ found }) => found.length > 0)
}
