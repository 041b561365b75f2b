import type { Categories } from '../../engine/rule/types.ts'
import { findCategory, type ImportedCategory } from './categories.ts'
import { buildNote, type ImportNote } from './import-notes.ts'
import { parsePattern } from './parse-pattern.ts'
import { type Fingerprint, listValues } from './read-fingerprints.ts'

/** A rule that others can name. */
export interface RelationTarget {
  readonly slug: string
  readonly name: string
}

/** An imported rule, and the fingerprint that names others. */
export interface RelatedRule extends RelationTarget {
  readonly data: Fingerprint['data']
  readonly category: Pick<ImportedCategory, 'key'>
  readonly notes: ImportNote[]
}

/** Names that are equal for readers: a result has each once. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}+#]/gu, '')
}

/** Lists the names of a relation. */
export function listNames(value: unknown): string[] {
  return listValues(value).map((one) => parsePattern(String(one)).source)
}

/** Finds the slug of a technology by its name: that of an imported rule, or else of a known one. */
export class RelationNames {
  readonly #slugs: ReadonlyMap<string, string>

  constructor(drafts: readonly RelatedRule[], known: readonly RelationTarget[]) {
    const all = [...known, ...drafts].map(({ name, slug }) => [foldName(name), slug] as const)
    this.#slugs = new Map([...known.map(({ slug }) => [foldName(slug), slug] as const), ...all])
  }

  find(name: string): string | undefined {
    return this.#slugs.get(foldName(name))
  }
}

/** Relations of rules to slugs. */
export interface RuleRelations {
  readonly implies: readonly string[]
  readonly requires: readonly string[]
  readonly excludes: readonly string[]
}

/** Turns names of relations into slugs, and leaves out what would form a cycle. */
export class Relations {
  readonly #names: RelationNames
  readonly #implied = new Map<string, string[]>()
  readonly #required = new Map<string, string[]>()
  readonly #categories: ReadonlySet<string>
  readonly #known: Categories

  constructor(drafts: readonly RelatedRule[], names: RelationNames, categories: Categories) {
    this.#names = names
    this.#known = categories
    this.#categories = new Set([
      ...Object.keys(categories.builders),
      ...Object.keys(categories.technologies),
      ...drafts.map(({ category }) => category.key),
    ])
  }

  of(draft: RelatedRule): RuleRelations {
    const { slug, data, notes, name } = draft
    const note = (key: string, value: unknown, ...rest: [Parameters<typeof buildNote>[1], string?]): void => {
      notes.push(buildNote({ rule: name, key, value }, ...rest))
    }
    const implies = this.#list('implies', draft).filter((other) =>
      this.#addEdge(this.#implied, { slug, other, note, key: 'implies' }),
    )
    const required = listNames(data.requires)
    if (required.length > 1) note('requires', data.requires, 'requires', required.join(', '))
    const requires = this.#list('requires', draft)
      .filter((other) => this.#addEdge(this.#required, { slug, other, note, key: 'requires' }))
      .concat(this.#listCategories(data.requiresCategory, note))
    const excludes = this.#list('excludes', draft).filter(
      (other) => other !== slug && !implies.includes(other) && !requires.includes(other),
    )
    return { implies: implies.sort(), requires: requires.sort(), excludes: excludes.sort() }
  }

  #list(key: keyof RuleRelations, { data, name, notes }: RelatedRule): string[] {
    const slugs = listValues(data[key]).flatMap((value) => {
      const { source, confidence, version } = parsePattern(String(value))
      const slug = this.#names.find(source)
      if (slug === undefined) notes.push(buildNote({ rule: name, key, value }, 'unknown-name', source))
      const lost = [confidence < 100 && `confidence ${confidence}`, version !== undefined && `version ${version}`]
      const detail = lost.filter((one) => one !== false).join(' and ')
      if (slug !== undefined && detail !== '') notes.push(buildNote({ rule: name, key, value }, 'implied', detail))
      return slug ?? []
    })
    return [...new Set(slugs)]
  }

  #listCategories(
    value: unknown,
    note: (key: string, value: unknown, ...rest: [Parameters<typeof buildNote>[1], string?]) => void,
  ): string[] {
    return listValues(value).flatMap((number) => {
      const { key } = findCategory(Number(number), undefined, this.#known)
      if (this.#categories.has(key)) return `category:${key}`
      note('requiresCategory', number, 'unknown-category', String(number))
      return []
    })
  }

  /** Adds a relation unless it leads back to the rule. */
  #addEdge(
    edges: Map<string, string[]>,
    {
      slug,
      other,
      note,
      key,
    }: {
      readonly slug: string
      readonly other: string
      readonly key: string
      readonly note: (key: string, value: unknown, ...rest: [Parameters<typeof buildNote>[1], string?]) => void
    },
  ): boolean {
    const queue = [other]
    for (const next of queue) {
      if (next === slug) {
        note(key, other, 'cycle', other)
        return false
      }
      for (const one of edges.get(next) ?? []) if (!queue.includes(one)) queue.push(one)
    }
    edges.set(slug, [...(edges.get(slug) ?? []), other])
    return true
  }
}
