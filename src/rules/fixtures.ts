import type { Ruleset } from '../engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../engine/page/page.ts'
import type { Page } from '../engine/page/page-types.ts'
import { toList } from '../engine/rule/clause.ts'
import type { CompiledRule, RuleKind } from '../engine/rule/types.ts'
import { detect } from '../engine/verdict/detect.ts'
import { findImplied } from '../engine/verdict/relations.ts'
import { computeLevel } from '../engine/verdict/score.ts'
import type { Level, Verdict } from '../engine/verdict/verdict-types.ts'
import { type Path, SourceFile } from '../yaml/source-file.ts'
import type { FoundRule } from './discover.ts'
import { type Finding, finding } from './findings.ts'
import { hint } from './hint.ts'
import { testSchema } from './schema.ts'
import { Validator } from './validate.ts'

/** A page of a test file, and what it must give. */
export interface Fixture {
  readonly rule: FoundRule
  readonly file: SourceFile
  readonly path: Path
  readonly input: PageInput
  /** null for a miss. */
  readonly hit: Hit | null
  readonly also: readonly string[]
}

interface Hit {
  readonly confidence: Level
  readonly hosting?: string | null
  readonly siteType?: string | null
  readonly technologies?: readonly string[]
  readonly versions?: Readonly<Record<string, string>>
}

const SHORTEST_PAGE = 5
const validator = new Validator(testSchema)

/** Reads the test file of a rule. */
export function readFixtures(rule: FoundRule): { fixtures: Fixture[]; findings: Finding[] } {
  if (!rule.hasTest) return { fixtures: [], findings: [] }
  const file = new SourceFile(rule.testFile)
  const findings = [...file.findings]
  if (file.data !== null) findings.push(...validator.check(file).map((fault) => fault.finding))
  if (findings.length > 0) return { fixtures: [], findings }
  const data = file.data as { hits: readonly Record<string, unknown>[]; misses: readonly Record<string, unknown>[] }
  const fixtures = (['hits', 'misses'] as const).flatMap((key) =>
    data[key].map((item, i) => ({
      rule,
      file,
      path: [key, i],
      input: item.page as PageInput,
      hit: key === 'hits' ? readHit(item) : null,
      also: toList<string>(item.also),
    })),
  )
  return { fixtures, findings }
}

function readHit(item: Readonly<Record<string, unknown>>): Hit {
  const orNull = (value: unknown): unknown => (value === 'null' ? null : value) // Failsafe YAML knows no null.
  return {
    ...item,
    ...('hosting' in item && { hosting: orNull(item.hosting) }),
    ...('siteType' in item && { siteType: orNull(item.siteType) }),
  } as Hit
}

/** Runs one fixture against the whole set: its own rule, and every other rule that fires. */
export function runFixture(fixture: Fixture, ruleset: Ruleset): Finding[] {
  const faults = checkFixture(fixture, ruleset)
  if (faults.length > 0) return faults
  let page: Page
  try {
    page = buildPage(fixture.input)
  } catch (error) {
    return [refusePage(fixture, error)]
  }
  return checkVerdict(fixture, detect(ruleset, page), ruleset)
}

/** What is wrong with a fixture before its page is looked at. */
export function checkFixture(fixture: Fixture, ruleset: Ruleset): Finding[] {
  const { file, path, input } = fixture
  const lines = (input.html as string | undefined)?.trim().split('\n').length
  if (lines !== undefined && lines < SHORTEST_PAGE)
    return [finding('short-page', file.valueAt([...path, 'page', 'html']), { lines })]
  return checkNames(fixture, ruleset)
}

/** The finding for a page that gave no verdict. */
export function refusePage({ file, path }: Fixture, error: unknown): Finding {
  return finding('bad-fixture-page', file.valueAt([...path, 'page']), { reason: (error as Error).message })
}

/** Where a verdict differs from what the fixture says. */
export function checkVerdict(fixture: Fixture, verdict: Verdict, ruleset: Ruleset): Finding[] {
  return [...checkOwn(fixture, verdict), ...checkOthers(fixture, verdict, ruleset)]
}

