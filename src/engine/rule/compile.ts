import { type ClauseNode, findFamily, findMaxWeight, lowerWeight, type Places, readClause, toList } from './clause.ts'
import {
  applyLogic,
  atLeast,
  choose,
  count,
  every,
  isSupportedLogic,
  least,
  not,
  some,
  sum,
  variable,
} from './logic.ts'
import type { Family } from './place.ts'
import { RuleSyntaxError } from './rule-syntax-error.ts'
import type {
  Clause,
  ClauseBase,
  ClauseSource,
  CompiledRule,
  Leaf,
  Logic,
  RuleSource,
  TypePoints,
  Weight,
} from './types.ts'

/** Points of a rule with a strong clause that holds, which is also the maximum. */
export const MAX_POINTS = 6

/**
 * Compiles a rule into leaves (what the index looks for) and a JSON Logic expression from their hits to points. The expression
 * of a site type needs the clauses of all site types: `linkSiteTypes` builds it.
 * @param meant what each clause of the rule means, if that is more than it says; evidence shows the clause as it is written
 * @throws RuleSyntaxError when the rule would score on a page where none of its clauses hit, or nests too deep
 */
export function compileRule(
  source: RuleSource,
  places: Places,
  meant: readonly ClauseSource[] = source.detect,
): CompiledRule {
  const builder = new LeafBuilder()
  const isType = source.kind === 'site-type'
  const parsed = source.detect.map((clause, i) => parseClause(clause, meant[i], { places, builder }))
  const clauses = isType ? [] : parsed.map((one) => weighClause(one, builder.leaves))
  const typeClauses = parsed.map(({ source: { points = {}, fitted }, base }, i) => {
    const byHand = fitted === false && { byHand: true }
    return { ...base, id: `${source.slug}:${i + 1}`, points: points as TypePoints, ...byHand }
  })
  const logic = isType ? some(typeClauses.map(({ holds }) => holds)) : buildPoints(clauses, builder.leaves)
  const allSeen = Object.fromEntries(builder.leaves.flatMap(({ seenId }) => (seenId ? [[seenId, 1]] : [])))
  if (!isSupportedLogic(logic)) throw new RuleSyntaxError('the groups of this rule are nested too deep')
  if (applyLogic(logic, allSeen) !== 0)
    throw new RuleSyntaxError('this rule would hold on a page where none of its clauses finds anything')
  const { kind, slug, name, website, category, aiNative, hosting, implies, requires, excludes, thin, unnamed } = source
  return {
    kind,
    slug,
    name,
    ...(website && { website }),
    ...(category && { category }),
    ...(aiNative !== undefined && { aiNative }),
    ...(hosting && { hosting }),
    ...(source.role === 'cdn' && { cdn: true }),
    implies: toList(implies),
    requires: toList(requires),
    excludes: toList(excludes),
    ...(thin && { thin }),
    ...(unnamed && { unnamed }),
    leaves: builder.leaves,
    clauses,
    ...(isType && { typeClauses, prior: source.prior ?? 0 }),
    logic: isType ? (source.prior ?? 0) : logic,
  }
}

/** A clause with what its expressions are built from. */
interface ParsedClause {
  readonly source: ClauseSource
  readonly node: ClauseNode
  readonly parts: readonly Logic[]
  readonly combined: (parts: readonly Logic[]) => Logic
  readonly base: ClauseBase
}

/**
 * @param source the clause as the rule has it, for the evidence
 * @param meant what is compiled
 */
