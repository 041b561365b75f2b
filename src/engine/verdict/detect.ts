import type { Ruleset } from '../lookup/ruleset.ts'
import type { Page } from '../page/page-types.ts'
import { boundWarnings, cutText, MAX_EVIDENCE, MAX_TECHNOLOGIES, MAX_URL } from '../text/bounds.ts'
import { type Analysis, analyzePage } from './analyze-page.ts'
import { chooseHosting } from './choose.ts'
import { describeTechnologies } from './describe-technologies.ts'
import { buildEvidence } from './evidence.ts'
import { describeAnswer, explainAnswer } from './response.ts'
import type { ScoredRule } from './score.ts'
import { chooseSiteType, explainSiteType, scoreSiteTypes } from './site-type.ts'
import type { Evidence, Verdict } from './verdict-types.ts'
import { listVersions } from './versions.ts'

/**
 * Detects what a page is made with. The function is pure: the same ruleset and page give the same verdict. It never throws.
 * It runs on the calling thread and cannot be stopped, so use it with trusted rules and detectors; `openDetector` has a
 * time limit.
 * @returns the verdict, with evidence for every rule that scored
 */
export function detect(ruleset: Ruleset, page: Page): Verdict {
  return describeAnalysis(ruleset, page, analyzePage(ruleset, page, 'deciding'))
}

/** Describes what the rules find on a page: the second part of `detect`. */
export function describeAnalysis(ruleset: Ruleset, page: Page, analysis: Analysis): Verdict {
  const { hits, scored, products, providers, responses, response, builder, technologies } = analysis
  const held = analysis.heldTypeClauses
  const origin = chooseHosting(providers, ruleset)
  const types = held.length > 0 ? scoreSiteTypes(ruleset, held) : []
  const choice = chooseSiteType(types, page, ruleset.categories.siteTypes)
  const chosen = new Set<ScoredRule | null | undefined>([builder, origin, response, ...technologies])
  const scoring = [...products.values(), ...providers.values(), ...responses.values()]
  const cuts = reportCuts(analysis.technologyCount, scoring.length)
  const answer = describeAnswer(page, response, { ruleset, type: choice.chosen?.rule })
  const versions = listVersions(technologies, { products, ruleset })
  const fields = {
    url: page.url && cutText(page.url.href, MAX_URL),
    builder: builder?.rule.name ?? null,
    builderSlug: builder?.rule.slug ?? null,
    confidence: builder?.level ?? null,
    category: builder?.rule.category ?? null,
    isAiNative: builder?.rule.aiNative ?? false,
    technologies: technologies.map(({ rule }) => rule.name),
    hosting: origin === undefined ? null : (origin?.rule.name ?? inferHosting(builder, ruleset)),
    siteType: choice.chosen?.rule.slug ?? null,
    page: answer,
    details: describeTechnologies(technologies, { versions, categories: ruleset.categories }),
    versions,
    warnings: boundWarnings([...explainAnswer(answer), ...page.warnings, ...hits.warnings, ...cuts]),
    cost: { textsTested: hits.textsTested, rulesEvaluated: scored.length + new Set(held.map(({ rule }) => rule)).size },
  }
  const explain = (): Evidence[] => buildEvidence(scoring, chosen, explainSiteType(choice, held, hits))
  return new ExplainedVerdict(fields, explain) as unknown as Verdict
}

/**
 * A verdict that builds its evidence on first access. `evidence` is an own, enumerable property, so that a spread, a
 * structured clone and JSON contain it. All verdicts share one getter and therefore one hidden class: an accessor in an
 * object literal costs more than the evidence itself.
 */
class ExplainedVerdict {
  static readonly #evidenceProperty: PropertyDescriptor & ThisType<ExplainedVerdict> = {
    enumerable: true,
    get() {
      return (this.#evidence ??= this.#explain())
    },
  }

  readonly #explain: () => readonly Evidence[]
  #evidence: readonly Evidence[] | undefined

  constructor(fields: Omit<Verdict, 'evidence'>, explain: () => readonly Evidence[]) {
    Object.assign(this, fields)
    this.#explain = explain
    Object.defineProperty(this, 'evidence', ExplainedVerdict.#evidenceProperty)
  }
}

function inferHosting(builder: ScoredRule | null, ruleset: Ruleset): string | null {
  if (builder?.level !== 'high' || builder.rule.hosting === undefined) return null
  return ruleset.hostingBySlug.get(builder.rule.hosting)?.name ?? null
}

/** Writes one sentence for each list of the result that was cut. */
function reportCuts(technologies: number, scoring: number): string[] {
  const cuts: string[] = []
  if (technologies > MAX_TECHNOLOGIES) cuts.push(`only ${MAX_TECHNOLOGIES} of ${technologies} technologies are listed`)
  if (scoring > MAX_EVIDENCE) cuts.push(`evidence is listed for ${MAX_EVIDENCE} of ${scoring} rules`)
  return cuts
}
