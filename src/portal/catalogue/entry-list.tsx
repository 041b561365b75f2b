import type { CatalogueEntry } from '../../detector/catalogue.ts'
import type { PageContext } from '../page.ts'
import { categoryTitle, entryPath, KIND_NAMES } from './paths.ts'

interface EntryListProps {
  readonly context: PageContext
  readonly entries: readonly CatalogueEntry[]
  /** Whether the kinds or categories are named, where they differ. */
  readonly hasKind?: boolean
}

/** Links to entries, with their sentences. */
export function EntryList({ context, entries, hasKind = false }: EntryListProps) {
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
