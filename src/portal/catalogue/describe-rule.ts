import { SIGNAL_NOUNS } from '../../detector/signal-nouns.ts'
import type { CompiledRule, Leaf, WeightedClause } from '../../engine/rule/types.ts'

/** Maximum number of marks that a page lists; the others are counted. */
const MAX_MARKS = 12
/** Maximum number of words that a mark shows; the others are counted. */
const MAX_WORDS = 3
/** Maximum length of a word in characters. */
const MAX_WORD = 80

/** A part of a mark: plain text, or a word of the rule. */
interface MarkPart {
  readonly text: string
  readonly isCode: boolean
}

/** One clause of a rule in words, and how much it proves. */
export interface DescribedClause {
  readonly parts: readonly MarkPart[]
  readonly weight: WeightedClause['weight']
}

const ORDER: readonly WeightedClause['weight'][] = ['strong', 'medium', 'weak']

/** Describes the clauses of a rule, the strongest first. */
export function describeMarks({ leaves, clauses }: CompiledRule): {
  readonly marks: readonly DescribedClause[]
  readonly more: number
} {
  const byId = new Map(leaves.map((leaf) => [leaf.id, leaf]))
  const marks = clauses
    .map((clause) => {
      const own = clause.leaves.flatMap((id) => byId.get(id) ?? []).filter(({ positive }) => positive)
      const separator = /^\{? *(?:any|of):/.test(clause.text) ? ' or ' : ' with '
      const parts = own.flatMap((leaf, i) => [...(i === 0 ? [] : [plain(separator)]), ...describeLeaf(leaf)])
      return { parts, weight: clause.weight }
    })
    .filter(({ parts }) => parts.length > 0)
    .sort((a, b) => ORDER.indexOf(a.weight) - ORDER.indexOf(b.weight))
  return { marks: marks.slice(0, MAX_MARKS), more: Math.max(0, marks.length - MAX_MARKS) }
}

/** Places that bring a version with what they find. */
const PLACES_WITH_VERSIONS: ReadonlySet<string> = new Set(['npm', 'file', 'extension'])

/** Whether a rule can find a version: by a group of a pattern, or because its place brings one. */
export function findsVersions({ leaves }: CompiledRule): boolean {
  return leaves.some(
    ({ version, place, positive }) =>
      positive && (typeof version === 'number' || (version !== false && PLACES_WITH_VERSIONS.has(place))),
  )
}

function describeLeaf({ place, words, has, is, under, attr }: Leaf): MarkPart[] {
  const tests: readonly (readonly [label: string, words: readonly string[] | undefined])[] = [
    [' with the attribute ', attr === undefined ? undefined : [attr]],
    [' equal to ', String(is) === String(words) ? undefined : is],
    [' containing ', has],
    [' at ', under],
  ]
  return [
    plain(`${SIGNAL_NOUNS[place] ?? place} `),
    ...listWords(words),
    ...tests.flatMap(([label, list]) =>
      list === undefined || list.length === 0 ? [] : [plain(label), ...listWords(list)],
    ),
  ]
}

function listWords(words: readonly string[]): MarkPart[] {
  const shown = words.slice(0, MAX_WORDS).map((word) => ({ text: cut(word), isCode: true }))
  const parts = shown.flatMap((word, i) => (i === 0 ? [word] : [plain(', '), word]))
  return words.length > MAX_WORDS ? [...parts, plain(` and ${words.length - MAX_WORDS} more`)] : parts
}

function plain(text: string): MarkPart {
  return { text, isCode: false }
}

function cut(word: string): string {
  return word.length > MAX_WORD ? `${word.slice(0, MAX_WORD - 1)}…` : word
}
