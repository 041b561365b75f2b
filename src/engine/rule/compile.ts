import { type ClauseNode, findFamily, findMaxWeight, lowerWeight, type Places, readClause, toList } from './clause.ts'
import { applyLogic, atLeast, choose, count, every, isOurLogic, least, not, some, sum, variable } from './logic.ts'
import type { Family } from './place.ts'
import { RuleSyntaxError } from './rule-syntax-error.ts'
import type { Clause, ClauseSource, CompiledRule, Leaf, Logic, RuleSource, Weight } from './types.ts'

/** Points of a rule with a strong clause that holds; also the most there is. */
export const MAX_POINTS = 6

/**
 * Turns a rule into leaves (what the index looks for) and JSON Logic from their hits to points.
 * @throws RuleSyntaxError when the rule would score on a page where none of its clauses hit, or nests too deep
 */
export function compileRule(source: RuleSource, places: Places): CompiledRule {
  const build = new LeafBuilder()
  const clauses = source.detect.map((clause) => compileClause(clause, places, build))
  const logic = buildPoints(clauses, build.leaves)
  const allSeen = Object.fromEntries(build.leaves.flatMap(({ seenId }) => (seenId ? [[seenId, 1]] : [])))
  if (!isOurLogic(logic)) throw new RuleSyntaxError('the groups of this rule are nested too deep')
  if (applyLogic(logic, allSeen) !== 0)
    throw new RuleSyntaxError('this rule would hold on a page where none of its clauses finds anything')
  const { kind, slug, name, website, category, aiNative, hosting, implies, requires, excludes, rank, fallback, thin } =
    source
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
    rank: rank ?? 0,
    ...(fallback && { fallback }),
    ...(thin && { thin }),
    leaves: build.leaves,
    clauses,
    logic,
  }
}

function compileClause(source: ClauseSource, places: Places, build: LeafBuilder): Clause {
  const node = readClause(source, places)
  const family = findFamily(node)
  if (family === null)
    throw new RuleSyntaxError('a clause has nothing that must be there: a `not` needs something beside it')
  const before = build.leaves.length
  const nodes = node.kind === 'leaf' ? [node] : node.clauses
  const parts = nodes.map((part) => build.holds(part, true))
  const combined = (all: readonly Logic[]): Logic =>
    node.kind === 'leaf' ? all[0] : combine(all, node.kind === 'not' ? 1 : node.least)
  const hits = node.kind === 'leaf' ? variable(build.leaves[before].id) : count(parts)
  const leaves = build.leaves.slice(before)
  const hasSiblings = leaves.some(({ siblingId }) => siblingId !== undefined)
  const needingLess = (needed: number): Logic => combined(parts.map((part) => excludeSiblings(part, leaves, needed)))
  return {
    weight: (source.weight as Weight | undefined) ?? findMaxWeight(node),
    family,
    leaves: leaves.map(({ id }) => id),
    holds: combined(parts),
    ...(hasSiblings && { ownHost: needingLess(1), siblingCode: needingLess(2) }),
    hits,
    text: formatClause(source),
  }
}

/** The same expression, with leaves that do not hold when they need that much (1 or 2) of sibling hosts. */
function excludeSiblings(logic: Logic, leaves: readonly Leaf[], needed: number): Logic {
  if (typeof logic !== 'object' || Array.isArray(logic)) return logic
  const [operation, args] = Object.entries(logic)[0] as [string, readonly Logic[]]
  const inner = { [operation]: args.map((arg) => excludeSiblings(arg, leaves, needed)) }
  const [first] = args
  if (operation !== '>=' || typeof first !== 'object' || !('var' in first)) return inner
  const siblingId = leaves.find(({ id }) => id === (first.var as readonly unknown[])[0])?.siblingId
  return siblingId === undefined ? inner : every([inner, not(atLeast(variable(siblingId), needed))])
}

interface Weighed {
  readonly weight: Weight | 'sibling files'
  readonly family: Family
  readonly holds: Logic
}

/** A clause at each weight that it may have. */
function weigh({ weight, family, holds, ownHost, siblingCode }: Clause): readonly Weighed[] {
  if (ownHost === undefined || siblingCode === undefined || weight === 'weak') return [{ weight, family, holds }]
  return [
    { weight, family, holds: ownHost },
    { weight: lowerWeight(weight), family, holds: every([siblingCode, not(ownHost)]) },
    { weight: 'sibling files', family, holds: every([holds, not(siblingCode)]) },
  ]
}

/** Points of a rule. Most pages have no file of a sibling host: they pay for one question and not for each clause. */
function buildPoints(clauses: readonly Clause[], leaves: readonly Leaf[]): Logic {
  const plain = sumWeights(clauses)
  const siblings = leaves.flatMap(({ siblingId }) => (siblingId === undefined ? [] : variable(siblingId)))
  return siblings.length === 0 ? plain : choose(atLeast(sum(siblings), 1), sumWeights(clauses.flatMap(weigh)), plain)
}

/**
 * 6 if a strong clause holds, else 3 for each family with a medium one and 1 for each weak one, of those at most 2.
 * What only other files of sibling hosts prove is 1 in total, and nothing where a weak clause holds.
 */
function sumWeights(weighed: readonly Weighed[]): Logic {
  const ofWeight = (weight: Weighed['weight']): Logic[] =>
    weighed.filter((clause) => clause.weight === weight).map(({ holds }) => holds)
  const families = new Map<Family, Logic[]>()
  for (const { weight, family, holds } of weighed)
    if (weight === 'medium') families.set(family, [...(families.get(family) ?? []), holds])
  const medium = [...families.values()].map((holds) => choose(some(holds), 3, 0))
  const [strong, weak, files] = [ofWeight('strong'), ofWeight('weak'), ofWeight('sibling files')]
  const fromFiles = files.length > 0 ? choose(some(files), 1, 0) : 0
  const fromWeak = weak.length > 0 ? least(2, count(weak)) : 0
  const light = weak.length > 0 && files.length > 0 ? choose(some(weak), fromWeak, fromFiles) : fromWeak || fromFiles
  const parts = light === 0 ? medium : [...medium, light]
  const added: Logic = parts.length > 0 ? least(MAX_POINTS, sum(parts)) : 0
  return strong.length > 0 ? choose(some(strong), MAX_POINTS, added) : added
}

/** True when at least so many of the parts are. */
function combine(parts: readonly Logic[], needed: number): Logic {
  if (needed > parts.length || needed < 1) throw new RuleSyntaxError('a group asks for more of its clauses than it has')
  if (needed <= 1) return some(parts)
  return needed >= parts.length ? every(parts) : atLeast(count(parts), needed)
}

/** Numbers the leaves of a rule, and says when clauses hold in Kleene's logic: a leaf of an unseen place is unknown, which is neither. */
class LeafBuilder {
  readonly leaves: Leaf[] = []
  #ids = 0

  /** The expression that is true when `node` is known to be `wanted`. */
  holds(node: ClauseNode, wanted: boolean): Logic {
    if (node.kind === 'leaf') return this.#leaf(node, wanted)
    if (node.kind === 'not') return this.holds(node.clauses[0], !wanted)
    const parts = node.clauses.map((clause) => this.holds(clause, wanted))
    return combine(parts, wanted ? node.least : parts.length - node.least + 1)
  }

  #leaf({ place, words, source }: Extract<ClauseNode, { kind: 'leaf' }>, positive: boolean): Logic {
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

/** A clause in YAML's flow style, for people. */
function formatClause(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatClause).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const text = Object.entries(value).map(([key, inner]) => `${key}: ${formatClause(inner)}`)
  return `{ ${text.join(', ')} }`
}
