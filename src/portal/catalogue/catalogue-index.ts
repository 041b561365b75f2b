import { type CatalogueEntry, type CatalogueRule, listCatalogueRules } from '../../detector/catalogue.ts'
import type { RulesetInfo } from '../../detector/ruleset-info.ts'
import type { CompiledRule } from '../../engine/rule/types.ts'
import type { CurrentRules } from '../../scan/current-rules.ts'
import { findClosest } from '../../yaml/hint.ts'

/** Maximum length of a search in characters. */
export const MAX_SEARCH = 100
/** Maximum number of entries that a search shows. */
const MAX_FOUND = 50
/** Maximum number of names that are suggested while a person types. */
const MAX_SUGGESTIONS = 8

/** An entry with its rule, and its texts as they are compared. */
interface IndexedEntry extends CatalogueRule {
  readonly name: string
  /** Name, slug, sentence and former names. */
  readonly all: string
}

/** What a search finds: the best entries, the number of all, and a known name if nothing was found. */
export interface SearchResult {
  readonly entries: readonly CatalogueEntry[]
  readonly count: number
  readonly suggestion: string | null
}

/** The entries of a ruleset as the pages of the catalogue need them. */
export class CatalogueIndex {
  readonly entries: readonly CatalogueEntry[]
  /** The entries of each kind, and of each category of it, by name. */
  readonly #lists = new Map<string, CatalogueEntry[]>()
  readonly #indexed: ReadonlyMap<string, IndexedEntry>
  /** State of an answer that is not the site → the products whose answers are known, by name. */
  readonly owners: ReadonlyMap<string, readonly string[]>

  constructor({ rules }: Pick<RulesetInfo, 'rules'>) {
    const listed = listCatalogueRules(rules)
    this.entries = listed.map(({ entry }) => entry)
    const byName = new Intl.Collator('en')
    for (const entry of [...this.entries].sort((a, b) => byName.compare(a.name, b.name)))
      for (const key of new Set([formatKey(entry.kind, ''), formatKey(entry.kind, entry.category ?? '')]))
        appendTo(this.#lists, key, entry)
    this.#indexed = new Map(
      listed.map(({ entry, rule }) => {
        const all = normalize([entry.name, entry.slug, entry.about ?? '', rule.description ?? ''].join(' '))
        return [formatKey(entry.kind, entry.slug), { entry, rule, name: normalize(entry.name), all }]
      }),
    )
    this.owners = this.#listOwners(rules, byName)
  }

  /** Finds an entry by the parts of its path. */
  find(kind: string, slug: string): IndexedEntry | undefined {
    return this.#indexed.get(formatKey(kind, slug))
  }

  /**
   * Finds the entries whose name, slug, sentence or former names contain every word of a text. Names that are the text come first, then
   * names that begin with it, names that contain it, and others. A text without a result gets the closest name as a suggestion.
   */
  search(text: string): SearchResult {
    const wanted = normalize(text.slice(0, MAX_SEARCH))
    const words = wanted.split(' ').filter(Boolean)
    if (words.length === 0) return { entries: [], count: 0, suggestion: null }
    const found = this.#rank(wanted, ({ all }) => words.every((word) => all.includes(word)))
    const names = [...this.#indexed.values()].map(({ name }) => name)
    return {
      entries: found.slice(0, MAX_FOUND),
      count: found.length,
      suggestion: found.length > 0 ? null : (findClosest(wanted, names) ?? null),
    }
  }

  /** Lists names that contain a text, in the order of `search`, while a person types it. */
  suggest(text: string): readonly string[] {
    const wanted = normalize(text.slice(0, MAX_SEARCH))
    if (wanted === '') return []
    const names = this.#rank(wanted, ({ name }) => name.includes(wanted)).map(({ name }) => name)
    return [...new Set(names)].slice(0, MAX_SUGGESTIONS)
  }

  /** State → names of the products that rules of answers state, by `by` or `byName`. */
  #listOwners(rules: readonly CompiledRule[], order: Intl.Collator): ReadonlyMap<string, readonly string[]> {
    const findName = (slug: string): string | undefined =>
      ['builder', 'technology', 'hosting'].map((kind) => this.find(kind, slug)?.entry.name).find(Boolean)
    const owners = new Map<string, Set<string>>()
    for (const { state, by, byName } of rules) {
      const owner = byName ?? (by === undefined ? undefined : findName(by))
      if (state === undefined || owner === undefined) continue
      owners.set(state, (owners.get(state) ?? new Set()).add(owner))
    }
    return new Map([...owners].map(([state, found]) => [state, [...found].sort(order.compare)]))
  }

  /** Filters the entries, the best ones for a text first. */
  #rank(wanted: string, isWanted: (entry: IndexedEntry) => boolean): readonly CatalogueEntry[] {
    return [...this.#indexed.values()]
      .filter(isWanted)
      .map((one) => ({ ...one, rank: rankEntry(one, wanted) }))
      .sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
      .map(({ entry }) => entry)
  }

  /** Lists the entries of a kind, or of one of its categories, by name. */
  list(kind: CatalogueEntry['kind'], category = ''): readonly CatalogueEntry[] {
    return this.#lists.get(formatKey(kind, category)) ?? []
  }

  /** Counts the entries of each category of a kind. */
  countCategories(kind: CatalogueEntry['kind']): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const entry of this.entries)
      if (entry.kind === kind && entry.category !== null)
        counts.set(entry.category, (counts.get(entry.category) ?? 0) + 1)
    return counts
  }
}

/** The index of each ruleset, as long as the ruleset is used. */
const INDEXES = new WeakMap<RulesetInfo, CatalogueIndex>()

/** Opens the index of the current rules. */
export function openCatalogueIndex({ current }: Pick<CurrentRules, 'current'>): CatalogueIndex {
  const index = INDEXES.get(current) ?? new CatalogueIndex(current)
  INDEXES.set(current, index)
  return index
}

function appendTo(lists: Map<string, CatalogueEntry[]>, key: string, entry: CatalogueEntry): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [entry])
  else list.push(entry)
}

function formatKey(kind: string, slug: string): string {
  return `${kind}/${slug}`
}

function rankEntry({ name, all }: IndexedEntry, wanted: string): number {
  if (name === wanted) return 0
  if (name.startsWith(wanted)) return 1
  if (` ${name}`.includes(` ${wanted}`)) return 2
  if (name.includes(wanted)) return 3
  return all.includes(wanted) ? 4 : 5
}

/** Lower case, without accents; everything but letters and digits is a space. */
function normalize(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