/** What no rule is called cannot be on a page. */
function checkNames({ file, path, hit, also }: Fixture, { rules }: Ruleset): Finding[] {
  const check = (value: string, below: Path, what: 'slug' | 'name', kinds: readonly RuleKind[]): Finding[] => {
    const known = rules.filter(({ kind }) => kinds.includes(kind)).map((rule) => rule[what])
    const details = { value, what, kind: kinds.join(' or '), hint: hint(value, known) }
    return known.includes(value) ? [] : [finding('unknown-slug', file.valueAt([...path, ...below]), details)]
  }
  return [
    ...also.flatMap((slug, i) => check(slug, ['also', i], 'slug', ['builder', 'technology', 'hosting'])),
    ...(hit?.hosting ? check(hit.hosting, ['hosting'], 'name', ['hosting']) : []),
    ...(hit?.siteType ? check(hit.siteType, ['siteType'], 'slug', ['site-type']) : []),
  ]
}

function checkOwn({ rule, file, path, hit }: Fixture, verdict: Verdict): Finding[] {
  const own = verdict.evidence.find(({ kind, slug }) => kind === rule.kind && slug === rule.slug)
  const level = own ? computeLevel(own.points) : null
  if (hit === null) {
    if (own === undefined || level === null) return []
    return [
      finding('miss-fires', file.valueAt(path), { level, clauses: own.clauses.map(({ clause }) => clause).join(' ') }),
    ]
  }
  const differs = (key: string, got: unknown, wanted: unknown): Finding =>
    finding('hit-differs', file.valueAt([...path, key]), {
      key,
      got: String(got ?? 'none'),
      wanted: String(wanted ?? 'none'),
    })
  const findings: Finding[] = []
  if (level !== hit.confidence) findings.push(differs('confidence', level, hit.confidence))
  if (hit.hosting !== undefined && hit.hosting !== verdict.hosting)
    findings.push(differs('hosting', verdict.hosting, hit.hosting))
  if (hit.siteType !== undefined && hit.siteType !== verdict.siteType)
    findings.push(differs('siteType', verdict.siteType, hit.siteType))
  for (const name of hit.technologies ?? [])
    if (!verdict.technologies.includes(name))
      findings.push(differs('technologies', verdict.technologies.join(', '), name))
  for (const [name, version] of Object.entries(hit.versions ?? {}))
    if (verdict.versions[name] !== version) findings.push(differs('versions', verdict.versions[name], version))
  return findings
}

function checkOthers({ rule, file, path, also }: Fixture, verdict: Verdict, ruleset: Ruleset): Finding[] {
  const findings: Finding[] = []
  const fired = verdict.evidence.filter((one) => computeLevel(one.points) !== null && one.kind !== 'site-type')
  const own = ruleset.rules.find(({ kind, slug }) => kind === rule.kind && slug === rule.slug)
  for (const one of fired) {
    const other = ruleset.rules.find(({ kind, slug }) => kind === one.kind && slug === one.slug)
    if (
      own === undefined ||
      other === undefined ||
      own === other ||
      also.includes(one.slug) ||
      areRelated(own, other, ruleset)
    )
      continue
    findings.push(
      finding('unrelated-hit', file.valueAt(path), {
        slug: `${one.kind} ${one.slug}`,
        level: String(computeLevel(one.points)),
      }),
    )
  }
  for (const [i, slug] of also.entries())
    if (!fired.some((one) => one.slug === slug))
      findings.push(finding('dead-also', file.valueAt([...path, 'also', i]), { value: slug }))
  return findings
}

function areRelated(a: CompiledRule, b: CompiledRule, ruleset: Ruleset): boolean {
  const names = (rule: CompiledRule): readonly string[] => [
    ...findImplied(rule, rule.kind === 'hosting' ? ruleset.hostingBySlug : ruleset.bySlug),
    ...rule.requires,
    ...rule.excludes,
    ...(rule.hosting ? [rule.hosting] : []),
  ]
  return names(a).includes(b.slug) || names(b).includes(a.slug)
}
