import type { Ruleset } from '../lookup/ruleset.ts'
import type { Page } from '../page/page-types.ts'
import { isHeavier, lowerWeight } from '../rule/clause.ts'
import { MAX_POINTS } from '../rule/compile.ts'
import { applyLogic, type Hits } from '../rule/logic.ts'
import type { Clause, CompiledRule, Leaf } from '../rule/types.ts'
import { type PageHits, siblingsNeeded } from './hits.ts'
import type { Evidence, Level } from './verdict-types.ts'

/** Characters of a text that evidence shows. */
const MAX_TEXT = 200

const NO_HITS: Hits = {}
const LEVELS: readonly (Level | null)[] = [null, 'low', 'medium', 'high']

/** 6 points are high, 3 to 5 medium, 2 low; one weak clause names nothing. */
export function computeLevel(points: number): Level | null {
  if (points >= MAX_POINTS) return 'high'
  if (points >= 3) return 'medium'
  return points >= 2 ? 'low' : null
}

/** A level as a number: 0 for none, 3 for high. */
export function rankLevel(level: Level | null): number {
  return LEVELS.indexOf(level)
}

/** How a rule stands on a page: its points, and the level that relations and conflicts leave it. */
export class ScoredRule {
  readonly rule: CompiledRule
  readonly points: number
  level: Level | null
  note?: string
  readonly #data: Hits
  readonly #on: { readonly hits: PageHits; readonly ruleset: Ruleset } | null
  #held: readonly Clause[] | undefined

  /** @param on what the rule was evaluated on; null for a rule without hits of its own, which another implies */
  constructor(rule: CompiledRule, on: { readonly hits: PageHits; readonly ruleset: Ruleset } | null) {
    this.rule = rule
    this.#on = on
    this.#data = on === null ? NO_HITS : buildLogicData(rule, on.hits, on.ruleset)
    this.points = rule.clauses.some((clause) => this.#mayHold(clause)) ? applyLogic(rule.logic, this.#data) : 0
    this.level = computeLevel(this.points)
  }

  /** Clauses that hold, each with the weight that it has on this page. */
  get held(): readonly Clause[] {
    this.#held ??=
      this.points === 0
        ? []
        : this.rule.clauses
            .filter((clause) => this.#mayHold(clause) && applyLogic(clause.holds, this.#data))
            .map((clause) => weighOn(clause, this.#data))
    return this.#held
  }

  #mayHold(clause: Clause): boolean {
    const needs = this.#on?.ruleset.needs.get(clause)
    if (needs === undefined) return false
    for (const [id, least, most] of needs) {
      const value = this.#data[id] ?? 0
      if (value < least || value > most) return false
    }
    return true
  }

  /** Number of families among them. */
  get families(): number {
    return new Set(this.held.map(({ family }) => family)).size
  }

  /** Number of distinct values that its heaviest clauses found: URLs, elements, other values. */
  get marks(): number {
    const heaviest = this.held.find((clause) => !this.held.some((other) => isHeavier(other.weight, clause.weight)))
    const heavy = new Set(this.held.flatMap(({ weight, leaves }) => (weight === heaviest?.weight ? leaves : [])))
    const values = new Set<string | number>()
    for (const leaf of this.rule.leaves) {
      const found = leaf.positive && heavy.has(leaf.id) ? this.#on?.hits.get(leaf) : undefined
      for (const value of [...(found?.urls ?? []), ...(found?.places ?? [])]) values.add(value)
    }
    return values.size
  }

  get version(): string | undefined {
    const hits = this.#on?.hits
    const shown = this.rule.leaves.filter((leaf) => hits?.get(leaf)?.version)
    const leaf = shown.find(({ id }) => this.held.some(({ leaves }) => leaves.includes(id)))
    return leaf && hits?.get(leaf)?.version
  }

  /** What the clauses found and what was not looked at. */
  explain(): Pick<Evidence, 'clauses' | 'unseen'> {
    if (this.#on === null) return { clauses: [], unseen: [] }
    const { hits, ruleset } = this.#on
    const clauses = this.held.map((clause) => {
      const leaves = this.rule.leaves.filter(({ id }) => clause.leaves.includes(id))
      return {
        clause: clause.text,
        places: [...new Set(leaves.map(({ place }) => place))],
        weight: clause.weight,
        family: clause.family,
        hits: applyLogic(clause.hits, this.#data),
        texts: leaves.flatMap((leaf) => hits.get(leaf)?.values.map((value) => value.excerpt(MAX_TEXT)) ?? []),
      }
    })
    const unseen = this.rule.leaves.filter((leaf) => !isSeen(leaf, hits.page, ruleset)).map(({ place }) => place)
    return { clauses, unseen: [...new Set(unseen)] }
  }
}

/** A clause that holds, at the weight it has on a page: less when it holds only with files of sibling hosts. */
function weighOn(clause: Clause, data: Hits): Clause {
  const { weight, ownHost, siblingCode } = clause
  if (ownHost === undefined || siblingCode === undefined || applyLogic(ownHost, data)) return clause
  return { ...clause, weight: applyLogic(siblingCode, data) ? lowerWeight(weight) : 'weak' }
}

/** The data of a rule's expression: hits by leaf, whether they need sibling hosts, which places under a `not` were seen. */
export function buildLogicData(rule: CompiledRule, hits: PageHits, ruleset: Ruleset): Hits {
  const data: Record<string, number> = {}
  for (const leaf of rule.leaves) {
    const found = hits.get(leaf)
    if (found !== undefined) {
      data[leaf.id] = found.count
      const needed = leaf.siblingId ? siblingsNeeded(leaf, found) : 0
      if (leaf.siblingId && needed > 0) data[leaf.siblingId] = needed
    }
    if (leaf.seenId && isSeen(leaf, hits.page, ruleset)) data[leaf.seenId] = 1
  }
  return data
}

/** Whether every word of a leaf was looked at. */
export function isSeen(leaf: Leaf, page: Page, ruleset: Ruleset): boolean {
  const detector = ruleset.places.get(leaf.place)?.detector
  if (detector?.seen === undefined) return true
  try {
    return leaf.words.every((word) => detector.seen?.(page, word))
  } catch {
    return false // A detector that fails costs its own place and nothing else.
  }
}
