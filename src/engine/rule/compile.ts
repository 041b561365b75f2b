import { type ClauseNode, findFamily, findMaxWeight, type Places, readClause, toList } from './clause.ts'
import { applyLogic, atLeast, count, every, isSupportedLogic, not, some, variable } from './logic.ts'
import type { Weight } from './place.ts'
import { buildPoints } from './portable-rule.ts'
import { RuleSyntaxError } from './rule-syntax-error.ts'
import type { Clause, ClauseSource, CompiledRule, Leaf, Logic, RuleSource, TypeClause, TypePoints } from './types.ts'

/**
 * Compiles a rule into leaves, which are what the index looks for, and clauses with JSON Logic expressions over their hits.
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
  const parsed = source.detect.map((clause, i) => compileClause(clause, meant[i], { places, builder }))
  const { kind, slug, name, website, category, aiNative, hosting, implies, requires, excludes, thin, unnamed } = source
  const rule = {
    kind,
    slug,
    name,
    ...(website && { website }),
    ...(source.about && { about: source.about }),
    ...(source.description && { description: source.description }),
    ...(category && { category }),
    ...(aiNative !== undefined && { aiNative }),
    ...(hosting && { hosting }),
    ...(source.state && { state: source.state }),
    ...(source.by && { by: source.by }),
    ...(source.byName && { byName: source.byName }),
    ...(source.ofSite && { ofSite: true }),
    ...(source.role === 'cdn' && { cdn: true }),
    implies: toList<string>(implies),
    ...(source.usual && { usual: toList<string>(source.usual) }),
    requires: toList<string>(requires),
    excludes: toList<string>(excludes),
    ...(thin && { thin }),
    ...(unnamed && { unnamed }),
    leaves: builder.leaves,
    // A response has no levels: any clause proves it.
    clauses: isType
      ? []
      : parsed.map(({ weight, clause }) => ({ weight: kind === 'response' ? 'strong' : weight, ...clause })),
    ...(isType && { typeClauses: listTypeClauses(source, parsed), prior: source.prior ?? 0 }),
  }
  checkExpression(isType ? some(parsed.map(({ clause }) => clause.holds)) : buildPoints(rule), builder.leaves)
  return rule
}

/** @throws RuleSyntaxError when an expression is nested too deep, or not 0 where every place was seen and nothing was found */
function checkExpression(logic: Logic, leaves: readonly Leaf[]): void {
  const allSeen = Object.fromEntries(leaves.flatMap(({ seenId }) => (seenId ? [[seenId, 1]] : [])))
  if (!isSupportedLogic(logic)) throw new RuleSyntaxError('the groups of this rule are nested too deep')
  if (applyLogic(logic, allSeen) !== 0)
    throw new RuleSyntaxError('this rule would hold on a page where none of its clauses finds anything')
}

function listTypeClauses({ slug, detect }: RuleSource, parsed: readonly { readonly clause: Clause }[]): TypeClause[] {
  return parsed.map(({ clause }, i) => {
    const { points = {}, fitted } = detect[i]
    return {
      ...clause,
      id: `${slug}:${i + 1}`,
      points: points as TypePoints,
      ...(fitted === false && { byHand: true }),
    }
  })
}

/**
 * @param source the clause as the rule has it, for the evidence
 * @param meant what is compiled
 */
function compileClause(
  source: ClauseSource,
  meant: ClauseSource,
  { places, builder }: { readonly places: Places; readonly builder: LeafBuilder },
): { readonly clause: Clause; readonly weight: Weight } {
  const { points: _, fitted: __, ...compiled } = meant
  const node = readClause(compiled, places)
  const family = findFamily(node)
  if (family === null) throw new RuleSyntaxError('a clause contains only `not`; add something that must be present')
  const before = builder.leaves.length
  const parts = (node.kind === 'leaf' ? [node] : node.clauses).map((part) => builder.buildHolds(part, true))
  const clause = {
    family,
    leaves: builder.leaves.slice(before).map(({ id }) => id),
    holds: node.kind === 'leaf' ? parts[0] : combine(parts, node.kind === 'not' ? 1 : node.least),
    hits: isGroup(source) ? count(parts) : variable(builder.leaves[before].id),
    text: formatClause(source),
  }
  return { clause, weight: (source.weight as Weight | undefined) ?? findMaxWeight(node) }
}

function isGroup(source: ClauseSource): boolean {
  return ['all', 'any', 'of', 'not'].some((key) => key in source)
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
    const { match, from = place.from, attr, atLeast: least } = source as Partial<Leaf>
    const version = (source.versionText ?? source.version) as Leaf['version']
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
      ...((source.case === 'exact' || place.isExact) && { exact: true }),
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

/** The evidence shows a longer list by its first words. */
const MAX_LISTED = 64
const FIRST_LISTED = 8

/** Formats a clause as the evidence names it: in YAML's flow style, without what only site types have. */
export function formatClause({ points: _, fitted: __, ...written }: ClauseSource): string {
  return formatFlow(written)
}

function formatFlow(value: unknown): string {
  if (Array.isArray(value)) {
    const words = value.slice(0, value.length > MAX_LISTED ? FIRST_LISTED : value.length).map(formatFlow)
    return `[${[...words, ...(words.length < value.length ? [`… ${value.length} words`] : [])].join(', ')}]`
  }
  if (typeof value !== 'object' || value === null) return String(value)
  const text = Object.entries(value).map(([key, inner]) => `${key}: ${formatFlow(inner)}`)
  return `{ ${text.join(', ')} }`
}
