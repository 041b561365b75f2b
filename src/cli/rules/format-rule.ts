import { describeClause } from '../../authoring/describe-clause.ts'
import { type Places, toList } from '../../engine/rule/clause.ts'
import type { Weight } from '../../engine/rule/place.ts'
import { MAX_POINTS } from '../../engine/rule/portable-rule.ts'
import type { ClauseSource, RuleSource, TypePoints } from '../../engine/rule/types.ts'
import type { CheckedRule } from '../../rules/checks/rule-checks.ts'
import type { FoundRule } from '../../rules/discover.ts'
import { readFixtures } from '../../rules/fixtures.ts'
import type { CheckedRules } from '../../rules/load/load.ts'
import { formatCount } from '../command/format-count.ts'

/** Maximum number of slugs in a list of rules that name a rule. More than 200 rules are plugins of WordPress. */
const MAX_INCOMING = 20

const POINTS: Readonly<Record<Weight, string>> = {
  strong: `${MAX_POINTS} points`,
  medium: '3 points',
  weak: '1 point',
}

/** Describes a valid rule in words: its clauses with their points, its relations, its evidence and its tests. */
export function formatRule(
  { found, source, compiled }: CheckedRule,
  rules: readonly CheckedRule[],
  places: Places,
): string {
  if (source === null || compiled === null) return ''
  // The clauses of a package are in their short form only.
  const describe = (clause: ClauseSource, text: string): string =>
    found.isBuilt ? text : describeClause(clause, places)
  const lines = [
    `${found.kind} ${found.slug} (${source.name})`,
    found.isBuilt ? '  comes with the package, without its sources and tests' : `  file: ${found.file}`,
    ...formatFacts(source),
    '  fires on:',
    ...compiled.clauses.map(
      ({ weight, family, text }, i) =>
        `    ${POINTS[weight].padStart(8)}  ${describe(source.detect[i], text)}  (${weight}, ${family})`,
    ),
    ...(compiled.typeClauses ?? []).map(
      ({ points, text }, i) => `    ${describe(source.detect[i], text)}  (${formatPoints(points)})`,
    ),
    ...formatRelations({ found, source }, rules),
    ...source.source.map((url) => `  source: ${url}`),
    ...(found.isBuilt ? [] : [`  verified: ${source.verified || 'no date'}`, `  tests: ${formatTests(found)}`]),
  ]
  return `${lines.join('\n')}\n`
}

/** Formats the points of a clause of a site type: `news 12, blog -4`. */
function formatPoints(points: TypePoints): string {
  const list = Object.entries(points).map(([type, value]) => `${type} ${value}`)
  return list.length === 0 ? 'no points' : list.join(', ')
}

function formatFacts(source: RuleSource): string[] {
  const facts: Readonly<Record<string, string | undefined>> = {
    website: source.website,
    about: source.about,
    description: source.description,
    category: source.category,
    'created by a model': source.aiNative === undefined ? undefined : source.aiNative ? 'yes' : 'no',
    'hosting that a high level proves': source.hosting,
    role: source.role,
    imported: source.imported ? 'yes' : undefined,
    prior: source.prior === undefined ? undefined : `${source.prior} tenths of log-odds`,
    points: source.fitted === false ? 'written by hand' : undefined,
    thin: source.thin ? 'also applies to a page with fewer than 20 visible words' : undefined,
    unnamed: source.unnamed ? 'if this type wins, the page has no site type' : undefined,
  }
  return Object.entries(facts).flatMap(([key, value]) => (value === undefined ? [] : [`  ${key}: ${value}`]))
}

/** Relations of the rule, and those of other rules to it. */
function formatRelations(
  { found, source }: { found: FoundRule; source: RuleSource },
  rules: readonly CheckedRule[],
): string[] {
  const keys = ['implies', 'requires', 'excludes'] as const
  const isHosting = found.kind === 'hosting'
  const others = rules.filter(
    (rule) => (rule.found.kind === 'hosting') === isHosting && rule.found.kind !== 'site-type',
  )
  const incoming = { implies: 'implied by', requires: 'required by', excludes: 'excluded by' }
  return keys.flatMap((key) => {
    const own = toList<string>(source[key])
    const usual = key === 'implies' ? toList<string>(source.usual) : []
    const by = others.filter((rule) => toList(rule.source?.[key]).includes(found.slug)).map((rule) => rule.found.slug)
    return [
      ...(own.length > 0 ? [`  ${key}: ${own.join(', ')}`] : []),
      ...(usual.length > 0 ? [`  usual, so medium at most: ${usual.join(', ')}`] : []),
      ...(by.length > 0 && found.kind !== 'site-type' ? [`  ${incoming[key]}: ${formatSlugs(by)}`] : []),
    ]
  })
}

function formatSlugs(slugs: readonly string[]): string {
  if (slugs.length <= MAX_INCOMING) return slugs.join(', ')
  return `${slugs.slice(0, MAX_INCOMING).join(', ')} and ${slugs.length - MAX_INCOMING} others`
}

function formatTests(found: FoundRule): string {
  const { fixtures } = readFixtures(found)
  const hits = fixtures.filter(({ hit }) => hit !== null).length
  const misses = fixtures.length - hits
  return `${formatCount(hits, 'hit')}, ${misses} ${misses === 1 ? 'miss' : 'misses'}`
}

/** Counts rules by kind and category, clauses and test pages, and names the rule that was verified longest ago. */
export function formatStats({ rules }: CheckedRules): string {
  const kinds = countBy(rules.map(({ found }) => found.kind))
  const lines = [formatCount(rules.length, 'rule')]
  for (const [kind, count] of kinds) {
    lines.push(`  ${kind}: ${count}`)
    const inKind = rules.flatMap(({ source }) => (source?.kind === kind && source.category ? [source.category] : []))
    for (const [category, members] of countBy(inKind)) lines.push(`    ${category}: ${members}`)
  }
  const compiled = rules.flatMap((rule) => rule.compiled ?? [])
  const clauses = compiled.flatMap((rule) => rule.clauses)
  const weights = [...countBy(clauses.map(({ weight }) => weight))].map(([weight, count]) => `${count} ${weight}`)
  lines.push(`${formatCount(clauses.length, 'clause')}: ${weights.join(', ')}`)
  const fixtures = rules.flatMap(({ found }) => readFixtures(found).fixtures)
  const hits = fixtures.filter(({ hit }) => hit !== null).length
  lines.push(
    `${formatCount(fixtures.length, 'test page')}: ${formatCount(hits, 'hit')}, ${fixtures.length - hits} misses`,
  )
  const [oldest] = rules
    .flatMap(({ source }) => (source?.verified ? source : []))
    .sort((a, b) => a.verified.localeCompare(b.verified))
  if (oldest) lines.push(`oldest verified: ${oldest.verified} (${oldest.kind} ${oldest.slug})`)
  return `${lines.join('\n')}\n`
}

/** Counts equal texts, in alphabetical order. */
function countBy(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const text of [...texts].sort()) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
