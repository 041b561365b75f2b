import { resolve, sep } from 'node:path'
import type { Ruleset } from '../engine/lookup/ruleset.ts'
import { buildPage } from '../engine/page/page.ts'
import type { Page } from '../engine/page/page-types.ts'
import type { CompiledRule, RuleKind } from '../engine/rule/types.ts'
import { detect } from '../engine/verdict/detect.ts'
import { findImplied } from '../engine/verdict/relations.ts'
import { computeLevel, rankLevel } from '../engine/verdict/score.ts'
import type { Evidence, Level, Verdict } from '../engine/verdict/verdict-types.ts'
import { formatHint } from '../yaml/hint.ts'
import type { Path } from '../yaml/source-file.ts'
import { ownFolder } from './built.ts'
import type { HitData } from './data-schemas.ts'
import { buildFinding, type Finding } from './findings.ts'
import type { Fixture } from './fixtures.ts'
import { findNearClauses } from './near-clauses.ts'

/** A fixture that was run: the verdict on its page, or null without one, and everything that is wrong. */
export interface FixtureResult {
  readonly fixture: Fixture
  readonly verdict: Verdict | null
  readonly findings: readonly Finding[]
}

/** Runs one fixture against the whole ruleset: its own rule, and every other rule that fires. */
export function runFixture(fixture: Fixture, ruleset: Ruleset): FixtureResult {
  const findings = checkSlugs(fixture, ruleset)
  if (findings.length > 0) return { fixture, verdict: null, findings }
  let page: Page
  try {
    page = buildPage(fixture.input)
  } catch (error) {
    return { fixture, verdict: null, findings: [buildPageFinding(fixture, error)] }
  }
  const verdict = detect(ruleset, page)
  return { fixture, verdict, findings: checkVerdict(fixture, verdict, ruleset) }
}

/** Builds the finding for a page that could not be scanned. */
export function buildPageFinding({ file, path }: Pick<Fixture, 'file' | 'path'>, error: unknown): Finding {
  return buildFinding('bad-fixture-page', file.valueAt([...path, 'page']), { reason: (error as Error).message })
}

/** Compares a verdict with what the fixture expects. */
export function checkVerdict(fixture: Fixture, verdict: Verdict, ruleset: Ruleset): Finding[] {
  const isType = fixture.rule.kind === 'site-type'
  const own = (isType ? checkType : checkOwn)(fixture, verdict, ruleset)
  return [...own, ...checkOthers(fixture, verdict, ruleset)]
}

/** The position of an expectation in a test file, and the parts of it that name rules. */
type Expectation = Pick<Fixture, 'file' | 'path' | 'also'> & {
  readonly number?: number
  readonly hit: Pick<HitData, 'hosting' | 'siteType'> | null
}

/** Reports slugs and names that no rule has. A derived page lists what may fire if there is such a rule. */
export function checkSlugs({ file, path, number, hit, also }: Expectation, ruleset: Ruleset): Finding[] {
  if (number === 0) return []
  const check = (value: string, below: Path, what: 'slug' | 'name', kinds: readonly RuleKind[]): Finding[] => {
    // Nearly all values are slugs of rules, which are found without decoding all rules.
    if (what === 'slug' ? findOf(value, kinds, ruleset) : isNameOfHosting(value, ruleset)) return []
    const { rules } = ruleset
    if (rules.some((rule) => rule[what] === value && kinds.includes(rule.kind))) return []
    const known = rules.filter(({ kind }) => kinds.includes(kind)).map((rule) => rule[what])
    const details = { value, what, kind: kinds.join(' or '), hint: formatHint(value, known) }
    return [buildFinding('unknown-slug', file.valueAt([...path, ...below]), details)]
  }
  return [
    ...also.flatMap((slug, i) => check(slug, ['also', i], 'slug', ['builder', 'technology', 'hosting', 'response'])),
    ...(hit?.hosting ? check(hit.hosting, ['hosting'], 'name', ['hosting']) : []),
    ...(hit?.siteType ? check(hit.siteType, ['siteType'], 'slug', ['site-type']) : []),
  ]
}

