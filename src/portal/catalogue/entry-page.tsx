import type { ComponentChildren } from 'preact'
import { type CatalogueEntry, describeRule } from '../../detector/catalogue.ts'
import type { CompiledRule } from '../../engine/rule/types.ts'
import { Facts } from '../../views/facts.tsx'
import { LinkButton } from '../components/button.tsx'
import { Card } from '../components/content.tsx'
import { Page } from '../components/page.tsx'
import type { PageContext } from '../page.ts'
import type { CatalogueIndex } from './catalogue-index.ts'
import { type DescribedClause, describeMarks, findsVersions } from './describe-rule.ts'
import { EntryList } from './entry-list.tsx'
import { categoryTitle, entryPath, KIND_NAMES, listPath, rulePath } from './paths.ts'

/** Maximum number of alternatives that are listed. */
const MAX_ALTERNATIVES = 12

interface EntryProps {
  readonly context: PageContext
  readonly index: CatalogueIndex
  readonly rule: CompiledRule
}

/** The page of one builder, hosting provider, technology or type of site. */
export function EntryPage({ context, rule, index }: EntryProps) {
  const entry = describeRule(rule)
  const { labels } = context.parts.rules.current
  const category = categoryTitle(entry, labels)
  const about = entry.about ?? rule.description ?? null
  const kind = category ?? KIND_NAMES[entry.kind][1]
  return (
    <Page
      context={context}
      title={`${entry.name}, ${kind}`}
      hasOwnHeading
      description={about ?? `How Siteprint detects ${entry.name}.`}
      canonicalPath={entryPath(entry)}
    >
      <p>
        <a href="/catalogue">Catalogue</a> {'› '}
        <a href={listPath(entry.kind, entry.category ?? undefined)}>{category ?? KIND_NAMES[entry.kind][0]}</a>
      </p>
      <h1>{entry.name}</h1>
      {about !== null && <p class="lead">{about}</p>}
      {entry.about !== null && rule.description !== undefined && <p>{rule.description}</p>}
      <Card>
        <Facts facts={listFacts(entry, rule, category)} />
      </Card>
      {entry.kind === 'site-type' ? <TypeMarks rule={rule} /> : <Marks rule={rule} />}
      <Relations context={context} rule={rule} index={index} />
      <Alternatives entry={entry} index={index} />
      <p class="buttons">
        <LinkButton href="/scan">Scan a site for it</LinkButton>
      </p>
    </Page>
  )
}

type Fact = readonly [name: string, value: ComponentChildren]

function listFacts(entry: CatalogueEntry, rule: CompiledRule, category: string | null): Fact[] {
  const { kind, website, isAiNative } = entry
  const facts: (Fact | false)[] = [
    ['Kind', KIND_NAMES[kind][1]],
    category !== null && ['Category', category],
    isAiNative && ['AI-native', 'A model makes the site'],
    website !== null && ['Website', <Website key="website" url={website} />],
    kind !== 'site-type' && ['Versions', findsVersions(rule) ? 'Found on pages that show them' : 'Not shown by pages'],
    ['Rule and tests', <code key="rule">{rulePath(entry)}.yaml</code>],
  ]
  return facts.filter((fact) => fact !== false)
}

function Website({ url }: { readonly url: string }) {
  return (
    <a href={url} rel="noopener noreferrer">
      {new URL(url).hostname.replace(/^www\./, '')}
    </a>
  )
}

/** How much a mark of each weight proves, in words. */
const WEIGHTS = { strong: 'Proof', medium: 'Good sign', weak: 'Hint' } as const

function Marks({ rule }: { readonly rule: CompiledRule }) {
  const { marks, more } = describeMarks(rule)
  return (
    <Card title="What shows it">
      <p class="hint">
        One proof names it with high confidence. Good signs of different kinds add up; hints alone name nothing but a
        builder at low confidence.
      </p>
      <ul class="marks">
        {marks.map((mark, i) => (
          <li key={i}>
            <span class="weight">{WEIGHTS[mark.weight]}:</span> <MarkText mark={mark} />
          </li>
        ))}
        {more > 0 && <li>{more === 1 ? 'One more mark' : `${more} more marks`} in the rule</li>}
      </ul>
    </Card>
  )
}

function MarkText({ mark: { parts } }: { readonly mark: DescribedClause }) {
  return <>{parts.map(({ text, isCode }, i) => (isCode ? <code key={i}>{text}</code> : <span key={i}>{text}</span>))}</>
}

function TypeMarks({ rule: { typeClauses = [] } }: { readonly rule: CompiledRule }) {
  return (
    <Card title="What shows it">
      <p>
        The type of a site shows in many small signs: {typeClauses.length} clauses of its rule, and those of the other
        types, add points. The type with the most points is named if it leads clearly.
      </p>
    </Card>
  )
}

function Relations({
  context,
  rule,
  index,
}: {
  readonly context: PageContext
  readonly rule: CompiledRule
  readonly index: CatalogueIndex
}) {
  const implied = index.entries.filter(({ slug, kind }) => kind !== 'site-type' && rule.implies.includes(slug))
  if (implied.length === 0) return null
  return (
    <Card title="What it implies">
      <EntryList context={context} entries={implied} hasKind />
    </Card>
  )
}

function Alternatives({ entry, index }: { readonly entry: CatalogueEntry; readonly index: CatalogueIndex }) {
  const { kind, category, slug } = entry
  if (category === null) return null
  const others = index.list(kind, category).filter((other) => other.slug !== slug)
  if (others.length === 0) return null
  // Those with a sentence first: they are the ones that most sites have.
  const shown = [...others.filter(({ about }) => about !== null), ...others.filter(({ about }) => about === null)]
  return (
    <Card title="Alternatives">
      <ul class="categories">
        {shown.slice(0, MAX_ALTERNATIVES).map((other) => (
          <li key={other.slug}>
            <a href={entryPath(other)}>{other.name}</a>
          </li>
        ))}
        {others.length > MAX_ALTERNATIVES && (
          <li>
            <a href={listPath(kind, category)}>All {others.length + 1}</a>
          </li>
        )}
      </ul>
    </Card>
  )
}
