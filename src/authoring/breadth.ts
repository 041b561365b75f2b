import type { Ruleset } from '../engine/lookup/ruleset.ts'
import { computeLevel } from '../engine/verdict/score.ts'
import type { Verdict } from '../engine/verdict/verdict-types.ts'
import type { CheckedRule } from '../rules/checks/rule-checks.ts'
import { buildFinding, type Finding } from '../rules/findings.ts'
import { checkAlso, checkSlugs, listFired } from '../rules/run-fixture.ts'
import type { OrdinaryPage } from './ordinary-pages.ts'

/** An ordinary page and its verdict. */
export interface OrdinaryResult {
  readonly page: OrdinaryPage
  readonly verdict: Verdict
}

/** Reports what an ordinary page says wrongly: slugs that no rule has or that do not fire, and another site type. */
export function checkOrdinaryPage({ page, verdict }: OrdinaryResult, ruleset: Ruleset): Finding[] {
  const { file, path, siteType } = page
  const unknown = checkSlugs({ ...page, hit: siteType === undefined ? null : { siteType } }, ruleset)
  if (unknown.length > 0) return unknown
  const findings = checkAlso(page, verdict)
  if (siteType === undefined || siteType === verdict.siteType) return findings
  const own = verdict.evidence.find(({ kind, slug }) => kind === 'site-type' && slug === verdict.siteType)
  const clauses = own ? `, by ${own.clauses.map(({ clause }) => clause).join(' ')}` : ''
  const details = { wanted: siteType ?? 'none', got: verdict.siteType ?? 'none', clauses }
  return [...findings, buildFinding('wrong-site-type', file.valueAt([...path, 'siteType']), details)]
}

/**
 * Reports each clause by which a rule fires on ordinary pages that do not list it: a clause that an ordinary page has by chance
 * says nothing about a product. Site types are not judged this way, because every page has one.
 */
export function checkBreadth(rules: readonly CheckedRule[], results: readonly OrdinaryResult[]): Finding[] {
  const byRule = new Map(rules.map((rule) => [`${rule.found.kind} ${rule.found.slug}`, rule]))
  const broad = new Map<string, { readonly rule: CheckedRule; readonly clause: number; readonly hits: Hit[] }>()
  for (const { page, verdict } of results)
    for (const { kind, slug, points, clauses } of listFired(verdict)) {
      const rule = byRule.get(`${kind} ${slug}`)
      if (rule === undefined || page.also.includes(slug)) continue
      for (const { clause: text } of clauses) {
        const clause = rule.compiled?.clauses.findIndex((one) => one.text === text) ?? -1
        const key = `${kind} ${slug} ${clause}`
        const entry = broad.get(key) ?? { rule, clause, hits: [] }
        entry.hits.push({ page, level: String(computeLevel(points)) })
        broad.set(key, entry)
      }
    }
  return [...broad.values()].map(({ rule: { file, found }, clause, hits }) =>
    buildFinding('broad-clause', file.valueAt(['detect', clause]), {
      kind: found.kind,
      slug: found.slug,
      pages: formatPages(hits),
      level: hits[0].level,
    }),
  )
}

interface Hit {
  readonly page: OrdinaryPage
  readonly level: string
}

/** Names the first page, and counts the others. */
function formatPages([{ page }, ...others]: readonly Hit[]): string {
  const { file, line } = page.file.valueAt(page.path)
  const first = `the ordinary page ${file}:${line} (${page.about})`
  return others.length === 0 ? first : `${first} and ${others.length} more`
}