/** Whether a slug is one of a rule of these kinds, by the maps, which do not contain responses. */
function findOf(
  slug: string,
  kinds: readonly RuleKind[],
  { bySlug, hostingBySlug, siteTypesBySlug }: Ruleset,
): boolean {
  const named = [bySlug.get(slug), hostingBySlug.get(slug), siteTypesBySlug.get(slug)]
  return named.some((rule) => rule !== undefined && kinds.includes(rule.kind))
}

/** Whether a name is that of the hosting rule whose slug is the name with hyphens, as most are. */
function isNameOfHosting(name: string, { hostingBySlug }: Ruleset): boolean {
  return hostingBySlug.get(name.toLowerCase().replace(/[^a-z0-9]+/g, '-'))?.name === name
}

/** Checks the type of a page of a site type: a hit has it, a miss has not. A bare list of words need not have it. */
function checkType(fixture: Fixture, verdict: Verdict, ruleset: Ruleset): Finding[] {
  const { rule, file, path, hit } = fixture
  const own = ruleset.siteTypesBySlug.get(rule.slug)
  const type = own?.unnamed ? null : rule.slug
  if (hit === null) {
    if (verdict.siteType !== type) return []
    return [
      buildFinding('miss-named', file.valueAt(path), {
        siteType: String(type ?? 'no site type'),
        command: formatExplain(fixture),
      }),
    ]
  }
  const wanted = hit.siteType === undefined ? type : hit.siteType
  const facts = checkFacts(fixture, hit, verdict)
  if (verdict.siteType === wanted || (hit.words && hit.siteType === undefined)) return facts
  return [buildDifference(fixture, [], ['siteType', verdict.siteType, wanted]), ...facts]
}

function checkOwn(fixture: Fixture, verdict: Verdict, ruleset: Ruleset): Finding[] {
  const { rule, file, path, hit } = fixture
  const own = verdict.evidence.find(({ kind, slug }) => kind === rule.kind && slug === rule.slug)
  const level = own ? computeLevel(own.points) : null
  if (hit === null) {
    if (own === undefined || level === null) return []
    return [
      buildFinding('miss-fires', file.valueAt(path), {
        level,
        clauses: own.clauses.map(({ clause }) => clause).join(' '),
        command: formatExplain(fixture),
      }),
    ]
  }
  if (hit.confidence === undefined) return [buildFinding('missing-key', file.valueAt(path), { key: 'confidence' })]
  const facts = checkFacts(fixture, hit, verdict)
  const state = findRule(rule, ruleset)?.state
  // Another rule may say the same of the page.
  if (own?.kind === 'response' && !own.chosen && state !== verdict.page.state)
    facts.push(buildDifference(fixture, [], ['page.state', verdict.page.state, state]))
  if (level === hit.confidence) return facts
  const why = explainLevel(fixture, hit.confidence, own, ruleset)
  return [buildDifference(fixture, ['confidence'], ['confidence', level, hit.confidence], why), ...facts]
}

/** Reports a fact of a verdict that differs from the fixture: its key, its actual value, and the expected one. */
function buildDifference(
  fixture: Fixture,
  below: Path,
  [key, got, wanted]: readonly [string, unknown, unknown],
  why = '',
): Finding {
  const command = formatExplain(fixture)
  const details = { key, got: String(got ?? 'none'), wanted: String(wanted ?? 'none'), why, command }
  return buildFinding('hit-differs', fixture.file.valueAt([...fixture.path, ...below]), details)
}

/** Formats the command that explains a page of a test. A rule outside of the project is named by its file. */
function formatExplain({ rule, hit, number }: Fixture): string {
  const isOwn = resolve(rule.file).startsWith(ownFolder + sep)
  const name = isOwn ? `${rule.kind}/${rule.slug}` : rule.file
  return `npm run -s rules -- explain ${name} --${hit === null ? 'miss' : 'hit'} ${number}`
}

/** Compares the facts that a hit states about the verdict. */
function checkFacts(fixture: Fixture, hit: HitData, verdict: Verdict): Finding[] {
  const { rule } = fixture
  const differs = (key: string, got: unknown, wanted: unknown): Finding =>
    buildDifference(fixture, [key], [key, got, wanted])
  const findings: Finding[] = []
  if (hit.hosting !== undefined && hit.hosting !== verdict.hosting)
    findings.push(differs('hosting', verdict.hosting, hit.hosting))
  if (rule.kind !== 'site-type' && hit.siteType !== undefined && hit.siteType !== verdict.siteType)
    findings.push(differs('siteType', verdict.siteType, hit.siteType))
  for (const name of hit.technologies ?? [])
    if (!verdict.technologies.includes(name))
      findings.push(differs('technologies', verdict.technologies.join(', '), name))
  for (const [name, version] of Object.entries(hit.versions ?? {}))
    if (verdict.versions[name] !== version) findings.push(differs('versions', verdict.versions[name], version))
  return findings
}

