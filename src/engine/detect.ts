import {
  candidatesOf,
  chooseBuilder,
  chooseHosting,
  chooseSiteType,
  hasOwnProof,
  isTypable,
  listTechnologies,
} from './choose.ts'
import { FOUND } from './clause.ts'
import { type PageHits, readHits } from './hits.ts'
import { dropExcluded, dropUnrequired, liftImplied, type Standings } from './relations.ts'
import type { Ruleset } from './ruleset.ts'
import { Standing } from './score.ts'
import type { CompiledRule, Evidence, Page, Verdict } from './types.ts'

/** Exclusive platforms that speak at once: so many are a trap for scanners, not a site. */
const HONEYPOT = 3

/**
 * Says what a page is made with. Pure: the same ruleset and page give the same verdict. Never throws. It runs on the calling
 * thread and cannot be stopped, so it is for rules and detectors that are trusted; `openDetector` has a time limit.
 * @returns the verdict, with the evidence of every rule that scored
 */
export function detect(ruleset: Ruleset, page: Page): Verdict {
  const hits = readHits(ruleset, page)
  const scored = [...hits.lifted]
    .filter(({ kind }) => kind !== 'site-type')
    .map((rule) => new Standing(rule, { hits, ruleset }))
  const standings = standingsOf(scored, ({ kind }) => kind !== 'hosting')
  const hosts = standingsOf(scored, ({ kind }) => kind === 'hosting')

  dropUnrequired(standings)
  liftImplied(standings, ruleset.bySlug)
  const contenders = candidatesOf(standings, ruleset)
  dropExcluded(standings)
  dropUnrequired(hosts)
  liftImplied(hosts, ruleset.hostingBySlug)
  dropExcluded(hosts)

  const builder = chooseBuilder(standings, ruleset)
  if (builder) settleConflict(builder, contenders, candidatesOf(standings, ruleset))
  const origin = chooseHosting(hosts, ruleset)
  const technologies = listTechnologies(standings, hosts, builder, ruleset)
  const types = scoreTypes(ruleset, hits, technologies)
  const siteType = isTypable(page) ? chooseSiteType(types, page) : null
  const chosen = new Set<Standing | null | undefined>([builder, origin, siteType, ...technologies])
  const scoring = [...standings.values(), ...hosts.values(), ...types.filter(({ points }) => points > 0)]
  const fields = {
    url: page.url?.href ?? null,
    builder: builder?.rule.name ?? null,
    builderSlug: builder?.rule.slug ?? null,
    confidence: builder?.level ?? null,
    category: builder?.rule.category ?? null,
    isAiNative: builder?.rule.aiNative ?? false,
    technologies: technologies.map(({ rule }) => rule.name),
    hosting: origin === undefined ? null : (origin?.rule.name ?? hostingOf(builder, ruleset)),
    siteType: siteType?.rule.slug ?? null,
    versions: Object.fromEntries(technologies.flatMap(({ rule, version }) => (version ? [[rule.name, version]] : []))),
    warnings: [...page.warnings, ...hits.warnings],
    cost: { textsTested: hits.textsTested, rulesEvaluated: scored.length + types.length },
  }
  return new Explained(fields, () => scoring.map((one) => evidenceOf(one, chosen.has(one)))) as unknown as Verdict
}

/** A verdict whose evidence is made when somebody asks for it. An accessor in a literal would cost more than evidence does. */
class Explained {
  readonly #explain: () => readonly Evidence[]
  #evidence: readonly Evidence[] | undefined

  constructor(fields: Omit<Verdict, 'evidence'>, explain: () => readonly Evidence[]) {
    Object.assign(this, fields)
    this.#explain = explain
  }

  get evidence(): readonly Evidence[] {
    return (this.#evidence ??= this.#explain())
  }

  toJSON(): Verdict {
    return { ...this, evidence: this.evidence } as unknown as Verdict
  }
}

function standingsOf(scored: readonly Standing[], wanted: (rule: CompiledRule) => boolean): Standings {
  return new Map(scored.filter(({ rule, points }) => points > 0 && wanted(rule)).map((one) => [one.rule.slug, one]))
}

/** A honeypot makes the winner low; an equal at high makes it medium. */
function settleConflict(builder: Standing, before: readonly Standing[], after: readonly Standing[]): void {
  const rival = after.find((one) => one !== builder && one.level === 'high' && one.families === builder.families)
  if (before.filter(hasOwnProof).length >= HONEYPOT) builder.level = 'low'
  else if (builder.level === 'high' && rival !== undefined) builder.level = 'medium'
  else return
  builder.note = 'conflicting'
}

/** Site types come last: what is settled is a place for them. */
function scoreTypes(ruleset: Ruleset, hits: PageHits, settled: readonly Standing[]): Standing[] {
  const found = ruleset.places.get(FOUND.key)
  for (const { rule } of settled)
    if (found && ruleset.bySlug.get(rule.slug) === rule) hits.take(found, { name: rule.slug, text: rule.name })
  return [...hits.lifted]
    .filter(({ kind }) => kind === 'site-type')
    .map((rule) => new Standing(rule, { hits, ruleset }))
}

function hostingOf(builder: Standing | null, ruleset: Ruleset): string | null {
  if (builder?.level !== 'high' || builder.rule.hosting === undefined) return null
  return ruleset.hostingBySlug.get(builder.rule.hosting)?.name ?? null
}

function evidenceOf(standing: Standing, chosen: boolean): Evidence {
  const { rule, level, points, note } = standing
  return {
    kind: rule.kind,
    slug: rule.slug,
    name: rule.name,
    level,
    points,
    ...standing.explain(),
    chosen,
    ...(note && { note }),
  }
}
