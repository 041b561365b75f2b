import { MAX_POINTS } from './compile.ts'
import type { PageHits } from './hits.ts'
import { applyLogic, type Hits } from './logic.ts'
import type { Ruleset } from './ruleset.ts'
import type { Clause, CompiledRule, Evidence, Leaf, Level, Page } from './types.ts'

/** How a rule stands on a page: its points, and the level that relations and conflicts leave it. */
export interface Standing {
  readonly rule: CompiledRule
  readonly points: number
  /** Clauses that hold. */
  readonly held: readonly Clause[]
  /** Number of families among them. */
  readonly families: number
  /** What the clauses found and what was not looked at; made when it is asked for. */
  readonly explain: () => Pick<Evidence, 'clauses' | 'unseen'>
  readonly version?: string
  level: Level | null
  note?: string
}

/** Characters of a text that evidence shows. */
const MAX_TEXT = 200

const LEVELS: readonly (Level | null)[] = [null, 'low', 'medium', 'high']

/** 6 points are high, 3 to 5 medium, 2 low; one weak clause names nothing. */
export function levelOf(points: number): Level | null {
  if (points >= MAX_POINTS) return 'high'
  if (points >= 3) return 'medium'
  return points >= 2 ? 'low' : null
}

/** A level as a number: 0 for none, 3 for high. */
export function rankOf(level: Level | null): number {
  return LEVELS.indexOf(level)
}

/** Evaluates one rule on the hits of a page. */
export function scoreRule(rule: CompiledRule, hits: PageHits, ruleset: Ruleset): Standing {
  const data = hitsOf(rule, hits, ruleset)
  const points = applyLogic(rule.logic, data)
  const held = points === 0 ? [] : rule.clauses.filter(({ holds }) => applyLogic(holds, data))
  const isHeld = (leaf: Leaf): boolean => held.some(({ leaves }) => leaves.includes(leaf.id))
  const version = held.length === 0 ? undefined : rule.leaves.find((leaf) => hits.of(leaf)?.version && isHeld(leaf))
  return {
    rule,
    points,
    held,
    families: new Set(held.map(({ family }) => family)).size,
    explain: () => explain(rule, held, data, { hits, ruleset }),
    ...(version && { version: hits.of(version)?.version }),
    level: levelOf(points),
  }
}

function explain(
  rule: CompiledRule,
  held: readonly Clause[],
  data: Hits,
  on: { hits: PageHits; ruleset: Ruleset },
): Pick<Evidence, 'clauses' | 'unseen'> {
  const clauses = held.map((clause) => {
    const leaves = rule.leaves.filter(({ id }) => clause.leaves.includes(id))
    return {
      clause: clause.text,
      places: [...new Set(leaves.map(({ place }) => place))],
      weight: clause.weight,
      family: clause.family,
      hits: applyLogic(clause.hits, data),
      texts: leaves.flatMap((leaf) => on.hits.of(leaf)?.values.map((value) => value.excerpt(MAX_TEXT)) ?? []),
    }
  })
  const unseen = rule.leaves.filter((leaf) => !isSeen(leaf, on.hits.page, on.ruleset)).map(({ place }) => place)
  return { clauses, unseen: [...new Set(unseen)] }
}

/** A standing without hits of its own: what another rule implies. */
export function unscored(rule: CompiledRule): Standing {
  return { rule, points: 0, held: [], families: 0, explain: () => ({ clauses: [], unseen: [] }), level: null }
}

/** The data of a rule's expression: hits by leaf, and which places under a `not` were seen. */
export function hitsOf(rule: CompiledRule, hits: PageHits, ruleset: Ruleset): Hits {
  const data: Record<string, number> = {}
  for (const leaf of rule.leaves) {
    const found = hits.of(leaf)
    if (found !== undefined) data[leaf.id] = found.count
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