/** Maximum number of clauses that nearly hold in a finding. */
const MAX_NEAR_CLAUSES = 2

/** Names the clauses that gave points, and those that nearly did. */
function explainLevel({ rule, input }: Fixture, wanted: Level, own: Evidence | undefined, ruleset: Ruleset): string {
  const compiled = findRule(rule, ruleset)
  const points = own?.points ?? 0
  const held =
    own === undefined || own.clauses.length === 0 ? '' : ` from ${own.clauses.map(({ clause }) => clause).join(', ')}`
  const isTooLow = rankLevel(own ? computeLevel(points) : null) < rankLevel(wanted)
  const near = compiled && isTooLow ? findNearClauses(compiled, buildPage(input), ruleset) : []
  const missed = near.slice(0, MAX_NEAR_CLAUSES).map(({ text, found }) => `${text}, found ${JSON.stringify(found[0])}`)
  const unit = points === 1 ? 'point' : 'points'
  return `: ${points} ${unit}${held}${missed.length > 0 ? `; near: ${missed.join('; ')}` : ''}`
}

function checkOthers(fixture: Fixture, verdict: Verdict, ruleset: Ruleset): Finding[] {
  const { rule, file, path, also } = fixture
  const findings: Finding[] = []
  const fired = listFired(verdict)
  const own = findRule(rule, ruleset)
  for (const one of fired) {
    const other = findRule(one, ruleset)
    if (
      own === undefined ||
      other === undefined ||
      own === other ||
      (own.kind === 'response' && other.kind === 'response') ||
      also.includes(one.slug) ||
      areRelated(own, other, ruleset)
    )
      continue
    findings.push(
      buildFinding('unrelated-hit', file.valueAt(path), {
        slug: `${one.kind} ${one.slug}`,
        level: String(computeLevel(one.points)),
        command: formatExplain(fixture),
      }),
    )
  }
  // What a derived page lists may fire, but need not.
  return fixture.number === 0 ? findings : [...findings, ...checkAlso({ file, path, also }, verdict)]
}

/** Finds a compiled rule. The maps contain all but site types: searching the list took a sixth of the time of `rules test`. */
function findRule(
  { kind, slug }: Pick<CompiledRule, 'kind' | 'slug'>,
  { bySlug, hostingBySlug, rules }: Ruleset,
): CompiledRule | undefined {
  const found = (kind === 'hosting' ? hostingBySlug : bySlug).get(slug)
  return found?.kind === kind ? found : rules.find((rule) => rule.kind === kind && rule.slug === slug)
}

/** Lists the builders, technologies and hosting whose own clauses fire, whatever relations make of them. */
export function listFired({ evidence }: Verdict): readonly Evidence[] {
  return evidence.filter(({ kind, points }) => kind !== 'site-type' && computeLevel(points) !== null)
}

/** Reports slugs of an `also` that do not fire. */
export function checkAlso({ file, path, also }: Pick<Fixture, 'file' | 'path' | 'also'>, verdict: Verdict): Finding[] {
  const fired = new Set(listFired(verdict).map(({ slug }) => slug))
  return also.flatMap((value, i) =>
    fired.has(value) ? [] : [buildFinding('dead-also', file.valueAt([...path, 'also', i]), { value })],
  )
}

function areRelated(a: CompiledRule, b: CompiledRule, ruleset: Ruleset): boolean {
  const names = (rule: CompiledRule): readonly string[] => [
    ...findImplied(rule, rule.kind === 'hosting' ? ruleset.hostingBySlug : ruleset.bySlug),
    ...rule.requires,
    ...rule.excludes,
    ...(rule.hosting ? [rule.hosting] : []),
    ...(rule.by ? [rule.by] : []),
  ]
  return names(a).includes(b.slug) || names(b).includes(a.slug)
}