function parseClause(
  source: ClauseSource,
  meant: ClauseSource,
  { places, builder }: { readonly places: Places; readonly builder: LeafBuilder },
): ParsedClause {
  const { points: _, fitted: __, ...written } = source
  const { points: ___, fitted: ____, ...compiled } = meant
  const node = readClause(compiled, places)
  const family = findFamily(node)
  if (family === null) throw new RuleSyntaxError('a clause contains only `not`; add something that must be present')
  const before = builder.leaves.length
  const nodes = node.kind === 'leaf' ? [node] : node.clauses
  const parts = nodes.map((part) => builder.buildHolds(part, true))
  const combined = (all: readonly Logic[]): Logic =>
    node.kind === 'leaf' ? all[0] : combine(all, node.kind === 'not' ? 1 : node.least)
  const base = {
    family,
    leaves: builder.leaves.slice(before).map(({ id }) => id),
    holds: combined(parts),
    hits: isGroup(source) ? count(parts) : variable(builder.leaves[before].id),
    text: formatClause(written),
  }
  return { source, node, parts, combined, base }
}

function isGroup(source: ClauseSource): boolean {
  return ['all', 'any', 'of', 'not'].some((key) => key in source)
}

/** Gives a clause its weight, which is lower if it holds only with files of sibling hosts. */
function weighClause({ source, node, parts, combined, base }: ParsedClause, all: readonly Leaf[]): Clause {
  const leaves = all.filter(({ id }) => base.leaves.includes(id))
  const hasSiblings = leaves.some(({ siblingId }) => siblingId !== undefined)
  const buildWithFewerSiblings = (needed: number): Logic =>
    combined(parts.map((part) => excludeSiblings(part, leaves, needed)))
  return {
    weight: (source.weight as Weight | undefined) ?? findMaxWeight(node),
    ...base,
    ...(hasSiblings && { ownHost: buildWithFewerSiblings(1), siblingCode: buildWithFewerSiblings(2) }),
  }
}

/** Returns the expression in which leaves do not hold if they need files of sibling hosts of kind `needed` (1 or 2) or above. */
function excludeSiblings(logic: Logic, leaves: readonly Leaf[], needed: number): Logic {
  if (typeof logic !== 'object' || Array.isArray(logic)) return logic
  const [operation, args] = Object.entries(logic)[0] as [string, readonly Logic[]]
  const inner = { [operation]: args.map((arg) => excludeSiblings(arg, leaves, needed)) }
  const [first] = args
  if (operation !== '>=' || typeof first !== 'object' || !('var' in first)) return inner
  const siblingId = leaves.find(({ id }) => id === (first.var as readonly unknown[])[0])?.siblingId
  return siblingId === undefined ? inner : every([inner, not(atLeast(variable(siblingId), needed))])
}

/** A clause at one of the weights that it can have. */
interface WeightedClause {
  readonly weight: Weight | 'sibling files'
  readonly family: Family
  readonly holds: Logic
}

/** Lists a clause with each weight that it can have, and when it has that weight. */
function listWeights({ weight, family, holds, ownHost, siblingCode }: Clause): readonly WeightedClause[] {
  if (ownHost === undefined || siblingCode === undefined || weight === 'weak') return [{ weight, family, holds }]
  return [
    { weight, family, holds: ownHost },
    { weight: lowerWeight(weight), family, holds: every([siblingCode, not(ownHost)]) },
    { weight: 'sibling files', family, holds: every([holds, not(siblingCode)]) },
  ]
}

/** Builds the expression for the points of a rule. Most pages have no file of a sibling host, which one comparison shows. */
function buildPoints(clauses: readonly Clause[], leaves: readonly Leaf[]): Logic {
  const plain = sumWeights(clauses)
  const siblings = leaves.flatMap(({ siblingId }) => (siblingId === undefined ? [] : variable(siblingId)))
  return siblings.length === 0
    ? plain
    : choose(atLeast(sum(siblings), 1), sumWeights(clauses.flatMap(listWeights)), plain)
}

/**
 * Builds the sum of points: 6 if a strong clause holds, otherwise 3 for each family with a medium clause and 1 for each weak
 * clause, up to 2. Clauses that hold only with other files of sibling hosts give 1 in total, and nothing if a weak clause
 * holds.
 */
