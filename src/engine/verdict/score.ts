import { isHeavier } from '../rule/clause.ts'
import { listLeaves } from '../rule/list-leaves.ts'
import { applyLogic } from '../rule/logic.ts'
import { MAX_POINTS } from '../rule/portable-rule.ts'
import type { CompiledRule, Leaf } from '../rule/types.ts'
import { buildVariables, findHeldClauses, type HeldClause } from './held-clauses.ts'
import type { PageHits } from './hits.ts'
import type { ClauseEvidence, Evidence, Level } from './verdict-types.ts'

/** Maximum length of one text in the evidence in characters. */
const MAX_TEXT_CHARACTERS = 200

const LEVELS: readonly (Level | null)[] = [null, 'low', 'medium', 'high']

/** Fewer points give no level. */
export const MIN_LEVEL_POINTS = 2

/** Points of a rule that no clause makes high without tags that wait for something: the most that is medium. */
const MAX_CONDITIONAL_POINTS = MAX_POINTS - 1

/** Computes the points of a rule. With tags that wait for something that the page does not show, they are medium at most. */
function computePoints(held: readonly HeldClause[]): number {
  if (!held.some(({ isConditional }) => isConditional)) return addPoints(held)
  const sure = addPoints(held.filter(({ isConditional }) => !isConditional))
  return Math.max(sure, Math.min(addPoints(held), MAX_CONDITIONAL_POINTS))
}

/**
 * Adds up clauses: 6 if a strong clause holds, otherwise 3 for each family with a medium clause and 1 for each
 * weak clause, up to 2. Clauses that need other files of sibling hosts give 1 in total, and nothing if another weak clause holds.
 */
function addPoints(held: readonly HeldClause[]): number {
  if (held.some(({ weight }) => weight === 'strong')) return MAX_POINTS
  const weak = held.filter(({ weight }) => weight === 'weak')
  const medium = new Set(held.flatMap(({ weight, clause }) => (weight === 'medium' ? clause.family : [])))
  const ofWeak = weak.filter(({ needsOtherFiles }) => !needsOtherFiles).length || Math.min(1, weak.length)
  return Math.min(MAX_POINTS, 3 * medium.size + Math.min(2, ofWeak))
}

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
  readonly held: readonly HeldClause[]
  level: Level | null
  note?: string
  /** Slug of the rule that raised its level. */
  impliedBy?: string
  readonly #hits: PageHits | null
  /** null until it is read. */
  #version: string | null | undefined = null

  /** @param hits of the page; null for an implied rule that has no hits of its own */
  constructor(rule: CompiledRule, hits: PageHits | null) {
    this.rule = rule
    this.#hits = hits
    this.held = hits === null ? [] : findHeldClauses(rule, hits)
    this.points = computePoints(this.held)
    this.level = computeLevel(this.points)
  }

  /** Number of families of the clauses that hold. */
  get families(): number {
    return new Set(this.held.map(({ clause }) => clause.family)).size
  }

  /** Number of distinct values (URLs, elements, others) that the heaviest clauses found. */
  get marks(): number {
    const heaviest = this.held.find(({ weight }) => !this.held.some((other) => isHeavier(other.weight, weight)))
    const heavy = this.held.filter(({ weight }) => weight === heaviest?.weight)
    const values = new Set<string | number>()
    for (const leaf of heavy.flatMap(({ clause }) => listLeaves(clause, this.rule.leaves))) {
      const found = leaf.positive ? this.#hits?.get(leaf) : undefined
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
    const hits = this.#hits
    if (!hits?.hasVersion(this.rule)) return undefined
    const shown = this.rule.leaves.filter((leaf) => hits.get(leaf)?.version)
    const leaf = shown.find(({ id }) => this.held.some(({ clause }) => clause.leaves.includes(id)))
    return leaf && hits.get(leaf)?.version
  }

  /** Lists what the clauses found, and the places that were not seen. */
  explain(): Pick<Evidence, 'clauses' | 'unseen'> {
    const hits = this.#hits
    if (hits === null) return { clauses: [], unseen: [] }
    const clauses = this.held.map(({ clause, weight }) => {
      const leaves = listLeaves(clause, this.rule.leaves)
      return {
        clause: clause.text,
        places: [...new Set(leaves.map(({ place }) => place))],
        weight,
        family: clause.family,
        hits: applyLogic(clause.hits, buildVariables(leaves, hits)),
        texts: readClauseTexts(leaves, hits),
        ...readContainers(leaves, hits),
      }
    })
    return { clauses, unseen: listUnseen(this.rule, hits) }
  }
}

/** Lists the places of a rule that were not seen. */
export function listUnseen({ leaves }: CompiledRule, hits: PageHits): string[] {
  return [...new Set(leaves.filter((leaf) => !hits.isSeen(leaf)).map(({ place }) => place))]
}

/** Reads the containers of tag managers through which the values of a clause came. */
function readContainers(leaves: readonly Leaf[], hits: PageHits): Pick<ClauseEvidence, 'through'> {
  const names = leaves.flatMap((leaf) => hits.get(leaf)?.values.flatMap(({ found }) => found.through ?? []) ?? [])
  return names.length === 0 ? {} : { through: [...new Set(names)] }
}

/** Reads the values that the leaves of a clause found, for the evidence. */
export function readClauseTexts(leaves: readonly Leaf[], hits: PageHits): string[] {
  return leaves.flatMap((leaf) => hits.get(leaf)?.values.map((value) => value.readExcerpt(MAX_TEXT_CHARACTERS)) ?? [])
}
