import type { Places } from '../../engine/rule/clause.ts'
import type { Categories, ClauseSource } from '../../engine/rule/types.ts'
import type { PatternJudge } from '../../rules/patterns/pattern-judge.ts'
import { formatClause, formatKeys } from '../format-yaml.ts'
import { ClauseBuilder } from './build-clauses.ts'
import { findCategory, type ImportedCategory } from './categories.ts'
import { buildNote, type ImportNote } from './import-notes.ts'
import { mergeClauses } from './merge-clauses.ts'
import { type Fingerprint, type FingerprintSet, listValues } from './read-fingerprints.ts'
import {
  foldName,
  listNames,
  type RelatedRule,
  RelationNames,
  Relations,
  type RelationTarget,
  type RuleRelations,
} from './relations.ts'
import { toSlug } from './slugs.ts'

/** What an import depends on, besides the fingerprints. */
export interface ImportOptions {
  readonly places: Places
  readonly categories: Categories
  readonly judge: PatternJudge
  /** Builders and technologies of the rules that imported ones are loaded with. */
  readonly known: readonly RelationTarget[]
  /** The beginning of a slug that a known rule has already. */
  readonly prefix: string
  /** Whether a technology that a known rule names is left out. */
  readonly skipsKnown: boolean
}

/** A file of the imported folder. */
interface ImportedFile {
  /** Path below the folder, with slashes. */
  readonly path: string
  readonly text: string
}

/** The rules that were made from fingerprints, and what could not be carried over. */
export interface ImportResult {
  readonly files: readonly ImportedFile[]
  readonly rules: number
  readonly clauses: number
  readonly notes: readonly ImportNote[]
}

/** A fingerprint on its way to a rule. */
interface Draft extends RelatedRule {
  readonly category: ImportedCategory
  readonly clauses: readonly ClauseSource[]
}

/** Turns fingerprints into rules. The result depends on nothing else than the arguments. */
export function importRules(set: FingerprintSet, options: ImportOptions): ImportResult {
  const notes: ImportNote[] = []
  const fingerprints = chooseFingerprints(set, options, notes)
  const drafts = nameDrafts(fingerprints, set, options)
  const names = new RelationNames(drafts, options.known)
  // A rule without clauses is needed where another one names it: what requires it must not be named without it.
  const needed = new Set(
    drafts
      .flatMap(({ data }) => [...listNames(data.implies), ...listNames(data.requires)])
      .flatMap((name) => names.find(name) ?? []),
  )
  const missing = drafts.filter(({ slug, clauses }) => clauses.length === 0 && !needed.has(slug))
  for (const { name, data, notes: own } of missing)
    own.push(buildNote({ rule: name, key: 'name', value: data.website ?? name }, 'no-clause'))
  const written = drafts.filter((draft) => !missing.includes(draft))
  const relations = new Relations(written, new RelationNames(written, options.known), options.categories)
  const files = written.map((draft) => ({
    path: `technologies/${draft.category.key}/${draft.slug}.yaml`,
    text: formatRuleFile(draft, relations.of(draft)),
  }))
  const added = new Map(written.flatMap(({ category: { key, title } }) => (title === undefined ? [] : [[key, title]])))
  return {
    files: [...files, ...(added.size === 0 ? [] : [formatCategories(added, written)])].sort((a, b) =>
      a.path < b.path ? -1 : 1,
    ),
    rules: written.length,
    clauses: written.reduce((sum, { clauses }) => sum + clauses.length, 0),
    notes: [...notes, ...drafts.flatMap((draft) => draft.notes)],
  }
}

/** Leaves out fingerprints with the name of another one, or of a known rule if these are not wanted. */
function chooseFingerprints(
  { fingerprints }: FingerprintSet,
  { known, skipsKnown }: ImportOptions,
  notes: ImportNote[],
): Fingerprint[] {
  const seen = new Set<string>()
  const knownNames = new Map(known.map(({ name, slug }) => [foldName(name), slug]))
  return fingerprints.filter(({ name, data }) => {
    const folded = foldName(name)
    const slug = knownNames.get(folded)
    const at = { rule: name, key: 'name', value: data.website ?? name }
    if (seen.has(folded)) notes.push(buildNote(at, 'repeated'))
    else if (skipsKnown && slug !== undefined) notes.push(buildNote(at, 'known-rule', slug))
    else {
      seen.add(folded)
      return true
    }
    return false
  })
}

function nameDrafts(
  fingerprints: readonly Fingerprint[],
  { categories }: FingerprintSet,
  { known, prefix, ...options }: ImportOptions,
): Draft[] {
  const taken = new Set(known.map(({ slug }) => slug))
  return fingerprints.map((fingerprint) => {
    const { data } = fingerprint
    const name = fingerprint.name.replace(/\s+/g, ' ').trim()
    const { clauses, notes } = new ClauseBuilder({ name, data }, options)
    const base = toSlug(name) || toSlug(readHost(data.website)) || 'technology'
    let slug = taken.has(base) ? `${prefix}${base}` : base
    for (let number = 2; taken.has(slug); number++) slug = `${prefix}${base}-${number}`
    taken.add(slug)
    if (slug !== base) notes.push(buildNote({ rule: name, key: 'name', value: name }, 'renamed', slug))
    const numbers = listValues(data.cats).map(Number)
    if (numbers.length > 1)
      notes.push(buildNote({ rule: name, key: 'cats', value: data.cats }, 'category', numbers.slice(1).join(', ')))
    const category = findCategory(numbers[0] ?? 0, categories.get(numbers[0]), options.categories)
    return { name, data, slug, category, clauses: mergeClauses(clauses), notes }
  })
}

function readHost(website: unknown): string {
  return /^https?:\/\/(?:www\.)?([^/:]+)/i.exec(String(website))?.[1] ?? ''
}

function formatRuleFile({ name, data, clauses, notes }: Draft, relations: RuleRelations): string {
  const website = String(data.website ?? '').trim()
  const isUrl = /^https?:\/\/\S+$/.test(website)
  if (!isUrl && website !== '') notes.push(buildNote({ rule: name, key: 'website', value: website }, 'bad-website'))
  const description = typeof data.description === 'string' ? data.description.replace(/\s+/g, ' ').trim() : ''
  const keys = {
    name,
    ...(isUrl && { website }),
    imported: true,
    ...Object.fromEntries(Object.entries(relations).filter(([, slugs]) => slugs.length > 0)),
    ...(description !== '' && { description }),
  }
  const detect =
    clauses.length === 0
      ? '# Only rules that imply it name this technology.\ndetect: []\n'
      : `detect:\n${clauses.map((clause) => `  - ${formatClause(clause)}\n`).join('')}`
  return `${formatKeys(keys)}${detect}`.replace(/^(implies|requires|excludes):\n((?: {2}- .*\n)+)/gm, formatSlugs)
}

/** Writes a list of slugs in one line. */
function formatSlugs(_: string, key: string, items: string): string {
  return `${key}: [${items
    .trim()
    .split('\n')
    .map((item) => item.replace(/^\s*- /, ''))
    .join(', ')}]\n`
}

/** Writes the categories that the project does not have, and the others that the imported rules use. */
function formatCategories(added: ReadonlyMap<string, string>, drafts: readonly Draft[]): ImportedFile {
  const used = [...new Set(drafts.map(({ category }) => category.key))].sort()
  const technologies = Object.fromEntries(used.map((key) => [key, added.get(key) ?? key]))
  return { path: 'categories.yaml', text: formatKeys({ builders: {}, technologies }) }
}
