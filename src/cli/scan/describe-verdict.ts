import type { RulesetLabels } from '../../detector/ruleset-labels.ts'
import { makeVisible } from '../../engine/text/visible-text.ts'
import { explainAnswer } from '../../engine/verdict/response.ts'
import { describeTlsError } from '../../fetch/tls-error.ts'
import type { Evidence, Verdict } from '../../index.ts'
import type { TechnologyDetail } from '../../lifecycles/describe-details.ts'
import { describeEnd } from '../../lifecycles/describe-end.ts'
import { formatNetwork } from '../../networks/format-network.ts'
import type { Extras, SystemPart } from '../../scan/extra-schemas.ts'

/** Clauses of the builder, and values of each, that the description shows. */
const MAX_CLAUSES = 3
/** Characters of a text of the page that the description shows. */
const MAX_TEXT = 80
/** SGR sequences of a terminal (ECMA-48): on, and off again. */
const STYLES = { bold: '\u001b[1m', dim: '\u001b[2m' } as const
const STYLE_END = '\u001b[22m'

/** What a description needs in addition to the verdict. */
export interface DescriptionParts {
  readonly labels: RulesetLabels
  readonly title: string | null
  readonly details: readonly TechnologyDetail[]
  /** What is known of the address that answered; null for a saved page. */
  readonly infrastructure: Pick<Extras['infrastructure'], 'network' | 'reverseDns' | 'tlsError'> | null
  /** The pages of the site that were read, if several were asked for. */
  readonly parts?: readonly SystemPart[] | undefined
  /** Whether the terminal shows colours. */
  readonly hasColors: boolean
}

/** Describes a verdict for a person at a terminal. Texts of the page are quoted, without characters that a terminal would obey. */
export function describeVerdict(
  verdict: Verdict,
  { labels, title, details, infrastructure, parts = [], hasColors }: DescriptionParts,
): string {
  const paint = (style: keyof typeof STYLES, text: string): string =>
    hasColors ? `${STYLES[style]}${text}${STYLE_END}` : text
  const technologies = describeTechnologies(verdict.builder, details)
  const width = Math.max(...['Site type', ...technologies.map(([group]) => group)].map(({ length }) => length)) + 2
  const row = (name: string, value: string): string => `${paint('dim', name.padEnd(width))}${value}`
  const builder =
    verdict.builder === null
      ? 'not known'
      : `${paint('bold', verdict.builder)} (${verdict.confidence} confidence${verdict.isAiNative ? ', AI-native' : ''})`
  const siteType = verdict.siteType === null ? 'not known' : (labels.siteTypes[verdict.siteType] ?? verdict.siteType)
  const heading = [verdict.url ?? 'Saved page', title === null ? '' : quote(title)].filter(Boolean).join('  ')
  const lines = [
    paint('bold', heading),
    ...explainAnswer(verdict.page).map((sentence) => row('Attention', sentence)),
    row('Builder', builder),
    row('Hosting', verdict.hosting ?? 'not known'),
    ...describeAddress(infrastructure).map((text) => row('Network', text)),
    ...(infrastructure?.tlsError ? [row('TLS', describeTlsError(infrastructure.tlsError))] : []),
    row('Site type', siteType),
    ...technologies.map(([group, names]) => row(group, names)),
    ...describeParts(parts, labels),
    ...describeEvidence(verdict.evidence),
  ]
  return `${lines.join('\n')}\n`
}

/** Names the network of the address, and the address as its holder has named it, in one line; none if neither is known. */
function describeAddress(infrastructure: DescriptionParts['infrastructure']): string[] {
  const { network, reverseDns } = infrastructure ?? { network: null, reverseDns: null }
  const parts = [network === null ? null : formatNetwork(network), reverseDns].filter((part) => part !== null)
  return parts.length === 0 ? [] : [parts.map((part) => makeVisible(part, MAX_TEXT)).join(', ')]
}

/** Lists the technologies by the titles of their categories, each with its version and whether its support has ended. */
function describeTechnologies(builder: string | null, details: readonly TechnologyDetail[]): [string, string][] {
  const groups = new Map<string, string[]>()
  for (const { name, category, version, support } of details) {
    if (name === builder) continue
    const ended = support?.state === 'ended' ? ` (${describeEnd(support)})` : ''
    const shown = version === null ? name : `${name} ${version}${ended}`
    groups.set(category.name, [...(groups.get(category.name) ?? []), shown])
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([group, names]) => [group, names.join(', ')])
}

/** Lists the pages that were read, each with its builder and its purpose. */
function describeParts(parts: readonly SystemPart[], { siteTypes }: RulesetLabels): string[] {
  if (parts.length === 0) return []
  const lines = parts.map(({ url, builder, confidence, siteType }) => {
    const made = builder === null ? 'builder not known' : `${builder} (${confidence} confidence)`
    const type = siteType === null ? [] : [siteTypes[siteType] ?? siteType]
    return `  ${makeVisible(url, MAX_TEXT)}: ${[made, ...type].join(', ')}`
  })
  return ['', 'Pages:', ...lines]
}

/** Lists the strongest evidence of the builder. */
function describeEvidence(evidence: readonly Evidence[]): string[] {
  const builder = evidence.find(({ kind, chosen }) => kind === 'builder' && chosen)
  if (builder === undefined || builder.clauses.length === 0) return []
  const clauses = builder.clauses.slice(0, MAX_CLAUSES).map(({ clause, texts }) => {
    const found = texts.filter((text) => text !== '').slice(0, 1)
    return `  ${clause}${found.length > 0 ? `: ${quote(found[0])}` : ''}`
  })
  return ['', `Evidence for ${builder.name}:`, ...clauses]
}

/** Quotes a text of a page: control characters, and those that change the direction of text, are left out. */
function quote(text: string): string {
  const plain = text.replace(/[\p{C}\s]+/gu, ' ').trim()
  return `“${plain.length > MAX_TEXT ? `${plain.slice(0, MAX_TEXT - 1)}…` : plain}”`
}
