import { STATE_MEANINGS } from '../../engine/verdict/response.ts'
import { Button } from '../components/button.tsx'
import { Card } from '../components/content.tsx'
import { Field } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import type { PageContext } from '../page.ts'
import { type CatalogueIndex, MAX_SEARCH } from './catalogue-index.ts'
import { EntryList } from './entry-list.tsx'
import { categoryTitle, KIND_NAMES, listPath, SUGGESTIONS_PATH } from './paths.ts'

interface IndexProps {
  readonly context: PageContext
  readonly index: CatalogueIndex
}

/** The search with its result, or all categories. */
export function SearchPage({ context, index }: IndexProps) {
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
        <Field
          name="q"
          label="Name of a product"
          type="search"
          value={text}
          maxLength={MAX_SEARCH}
          suggestions={SUGGESTIONS_PATH}
        />
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
      <EntryList context={context} entries={entries} hasKind />
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
                <a href={listPath(kind)}>All {index.count(kind)}</a>
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
      <Answers index={index} />
    </>
  )
}

/** What may come back instead of a site, and whose answers are known. */
function Answers({ index }: Pick<IndexProps, 'index'>) {
  return (
    <Card title="Answers that are not the site">
      <p>
        If a check of visitors, an error or a placeholder comes back, the result says so in <code>page.state</code> and,
        where the answer shows it, whose answer it is in <code>page.by</code>.
      </p>
      <ul>
        {Object.entries(STATE_MEANINGS).map(([state, meaning]) => {
          const owners = index.owners.get(state) ?? []
          return (
            <li key={state}>
              <strong>{state}</strong>: {meaning}
              {owners.length > 0 && <span class="quiet">{`, by name for ${owners.join(', ')}`}</span>}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
