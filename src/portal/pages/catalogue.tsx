import type { CatalogueEntry } from '../../detector/catalogue.ts'
import { openCatalogueIndex } from '../catalogue/catalogue-index.ts'
import { EntryList } from '../catalogue/entry-list.tsx'
import { EntryPage } from '../catalogue/entry-page.tsx'
import { categoryTitle, KIND_NAMES, listPath } from '../catalogue/paths.ts'
import { SearchPage } from '../catalogue/search-page.tsx'
import { Page } from '../components/page.tsx'
import { definePage, type PageContext, PageError } from '../page.ts'

/** The search, its result, and the categories. */
const CATALOGUE = definePage({
  method: 'GET',
  path: '/catalogue',
  needs: 'nothing',
  handle: async (context) => <SearchPage context={context} index={openCatalogueIndex(context.parts.rules)} />,
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
    const entries = openCatalogueIndex(context.parts.rules).list(kind as CatalogueEntry['kind'], category)
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
    const index = openCatalogueIndex(context.parts.rules)
    const rule = index.find(kind, slug)
    if (rule === undefined) throw new PageError(404, 'The catalogue has no such entry.')
    return <EntryPage context={context} rule={rule} index={index} />
  },
})

export const CATALOGUE_PAGES = [CATALOGUE, CATALOGUE_LIST, CATALOGUE_ENTRY]

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
      <EntryList context={context} entries={entries} />
    </Page>
  )
}
