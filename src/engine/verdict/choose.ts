import type { Ruleset } from '../lookup/ruleset.ts'
import type { Page } from '../page/page-types.ts'
import type { Clause, CompiledRule, Leaf } from '../rule/types.ts'
import { findImplied, type Standings } from './relations.ts'
import { rankLevel, type Standing } from './score.ts'

/** Compares by several keys; of each the larger comes first, and text the other way round. */
function by<T>(...keys: ((item: T) => number | string)[]): (a: T, b: T) => number {
  return (a, b) => {
    for (const key of keys) {
      const [x, y] = [key(a), key(b)]
      if (x !== y) return (x > y ? -1 : 1) * (typeof x === 'string' ? -1 : 1)
    }
    return 0
  }
}

const level = (standing: Standing): number => rankLevel(standing.level)
const points = (standing: Standing): number => standing.points
const families = (standing: Standing): number => standing.families
const marks = (standing: Standing): number => standing.marks
const slug = (standing: Standing): string => standing.rule.slug
const name = (standing: Standing): string => standing.rule.name
const isMedium = (standing: Standing): boolean => level(standing) >= rankLevel('medium')

const standing = (standings: Standings, kind: CompiledRule['kind']): Standing[] =>
  [...standings.values()].filter((one) => one.rule.kind === kind && one.level !== null)

/** Leaves out what another of no lower level implies: who implies is the more specific. */
function mostSpecific(standings: readonly Standing[], rules: ReadonlyMap<string, CompiledRule>): Standing[] {
  return standings.filter(
    (one) =>
      !standings.some(
        (other) => other !== one && level(other) >= level(one) && findImplied(other.rule, rules).has(one.rule.slug),
      ),
  )
}

function standsBack(one: Standing, ruleset: Ruleset): boolean {
  return ruleset.categories.builders[one.rule.category ?? '']?.standsBack === true
}

/** Builders that could be named: they do not stand back, and no other builder implies them. */
export function findCandidates(standings: Standings, ruleset: Ruleset): Standing[] {
  const builders = standing(standings, 'builder')
  const implied = new Set(builders.flatMap(({ rule }) => [...findImplied(rule, ruleset.bySlug)]))
  return builders.filter((one) => !standsBack(one, ruleset) && !implied.has(one.rule.slug))
}

/** The builder: rules that stand back last, then level, then the more specific, then families, points, marks, slug. */
export function chooseBuilder(standings: Standings, ruleset: Ruleset): Standing | null {
  const builders = standing(standings, 'builder')
  const front = builders.filter((one) => !standsBack(one, ruleset))
  const pool = front.some(isMedium) ? front : builders
  const best = Math.max(...pool.map(level))
  const specific = mostSpecific(
    pool.filter((one) => level(one) === best),
    ruleset.bySlug,
  )
  return specific.sort(by<Standing>(families, points, marks, slug))[0] ?? null
}

/** A strong clause that is no asset: assets of others stand on many pages. */
export function hasOwnProof({ held }: Standing): boolean {
  return held.some(({ weight, family }) => weight === 'strong' && family !== 'loaded')
}

// From the surest proof of where a site runs to the least sure.
const PROOFS: readonly (readonly string[])[] = [
  ['url'],
  ['header'],
  ['dns cname'],
  ['dns a', 'dns aaaa'],
  ['cookie'],
  ['dns txt'],
  ['tls'],
  ['text'],
  ['dns soa', 'dns ns'],
]

function rankProof({ held, rule }: Standing): number {
  const heavy = held.filter(({ weight }) => weight !== 'weak')
  const ids = new Set((heavy.length > 0 ? heavy : held).flatMap((clause: Clause) => clause.leaves))
  const ranks = rule.leaves.filter((leaf) => leaf.positive && ids.has(leaf.id)).map(rankLeafProof)
  return Math.min(PROOFS.length, ...ranks)
}

function rankLeafProof({ place, words }: Leaf): number {
  const ranks = words.map((word) =>
    PROOFS.findIndex(
      (proof) => proof.includes(place) || proof.includes(`${place} ${word.split(' ')[0].toLowerCase()}`),
    ),
  )
  return Math.max(...ranks.map((rank) => (rank < 0 ? PROOFS.length : rank)))
}

/**
 * Where the origin runs. null: no host stands at medium; undefined: two that have nothing to do with each other stand
 * equally high, so nobody can say.
 */
export function chooseHosting(hosts: Standings, ruleset: Ruleset): Standing | null | undefined {
  const origins = standing(hosts, 'hosting').filter((one) => isMedium(one) && !one.rule.cdn)
  const [first, second] = mostSpecific(origins, ruleset.hostingBySlug).sort(
    by<Standing>(level, (one) => -rankProof(one), families, points, marks, slug),
  )
  if (first === undefined) return null
  const tied =
    second !== undefined && first.level === 'high' && second.level === 'high' && rankProof(first) === rankProof(second)
  return tied ? undefined : first
}

/** Points a site type needs. */
const ENOUGH = 5
/** Visible words below which a page gives no ground for most types. */
const FEW_WORDS = 20

/** Whether a page can be typed at all: not an answer that failed, not something else than HTML. */
export function isTypable(page: Page): boolean {
  const contentType = page.headers?.find(([header]) => header === 'content-type')?.[1]
  const isHtml = contentType === undefined || /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType)
  return isHtml && (page.status ?? 200) < 400
}

/** The type with the most points, then rank, families, marks, slug; a fallback only where no other is. */
export function chooseSiteType(types: readonly Standing[], page: Page): Standing | null {
  const fitting = types.filter((one) => one.points >= ENOUGH && (page.words >= FEW_WORDS || one.rule.thin))
  const proper = fitting.filter((one) => !one.rule.fallback)
  return (
    (proper.length > 0 ? proper : fitting).sort(
      by<Standing>(points, (one) => one.rule.rank, families, marks, slug),
    )[0] ?? null
  )
}

/** What the site is made with: technologies, the builder, CDNs, and all that these imply; surest first, each name once. */
export function listTechnologies(
  standings: Standings,
  hosts: Standings,
  builder: Standing | null,
  ruleset: Ruleset,
): Standing[] {
  const chosen = standing(standings, 'technology').filter(isMedium)
  if (builder) chosen.push(builder)
  const implied = [...new Set(chosen.flatMap(({ rule }) => [...findImplied(rule, ruleset.bySlug)]))]
  const others = implied.flatMap((one) => standings.get(one) ?? []).filter((one) => one.level !== null)
  const cdns = standing(hosts, 'hosting').filter((one) => one.rule.cdn && isMedium(one))
  const sorted = [...new Set([...chosen, ...others, ...cdns])].sort(by<Standing>(level, points, name))
  return sorted.filter((one, i) => sorted.findIndex((other) => name(other) === name(one)) === i)
}
