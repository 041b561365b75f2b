import type { Ruleset } from '../lookup/ruleset.ts'
import type { Page } from '../page/page-types.ts'
import { isHeavier } from '../rule/clause.ts'
import { MAX_POINTS } from '../rule/compile.ts'
import { applyLogic, type Hits } from '../rule/logic.ts'
import { type PageValues, type RuleResult, type Variable, visitVariables } from '../rule/rule-results.ts'
import type { Clause, CompiledRule, Leaf } from '../rule/types.ts'
import { computeNeededSiblings, type PageHits } from './hits.ts'
import type { Evidence, Level } from './verdict-types.ts'

/** Maximum length of one text in the evidence in characters. */
const MAX_TEXT_CHARACTERS = 200

const NO_RESULT: RuleResult = { points: 0, held: [] }
const LEVELS: readonly (Level | null)[] = [null, 'low', 'medium', 'high']

/** Fewer points give no level. */
export const MIN_LEVEL_POINTS = 2

/** Turns points into a level: 6 are high, 3 to 5 medium, 2 low. One weak clause alone (1 point) has no level. */
export function computeLevel(points: number): Level | null {
  if (points >= MAX_POINTS) return 'high'
  if (points >= 3) return 'medium'
  return points >= MIN_LEVEL_POINTS ? 'low' : null
}

/** Turns a level into a number, from 0 for no level to 3 for high. */
export function rankLevel(level: Level | null): number {
  return LEVELS.indexOf(level)
}

/** A rule with its points on a page, and the level that relations and conflicts may change. */
export class ScoredRule {
  readonly rule: CompiledRule
  readonly points: number
  /** The clauses that hold, each with its weight on this page. */
  readonly held: readonly Clause[]
  level: Level | null
  note?: string
  readonly #data: PageData | null
  /** null until it is read. */
  #version: string | null | undefined = null

  /** @param data what the rule is evaluated on; null for an implied rule that has no hits of its own */
  constructor(rule: CompiledRule, data: PageData | null) {
    this.rule = rule
    this.#data = data
    const result = data === null ? NO_RESULT : data.ruleset.results.get(rule, data)
    this.points = result.points
    this.held = result.held
    this.level = computeLevel(this.points)
  }

  /** Number of families of the clauses that hold. */
  get families(): number {
    return new Set(this.held.map(({ family }) => family)).size
  }

  /** Number of distinct values (URLs, elements, others) that the heaviest clauses found. */
  get marks(): number {
    const heaviest = this.held.find((clause) => !this.held.some((other) => isHeavier(other.weight, clause.weight)))
    const heavy = new Set(this.held.flatMap(({ weight, leaves }) => (weight === heaviest?.weight ? leaves : [])))
    const values = new Set<string | number>()
    for (const leaf of this.rule.leaves) {
      const found = leaf.positive && heavy.has(leaf.id) ? this.#data?.hits.get(leaf) : undefined
      for (const value of [...(found?.urls?.list() ?? []), ...(found?.places ?? [])]) values.add(value)
    }
    return values.size
  }

  /** The version that the clauses show. */
  get version(): string | undefined {
    if (this.#version === null) this.#version = this.#readVersion()
    return this.#version
  }

  #readVersion(): string | undefined {
    const hits = this.#data?.hits
    if (!hits?.hasVersion(this.rule)) return undefined
    const shown = this.rule.leaves.filter((leaf) => hits.get(leaf)?.version)
    const leaf = shown.find(({ id }) => this.held.some(({ leaves }) => leaves.includes(id)))
    return leaf && hits.get(leaf)?.version
  }

  /** Lists what the clauses found, and the places that were not seen. */
  explain(): Pick<Evidence, 'clauses' | 'unseen'> {
    if (this.#data === null) return { clauses: [], unseen: [] }
    const { hits, ruleset } = this.#data
    const data = this.#data.build(this.rule)
    const clauses = this.held.map((clause) => {
      const leaves = this.rule.leaves.filter(({ id }) => clause.leaves.includes(id))
      return {
        clause: clause.text,
        places: [...new Set(leaves.map(({ place }) => place))],
        weight: clause.weight,
        family: clause.family,
        hits: applyLogic(clause.hits, data),
        texts: readClauseTexts(leaves, hits),
      }
    })
    const unseen = this.rule.leaves.filter((leaf) => !isSeen(leaf, hits.page, ruleset)).map(({ place }) => place)
    return { clauses, unseen: [...new Set(unseen)] }
  }
}

/** Reads the values that the leaves of a clause found, for the evidence. */
export function readClauseTexts(leaves: readonly Leaf[], hits: PageHits): string[] {
  return leaves.flatMap((leaf) => hits.get(leaf)?.values.map((value) => value.readExcerpt(MAX_TEXT_CHARACTERS)) ?? [])
}

/**
 * The variables of expressions on a page: hits by leaf, needed sibling files, and which places under a `not` were seen.
 */
export class PageData implements PageValues {
  readonly hits: PageHits
  readonly ruleset: Ruleset

  constructor(hits: PageHits, ruleset: Ruleset) {
    this.hits = hits
    this.ruleset = ruleset
  }

  read(leaf: Leaf, of: Variable['of']): number {
    if (of === 'seen') return isSeen(leaf, this.hits.page, this.ruleset) ? 1 : 0
    const found = this.hits.get(leaf)
    if (found === undefined) return 0
    return of === 'hits' ? found.count : computeNeededSiblings(leaf, found)
  }

  build({ leaves }: Pick<CompiledRule, 'leaves'>): Hits {
    const data: Record<string, number> = {}
    for (const leaf of leaves)
      visitVariables(leaf, (id, of) => {
        const value = this.read(leaf, of)
        if (value > 0) data[id] = value
      })
    return data
  }
}

/** Whether the place of a leaf was seen for each of its words. */
export function isSeen(leaf: Leaf, page: Page, ruleset: Ruleset): boolean {
  const detector = ruleset.places.get(leaf.place)?.detector
  if (detector?.seen === undefined) return true
  try {
    return leaf.words.every((word) => detector.seen?.(page, word))
  } catch {
    return false // A detector that throws loses its own place only.
  }
}
