import { CATALOGUE_KINDS, type CatalogueEntry } from '../../detector/catalogue.ts'
import type { RulesetInfo } from '../../detector/ruleset-info.ts'
import type { CompiledRule, RuleKind } from '../../engine/rule/types.ts'
import type { CurrentRules } from '../../scan/current-rules.ts'
import { findClosest } from '../../yaml/hint.ts'

/** Maximum length of a search in characters. */
export const MAX_SEARCH = 100
/** Maximum number of entries that a search shows. */
const MAX_FOUND = 50
/** Maximum number of names that are suggested while a person types. */
const MAX_SUGGESTIONS = 8

/** An entry, and its texts as they are compared. */
interface SearchedEntry {
  readonly entry: CatalogueEntry
  readonly name: string
  /** Name, also in one word, slug, sentence and former names. */
  readonly all: string
}

/** What the index reads of a ruleset. */
type IndexedRules = Pick<RulesetInfo, 'catalogue' | 'summaries' | 'readRule'>

/** What a search finds: the best entries, the number of all, and a known name if nothing was found. */
export interface SearchResult {
  readonly entries: readonly CatalogueEntry[]
  readonly count: number
  readonly suggestion: string | null
}

const byName = new Intl.Collator('en')

/**
 * The entries of a ruleset as the pages of the catalogue need them. Each part is computed when a page first needs it, so that the first
 * page after a start waits for its own part alone.
 */
export class CatalogueIndex {
  readonly #rules: IndexedRules
  /** The lists that were asked for: the entries of a kind or of one category of it, by name. */
  readonly #lists = new Map<string, readonly CatalogueEntry[]>()
  #searched: readonly SearchedEntry[] | undefined
  #owners: ReadonlyMap<string, readonly string[]> | undefined

  constructor(rules: IndexedRules) {
    this.#rules = rules
  }

  get entries(): readonly CatalogueEntry[] {
    return this.#rules.catalogue
  }

  /** State of an answer that is not the site → the products whose answers are known, by name. */
  get owners(): ReadonlyMap<string, readonly string[]> {
    return (this.#owners ??= this.#listOwners())
  }

  /** Finds the rule of an entry by the parts of its path. */
  find(kind: string, slug: string): CompiledRule | undefined {
    const known = CATALOGUE_KINDS.find((one) => one === kind)
    const rule = known && this.#rules.readRule(slug, known)
    return rule?.kind === kind ? rule : undefined // Builders and technologies share their slugs.
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
    const names = this.#listSearched().map(({ name }) => name)
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
  #listOwners(): ReadonlyMap<string, readonly string[]> {
    const { summaries } = this.#rules
    const names = new Map(summaries.map(({ kind, slug, name }) => [formatKey(kind, slug), name]))
    const findName = (slug: string): string | undefined =>
      (['builder', 'technology', 'hosting'] as const).map((kind) => names.get(formatKey(kind, slug))).find(Boolean)
    const owners = new Map<string, Set<string>>()
    for (const { state, by, byName: named } of summaries) {
      const owner = named ?? (by === undefined ? undefined : findName(by))
      if (state === undefined || owner === undefined) continue
      owners.set(state, (owners.get(state) ?? new Set()).add(owner))
    }
    return new Map([...owners].map(([state, found]) => [state, [...found].sort(byName.compare)]))
  }

  #listSearched(): readonly SearchedEntry[] {
    return (this.#searched ??= this.#describeSearched())
  }

  #describeSearched(): readonly SearchedEntry[] {
    const { catalogue, summaries } = this.#rules
    const notes = new Map(summaries.map(({ kind, slug, description }) => [formatKey(kind, slug), description]))
    return catalogue.map((entry) => {
      const { kind, slug, name, about } = entry
      const plain = normalize(name)
      const note = notes.get(formatKey(kind, slug)) ?? ''
      const all = `${plain} ${plain.replaceAll(' ', '')} ${normalize([slug, about ?? '', note].join(' '))}`
      return { entry, name: plain, all }
    })
  }

  /** Filters the entries, the best ones for a text first. */
  #rank(wanted: string, isWanted: (entry: SearchedEntry) => boolean): readonly CatalogueEntry[] {
    return this.#listSearched()
      .filter(isWanted)
      .map((one) => ({ ...one, rank: rankEntry(one, wanted) }))
      .sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
      .map(({ entry }) => entry)
  }

  /** Lists the entries of a kind, or of one of its categories, by name. */
  list(kind: RuleKind, category?: string): readonly CatalogueEntry[] {
    const key = formatKey(kind, category ?? '')
    const known = this.#lists.get(key)
    if (known !== undefined) return known
    const isWanted = (entry: CatalogueEntry): boolean =>
      entry.kind === kind && (category === undefined || entry.category === category)
    const list = this.entries.filter(isWanted).sort((a, b) => byName.compare(a.name, b.name))
    if (list.length > 0) this.#lists.set(key, list) // A category that does not exist is not kept: anyone can ask for it.
    return list
  }

  /** Counts the entries of a kind. */
  count(kind: RuleKind): number {
    return this.entries.filter((entry) => entry.kind === kind).length
  }

  /** Counts the entries of each category of a kind. */
  countCategories(kind: RuleKind): ReadonlyMap<string, number> {
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

function formatKey(kind: string, slug: string): string {
  return `${kind}/${slug}`
}

function rankEntry({ name, all }: SearchedEntry, wanted: string): number {
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
