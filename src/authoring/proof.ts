import { Ruleset } from '../engine/lookup/ruleset.ts'
import type { Detector } from '../engine/page/detector.ts'
import { buildPage, type PageInput } from '../engine/page/page.ts'
import { indexPlaces, type Places, toList } from '../engine/rule/clause.ts'
import { compileRule, formatClause } from '../engine/rule/compile.ts'
import { RuleSyntaxError } from '../engine/rule/rule-syntax-error.ts'
import { splitSelector } from '../engine/rule/selector.ts'
import type { ClauseSource, CompiledRule, RuleSource } from '../engine/rule/types.ts'
import { testFound } from '../engine/verdict/found.ts'
import { holds } from '../engine/verdict/held-clauses.ts'
import { type PageHits, readHits } from '../engine/verdict/hits.ts'
import type { Verdict } from '../engine/verdict/verdict-types.ts'
import type { CheckedRule } from '../rules/checks/rule-checks.ts'
import { buildFinding, type Finding, lowerToWarning } from '../rules/findings.ts'
import type { FixtureResult } from '../rules/run-fixture.ts'
import type { Path } from '../yaml/source-file.ts'
import { findCutWords } from './cut-words.ts'

/** A part of a rule that a hit must show. */
interface Claim {
  readonly path: Path
  /** A clause that holds on the pages that show the part. */
  readonly clause: ClauseSource
  /** The value of a list; null if the part is a whole clause. */
  readonly word: string | null
}

/** Keys of a group whose clauses need not all hold. */
const CHOICES = ['any', 'of']
const LISTS = ['is', 'has', 'under']

/**
 * Reports clauses that hold on no hit of their rule, values of lists that no hit shows, and literals that are only a part of the
 * word that the hits show. The hits are read again on the
 * calling thread, so results must only have a verdict if detecting it has ended in time.
 */
export function checkProof(
  rule: CheckedRule,
  results: readonly FixtureResult[],
  detectors: readonly Detector[],
): Finding[] {
  const { file, found, source } = rule
  const hits = results.filter(({ fixture }) => fixture.hit !== null)
  // Without its hits, which is a finding of its own, a rule cannot be judged.
  if (source === null || hits.length === 0 || hits.some(({ verdict }) => verdict === null)) return []
  const places = indexPlaces(detectors)
  const claims = source.detect.flatMap((clause, i) => listClaims(clause, ['detect', i], true, places))
  const proven = findProven(rule, claims, hits, detectors)
  const missing = claims.filter((claim) => !proven.has(claim))
  const clauses = missing.filter(({ word }) => word === null)
  // A clause that never holds is reported once, however many words it has.
  const reported = missing.filter(
    (claim) => !clauses.some((other) => other !== claim && contains(other.path, claim.path)),
  )
  const unproven = reported.map(({ path, word }) => {
    if (word === null) return buildFinding('unproven-clause', file.valueAt(path))
    const finding = buildFinding('unproven-word', file.valueAt(path), { value: word })
    return found.kind === 'site-type' ? lowerToWarning(finding) : finding
  })
  const pages = hits.map(({ fixture }) => fixture.input)
  return [...unproven, ...findCutWords({ file, detect: source.detect }, pages, places)]
}

function contains(outer: Path, inner: Path): boolean {
  return outer.length < inner.length && outer.every((step, i) => step === inner[i])
}

/** Lists what hits must show of a clause: the clause itself if it is a choice, and every value of its lists. */
function listClaims(clause: ClauseSource, path: Path, isChoice: boolean, places: Places): Claim[] {
  if ('not' in clause) return [] // Only a page on which the rule does not fire can show it.
  const own: Claim[] = isChoice ? [{ path, clause, word: null }] : []
  const group = ['all', ...CHOICES].find((key) => key in clause)
  if (group !== undefined) {
    const inner = toList<ClauseSource>(clause[group])
    return [...own, ...inner.flatMap((one, i) => listClaims(one, [...path, group, i], group !== 'all', places))]
  }
  const place = Object.keys(clause).find((key) => places.has(key)) as string
  return [...own, ...[place, ...LISTS].flatMap((key) => listWords(clause, key, path, places))]
}

/** Lists the values of one list of a clause, each with a clause that has no other value. A single value needs no list. */
function listWords(clause: ClauseSource, key: string, path: Path, places: Places): Claim[] {
  const { atLeast, ...rest } = clause
  const values = toList<string>(clause[key])
  const words = values.flatMap((value, i) => {
    const at = Array.isArray(clause[key]) ? [...path, key, i] : [...path, key]
    const parts = places.get(key)?.word === 'selector' ? splitSelector(value) : [value]
    return parts.map((word) => ({ path: at, clause: { ...rest, [key]: word }, word }))
  })
  return words.length > 1 ? words : []
}

/** Finds the claims that at least one hit shows. */
function findProven(
  { source }: CheckedRule,
  claims: readonly Claim[],
  pages: readonly FixtureResult[],
  detectors: readonly Detector[],
): ReadonlySet<Claim> {
  if (source === null) return new Set()
  const places = indexPlaces(detectors)
  const named = findNamed(source, pages)
  const open = claims.filter(({ clause, word }) => word !== null || !named.has(formatClause(clause)))
  const compiled = open.map((claim) => ({ claim, rule: compileClaim(source, claim, places) }))
  const needy = compiled.flatMap(({ claim, rule }) => (rule === null ? [] : { claim, rule }))
  const proven = new Set(claims)
  for (const { claim } of needy) proven.delete(claim)
  if (needy.length === 0) return proven
  const rules = needy.map(({ rule }) => rule)
  const ruleset = Ruleset.of({ rules, categories: { builders: {}, technologies: {} }, version: '' }, detectors)
  for (const { fixture, verdict } of pages) {
    if (verdict === null) continue
    const hits = readClaims(ruleset, fixture.input, verdict)
    for (const [i, { clauses, leaves }] of ruleset.rules.entries())
      if (holds(clauses[0], leaves, hits)) proven.add(needy[i].claim)
  }
  return proven
}

/** Lists the clauses of a rule that verdicts name as held, so that their pages need not be read again for them. */
function findNamed({ kind, slug }: RuleSource, pages: readonly FixtureResult[]): ReadonlySet<string> {
  const own = pages
    .flatMap(({ verdict }) => verdict?.evidence ?? [])
    .filter((one) => one.kind === kind && one.slug === slug)
  return new Set(own.flatMap(({ clauses }) => clauses.map(({ clause }) => clause)))
}

/** Compiles a claim as the only clause of a rule. Returns null if it needs no proof: it holds where nothing was found. */
function compileClaim(
  source: RuleSource,
  { clause: { weight, points, fitted, ...clause } }: Claim,
  places: Places,
): CompiledRule | null {
  try {
    return compileRule({ ...source, kind: 'technology', detect: [clause] }, places)
  } catch (error) {
    if (error instanceof RuleSyntaxError) return null
    throw error
  }
}

/** Reads a page on which the ruleset of the project has found what `verdict` names. */
function readClaims(ruleset: Ruleset, input: PageInput, { evidence, builder, category }: Verdict): PageHits {
  const hits = readHits(ruleset, buildPage(input))
  const products = evidence.filter(({ chosen, kind }) => chosen && (kind === 'builder' || kind === 'technology'))
  testFound(hits, { products, builder: builder === null ? null : { name: builder, category } })
  return hits
}
