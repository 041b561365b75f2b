import { PackedRules } from '../engine/lookup/packed-rules.ts'
import type { PackedRuleset } from '../engine/lookup/ruleset.ts'
import type { CompiledRule, RuleKind, RuleSummary } from '../engine/rule/types.ts'
import { PackedMap } from '../engine/text/packed-map.ts'
import { buildCatalogue, type CatalogueEntry } from './catalogue.ts'
import { buildLabels, type RulesetLabels } from './ruleset-labels.ts'

/** The properties of the rules that are needed outside of the workers. */
export interface RulesetInfo {
  /** Fingerprint of the content of the rules. */
  readonly version: string
  /** DNS records that rules read. */
  readonly wantedDns: readonly string[]
  /** Properties of `window` that rules read, in lower case. */
  readonly wantedGlobals: readonly string[]
  /** Builder category → its name in revision 1 of the API. */
  readonly categories: Readonly<Record<string, string>>
  readonly siteTypes: readonly string[]
  readonly labels: RulesetLabels
  readonly catalogue: readonly CatalogueEntry[]
  /** All rules without what matches a page. */
  readonly summaries: readonly RuleSummary[]
  /** Decodes one rule. */
  readonly readRule: (slug: string, kind: RuleKind) => CompiledRule | undefined
}

/**
 * Describes a compiled ruleset without opening it: only workers need its index. What needs all summaries is computed when it is asked for:
 * a scan of one page does not need it.
 */
export function describeRuleset({ version, categories, places, known, sections }: PackedRuleset): RulesetInfo {
  const rules = new PackedRules(sections.at('rules'))
  let summaries: readonly RuleSummary[] | undefined
  const readSummaries = (): readonly RuleSummary[] => (summaries ??= rules.listSummaries())
  let labels: RulesetLabels | undefined
  let catalogue: readonly CatalogueEntry[] | undefined
  return {
    version,
    wantedDns: places.includes('dns') ? new PackedMap(sections.at('places.dns.words')).listKeys() : [],
    wantedGlobals: places.includes('global') ? new PackedMap(sections.at('places.global.words')).listKeys() : [],
    categories: Object.fromEntries(
      Object.entries(categories.builders).map(([name, { revision1 }]) => [name, revision1 ?? name]),
    ),
    get siteTypes() {
      return Array.from(sections.words('siteTypes'), (number) => rules.getSummary(number))
        .filter(({ unnamed }) => !unnamed)
        .map(({ slug }) => slug)
    },
    get labels() {
      return (labels ??= buildLabels({ categories, rules: readSummaries(), places: known }))
    },
    get catalogue() {
      return (catalogue ??= buildCatalogue(readSummaries()))
    },
    get summaries() {
      return readSummaries()
    },
    readRule: (slug, kind) => rules.find(slug, kind),
  }
}
