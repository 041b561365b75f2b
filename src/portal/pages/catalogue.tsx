import type { ComponentChildren } from 'preact'
import type { CatalogueEntry } from '../../detector/catalogue.ts'
import type { RulesetInfo } from '../../detector/ruleset-info.ts'
import type { CompiledRule } from '../../engine/rule/types.ts'
import { CatalogueIndex, MAX_SEARCH } from '../catalogue/catalogue-index.ts'
import { describeMarks, findsVersions, type Mark } from '../catalogue/describe-rule.ts'
import { categoryTitle, entryPath, KIND_NAMES, listPath, rulePath } from '../catalogue/paths.ts'
import { Button, LinkButton } from '../components/button.tsx'
import { Card, Facts } from '../components/content.tsx'
import { Field } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { definePage, type PageContext, PageError } from '../page.ts'

/** Maximum number of alternatives that the page of an entry lists. */
const MAX_ALTERNATIVES = 12

/** The search, its result, and the categories. */
const CATALOGUE = definePage({
  method: 'GET',
  path: '/catalogue',
  needs: 'nothing',
  handle: async (context) => <CataloguePage context={context} index={openIndex(context)} />,
})

/** The entries of a kind, or of one category of it. */
const CATALOGUE_LIST = definePage({
  method: 'GET',
  path: '/catalogue/:kind',
  needs: 'nothing',
  handle: async (context) => {
    const { kind } = context.params
    if (!Object.hasOwn(KIND_NAMES, kind)) throw new PageError(404)
    const category = context.query.text('category') || undefined
    const entries = openIndex(context).list(kind as CatalogueEntry['kind'], category)
    if (entries.length === 0) throw new PageError(404, 'The catalogue has no such category.')
    return <ListPage context={context} kind={kind} category={category} entries={entries} />
  },
})

/** One builder, hosting provider, technology or type of site. */
const CATALOGUE_ENTRY = definePage({
  method: 'GET',
  path: '/catalogue/:kind/:slug',
  needs: 'nothing',
  handle: async (context) => {
    const { kind, slug } = context.params
    const index = openIndex(context)
    const found = index.find(kind, slug)
    if (found === undefined) throw new PageError(404, 'The catalogue has no such entry.')
    return <EntryPage context={context} entry={found.entry} rule={found.rule} index={index} />
  },
})

export const CATALOGUE_PAGES = [CATALOGUE, CATALOGUE_LIST, CATALOGUE_ENTRY]

/** The index of each ruleset, as long as the ruleset is used. */
const INDEXES = new WeakMap<RulesetInfo, CatalogueIndex>()

function openIndex({ parts }: PageContext): CatalogueIndex {
  const { current } = parts.rules
  const index = INDEXES.get(current) ?? new CatalogueIndex(current)
  INDEXES.set(current, index)
  return index
}

interface IndexProps {
  readonly context: PageContext
  readonly index: CatalogueIndex
}

function CataloguePage({ context, index }: IndexProps) {
  const text = context.query.text('q')
  const isSearch = text !== ''
  return (
    <Page
      context={context}
      title={isSearch ? `Search for “${text.slice(0, MAX_SEARCH)}”` : 'Catalogue'}
      description={`What Siteprint detects: ${index.entries.length} builders, hosting providers, technologies and types of site.`}
      canonicalPath={isSearch ? undefined : '/catalogue'}
    >
      <SearchForm text={text} />
      {isSearch ? (
        <Found context={context} index={index} text={text} />
      ) : (
        <Categories context={context} index={index} />
      )}
    </Page>
  )
}

function SearchForm({ text = '' }: { readonly text?: string }) {
  return (
    <search>
      <form class="inline" method="get" action="/catalogue">
        <Field name="q" label="Name of a product" type="search" value={text} maxLength={MAX_SEARCH} />
        <Button>Search</Button>
      </form>
    </search>
  )
}

function Found({ context, index, text }: IndexProps & { readonly text: string }) {
  const { entries, count, suggestion } = index.search(text)
  if (count === 0)
    return (
      <p>
        Nothing in the catalogue has this name.{' '}
        {suggestion !== null && (
          <>
            Did you mean <a href={`/catalogue?q=${encodeURIComponent(suggestion)}`}>{suggestion}</a>?
          </>
        )}
      </p>
    )
  return (
    <>
      <p>
        {count === 1 ? '1 entry' : `${count} entries`}
        {count > entries.length && `; the first ${entries.length} are shown`}
      </p>
      <Entries context={context} entries={entries} hasKind />
    </>
  )
}

function Categories({ context, index }: IndexProps) {
  const { labels } = context.parts.rules.current
  return (
    <>
      {(['builder', 'technology', 'hosting', 'site-type'] as const).map((kind) => {
        const counts = [...index.countCategories(kind)].map(([category, count]) => ({
          category,
          count,
          title: categoryTitle({ kind, category }, labels) ?? category,
        }))
        return (
          <Card key={kind} title={KIND_NAMES[kind][0]}>
            <ul class="categories">
              <li>
                <a href={listPath(kind)}>All {index.list(kind).length}</a>
              </li>
              {counts
                .sort((a, b) => a.title.localeCompare(b.title, 'en'))
                .map(({ category, count, title }) => (
                  <li key={category}>
                    <a href={listPath(kind, category)}>{title}</a> <span class="quiet">{count}</span>
                  </li>
                ))}
            </ul>
          </Card>
        )
      })}
    </>
  )
}

interface ListProps {
  readonly context: PageContext
  readonly kind: string
  readonly category: string | undefined
  readonly entries: readonly CatalogueEntry[]
}

function ListPage({ context, kind, category, entries }: ListProps) {
  const [many] = KIND_NAMES[kind]
  const title =
    category === undefined ? many : `${many}: ${categoryTitle(entries[0], context.parts.rules.current.labels)}`
  return (
    <Page
      context={context}
      title={title}
      description={`${title} that Siteprint detects: ${entries.length}.`}
      canonicalPath={listPath(kind, category)}
    >
      <p>
        <a href="/catalogue">Catalogue</a>
        {category !== undefined && (
          <>
            {' › '}
            <a href={listPath(kind)}>{many}</a>
          </>
        )}
      </p>
      <Entries context={context} entries={entries} />
    </Page>
  )
}

interface EntriesProps {
  readonly context: PageContext
  readonly entries: readonly CatalogueEntry[]
  readonly hasKind?: boolean
}

function Entries({ context, entries, hasKind = false }: EntriesProps) {
  const { labels } = context.parts.rules.current
  return (
    <ul class="entries">
      {entries.map((entry) => (
        <li key={`${entry.kind}/${entry.slug}`}>
          <a href={entryPath(entry)}>{entry.name}</a>
          {hasKind && <span class="quiet"> {categoryTitle(entry, labels) ?? KIND_NAMES[entry.kind][1]}</span>}
          {entry.about !== null && <p class="hint">{entry.about}</p>}
        </li>
      ))}
    </ul>
  )
}

interface EntryProps extends IndexProps {
  readonly entry: CatalogueEntry
  readonly rule: CompiledRule
}

function EntryPage({ context, entry, rule, index }: EntryProps) {
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

function MarkText({ mark: { parts } }: { readonly mark: Mark }) {
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
      <Entries context={context} entries={implied} hasKind />
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
