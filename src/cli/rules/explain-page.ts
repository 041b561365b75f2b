import { explainChoice } from '../../authoring/explain-choice.ts'
import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../../engine/page/page.ts'
import { listLeaves } from '../../engine/rule/list-leaves.ts'
import { applyLogic, type Variables } from '../../engine/rule/logic.ts'
import type { Clause, CompiledRule, Leaf, RuleKind } from '../../engine/rule/types.ts'
import { testFound } from '../../engine/verdict/found.ts'
import { buildVariables } from '../../engine/verdict/held-clauses.ts'
import { type PageHits, readHits } from '../../engine/verdict/hits.ts'
import { computeLevel, ScoredRule } from '../../engine/verdict/score.ts'
import { detect, type Evidence, type Verdict } from '../../index.ts'
import { findNearValues, type NearValues } from '../../rules/near-clauses.ts'
import { explainTypeScore } from './explain-type.ts'

/** Selects the rules to explain: those of a slug, optionally of one kind only, or all that have points on the page. */
export type ExplainedRules = { readonly slug: string; readonly kind: RuleKind | null } | 'all'

/** The text to print for a page, and the warnings of its scan. */
export interface Explanation {
  readonly text: string
  readonly warnings: readonly string[]
}

/** Marks of clauses. A clause is unseen if it does not hold, and might hold if a place had been looked at. */
const MARKS = { held: '✓', absent: '✗', unseen: '?' } as const
const LEGEND = `  ${MARKS.held} holds  ${MARKS.absent} does not hold  ${MARKS.unseen} unknown: a place was not looked at`

interface ExplainContext {
  readonly ruleset: Ruleset
  readonly hits: PageHits
  readonly verdict: Verdict
}

/** Explains clause by clause why rules do or do not fire on a page, and why they are or are not part of the result. */
export function explainPage(ruleset: Ruleset, wanted: ExplainedRules, input: PageInput): Explanation {
  const page = buildPage(input)
  const hits = readHits(ruleset, page)
  const verdict = detect(ruleset, page)
  const { evidence, builder, category } = verdict
  const products = evidence.filter(({ chosen, kind }) => chosen && (kind === 'builder' || kind === 'technology'))
  testFound(hits, { products, builder: builder === null ? null : { name: builder, category } })
  const context = { ruleset, hits, verdict }
  const lines = findExplained(wanted, context).flatMap((rule) => explainRule(rule, context))
  if (lines.some((line) => line.startsWith(`  ${MARKS.unseen} `))) lines.unshift(LEGEND)
  const text = lines.length === 0 ? 'no rule has points on this page\n' : lines.map((line) => `${line}\n`).join('')
  return { text, warnings: verdict.warnings }
}

function findEvidence({ kind, slug }: CompiledRule, { verdict }: ExplainContext): Evidence | undefined {
  return verdict.evidence.find((one) => one.kind === kind && one.slug === slug)
}

/** Finds the rules to explain. If all are, those that are part of the result come first, then those with more points. */
function findExplained(wanted: ExplainedRules, context: ExplainContext): readonly CompiledRule[] {
  const { rules } = context.ruleset
  if (wanted !== 'all') return rules.filter(({ kind, slug }) => slug === wanted.slug && (wanted.kind ?? kind) === kind)
  const found = rules.flatMap((rule) => {
    const own = findEvidence(rule, context)
    return own === undefined ? [] : [{ rule, own }]
  })
  const sorted = found.sort((a, b) => Number(b.own.chosen) - Number(a.own.chosen) || b.own.points - a.own.points)
  return sorted.map(({ rule }) => rule)
}

function explainRule(rule: CompiledRule, context: ExplainContext): string[] {
  const { ruleset, hits, verdict } = context
  if (rule.typeClauses !== undefined) return explainTypeScore(ruleset, rule, hits.page)
  const own = findEvidence(rule, context)
  const points = own?.points ?? new ScoredRule(rule, hits).points
  const settled = own && own.level !== computeLevel(points) ? `; then ${own.level ?? 'dropped'}` : ''
  const note = own?.note ? ` (${own.note})` : ''
  const isBuilder = rule.kind !== 'builder' || rule.slug === verdict.builderSlug
  const part = isBuilder
    ? 'part of the result'
    : `part of the result as a technology; its builder is ${verdict.builder}`
  const result = own?.chosen ? part : `not part of the result${formatOther(rule, verdict)}`
  const why = own ? explainChoice(own, rule, { verdict, ruleset }) : null
  return [
    `${rule.kind} ${rule.slug} (${rule.name})`,
    ...explainClauses(rule, context),
    `  ${points} points: ${computeLevel(points) ?? 'below low'}${settled}${note}; ${result}`,
    ...(why === null ? [] : [`  because ${why}`]),
  ]
}

/** Names the rule that the result contains instead, for kinds of which a result contains only one. */
function formatOther({ kind }: CompiledRule, verdict: Verdict): string {
  const names: Readonly<Record<RuleKind, string | null>> = {
    builder: verdict.builder,
    hosting: verdict.hosting,
    response: verdict.page.state === 'site' ? null : verdict.page.state,
    'site-type': verdict.siteType,
    technology: null,
  }
  return names[kind] === null ? '' : `, which contains ${names[kind]}`
}

function explainClauses(rule: CompiledRule, context: ExplainContext): string[] {
  const { hits, ruleset } = context
  const near = findNearValues(rule, hits.page, ruleset)
  return rule.clauses.flatMap((clause) => {
    const leaves = listLeaves(clause, rule.leaves)
    return [
      `  ${findMark(clause, leaves, hits)} ${clause.weight} ${clause.family}: ${clause.text}`,
      ...leaves.map((leaf) => {
        const { count = 0, values = [] } = hits.get(leaf) ?? {}
        const texts = values.map((value) => value.readExcerpt(100) + formatContainer(value.found.through))
        const seen = hits.isSeen(leaf) ? formatHits({ count, texts }) : 'not looked at'
        const general = leaf.positive && count === 0 ? near.get(leaf.id) : undefined
        return `      ${describe(leaf)}: ${seen}${general ? `; without its tests and paths ${formatHits(general)}` : ''}`
      }),
    ]
  })
}

function formatContainer(through: string | undefined): string {
  return through === undefined ? '' : ` (through ${through})`
}

/**
 * Marks a clause as unseen if it does not hold, but would hold if its unseen places had the right content: enough hits
 * of a leaf that counts, and none of a leaf under a `not`.
 */
function findMark({ holds }: Pick<Clause, 'holds'>, leaves: readonly Leaf[], hits: PageHits): string {
  const data: Variables = buildVariables(leaves, hits)
  if (applyLogic(holds, data)) return MARKS.held
  const unseen = leaves.filter((leaf) => !hits.isSeen(leaf))
  const best = unseen.map(({ id, positive, atLeast = 1, seenId }): [string, number] =>
    positive ? [id, Math.max(atLeast, data[id] ?? 0)] : [seenId ?? id, seenId === undefined ? 0 : 1],
  )
  return applyLogic(holds, { ...data, ...Object.fromEntries(best) }) ? MARKS.unseen : MARKS.absent
}

function formatHits({ count, texts }: NearValues): string {
  const shown = texts.map((text) => JSON.stringify(text)).join(', ')
  return `${count} ${count === 1 ? 'hit' : 'hits'}${shown ? `: ${shown}` : ''}`
}

function describe({ place, words, positive, atLeast }: Leaf): string {
  return `${positive ? '' : 'not '}${place} ${words.join(' | ')}${atLeast ? ` (needs ${atLeast})` : ''}`
}