function sumWeights(weighted: readonly WeightedClause[]): Logic {
  const listHolds = (weight: WeightedClause['weight']): Logic[] =>
    weighted.filter((clause) => clause.weight === weight).map(({ holds }) => holds)
  const families = new Map<Family, Logic[]>()
  for (const { weight, family, holds } of weighted)
    if (weight === 'medium') families.set(family, [...(families.get(family) ?? []), holds])
  const medium = [...families.values()].map((holds) => choose(some(holds), 3, 0))
  const [strong, weak, files] = [listHolds('strong'), listHolds('weak'), listHolds('sibling files')]
  const fromFiles = files.length > 0 ? choose(some(files), 1, 0) : 0
  const fromWeak = weak.length > 0 ? least(2, count(weak)) : 0
  const light = weak.length > 0 && files.length > 0 ? choose(some(weak), fromWeak, fromFiles) : fromWeak || fromFiles
  const parts = light === 0 ? medium : [...medium, light]
  const added: Logic = parts.length > 0 ? least(MAX_POINTS, sum(parts)) : 0
  return strong.length > 0 ? choose(some(strong), MAX_POINTS, added) : added
}

/** Builds an expression that is true if at least `needed` of the parts are true. */
function combine(parts: readonly Logic[], needed: number): Logic {
  if (needed > parts.length || needed < 1)
    throw new RuleSyntaxError('atLeast is larger than the number of clauses in the group')
  if (needed <= 1) return some(parts)
  return needed >= parts.length ? every(parts) : atLeast(count(parts), needed)
}

/**
 * Numbers the leaves of a rule and builds expressions for when clauses hold. In Kleene's logic a leaf of an unseen place is
 * unknown: neither true nor false.
 */
class LeafBuilder {
  readonly leaves: Leaf[] = []
  #ids = 0

  /** Builds the expression that is true if `node` is known to be `wanted`. */
  buildHolds(node: ClauseNode, wanted: boolean): Logic {
    if (node.kind === 'leaf') return this.#addLeaf(node, wanted)
    if (node.kind === 'not') return this.buildHolds(node.clauses[0], !wanted)
    const parts = node.clauses.map((clause) => this.buildHolds(clause, wanted))
    return combine(parts, wanted ? node.least : parts.length - node.least + 1)
  }

  #addLeaf({ place, words, source }: Extract<ClauseNode, { kind: 'leaf' }>, positive: boolean): Logic {
    const id = `c${++this.#ids}`
    const seenId = positive ? undefined : `c${++this.#ids}`
    const { match, version, from, attr, atLeast: least } = source as Partial<Leaf>
    const hasSiblings = positive && from === 'own' && place.family === 'loaded'
    const siblingId = hasSiblings ? `c${++this.#ids}` : undefined
    this.leaves.push({
      id,
      ...(seenId && { seenId }),
      ...(siblingId && { siblingId }),
      place: place.key,
      words,
      ...readTests(source),
      ...(match !== undefined && { match }),
      ...(version !== undefined && { version }),
      ...(from !== undefined && { from }),
      ...(attr !== undefined && { attr: attr.toLowerCase() }),
      ...(least !== undefined && { atLeast: least }),
      ...(source.case === 'exact' && { exact: true }),
      positive,
    })
    const holds = atLeast(variable(id), least ?? 1)
    return seenId === undefined ? holds : every([atLeast(variable(seenId), 1), not(holds)])
  }
}

function readTests(source: ClauseSource): Pick<Leaf, 'is' | 'has' | 'under'> {
  return Object.fromEntries(
    ['is', 'has', 'under'].filter((key) => key in source).map((key) => [key, toList(source[key]).map(String)]),
  )
}

/** Formats a clause in YAML's flow style, for the evidence. */
function formatClause(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatClause).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const text = Object.entries(value).map(([key, inner]) => `${key}: ${formatClause(inner)}`)
  return `{ ${text.join(', ')} }`
}
