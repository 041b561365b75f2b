import { FOUND, type Places, toList } from '../engine/rule/clause.ts'
import type { Place } from '../engine/rule/place.ts'
import { parseSelector } from '../engine/rule/selector.ts'
import type { ClauseSource } from '../engine/rule/types.ts'
import { lower } from '../engine/text/text.ts'
import { isCommon } from '../rules/checks/code-words.ts'
import type { CheckedRule } from '../rules/checks/rule-checks.ts'
import { buildFinding, type Finding } from '../rules/findings.ts'
import type { Fixture } from '../rules/fixtures.ts'
import type { FileMemory } from '../rules/load/file-memory.ts'
import type { Path } from '../yaml/source-file.ts'
import { type EstimatedWord, estimateClause } from './common-words/estimate-clause.ts'
import { MIN_SITES, type PageWords, readPageWords } from './common-words/page-words.ts'
import { RuleWordCounter } from './rule-word-counter.ts'

/** What the check needs to know of a rule and its test. It survives JSON. */
export interface RuleWords {
  /** For each clause, findings about words that are on many ordinary sites. */
  readonly common: readonly (readonly Finding[])[]
  /** Texts that the words of its clauses consist of, each once. */
  readonly parts: readonly string[]
  /** For each page of its test, the slugs of other rules that rightly fire on it. */
  readonly also: readonly (readonly string[])[]
}

/** A rule with its words. */
interface JudgedRule extends RuleWords {
  readonly rule: CheckedRule
  /** Reads the pages of its test as `readPageTexts` does. */
  readonly readPages: () => readonly string[]
}

/** Shorter parts of a word occur everywhere. */
const MIN_PART_LENGTH = 2
const TESTS = ['is', 'has', 'under'] as const

/** A value of a clause, or a word with the value of its test, and the texts that every page with it contains. */
interface Word {
  readonly value: string
  readonly path: Path
  readonly parts: readonly string[]
}

/**
 * The words of a clause: a list for its place and for each test, of which a hit has one each; or a group, of which `needed`
 * clauses hold. null for a clause that is narrow, whatever its words are.
 */
type ClauseWords =
  | { readonly lists: readonly (readonly Word[])[] }
  | { readonly group: readonly ClauseWords[]; readonly needed: number }
  | null

/** The generic words of a clause: whether the clause can hold by such words alone, and by which ones. */
interface Generic {
  readonly isGeneric: boolean
  readonly words: readonly (Word & { readonly count: number })[]
}

const NARROW: Generic = { isGeneric: false, words: [] }
/** A clause that every page may fulfil. */
const ANY_PAGE: ClauseWords = { lists: [] }

/** Reads the words of a rule, and what the check needs of its test. */
export function readRuleWords(
  rule: CheckedRule,
  fixtures: readonly Fixture[],
  places: Places,
  table: PageWords = readPageWords(),
): RuleWords {
  const { file } = rule
  const clauses = listClauses(rule)
  const others = table.leaveOut(rule.found.slug)
  const common = clauses.map((clause, i) =>
    findCommonWords(clause, ['detect', i], places, others)
      .filter(({ value }) => !namesProduct(value, rule))
      .map((one) => buildFinding('generic-word', file.valueAt(one.path), formatCommon(one, table))),
  )
  const parts = clauses.flatMap((clause, i) => listParts(readClauseWords(clause, ['detect', i], places)))
  return { common, parts: [...new Set(parts)], also: fixtures.map(({ also }) => also) }
}

/** Reads the names and texts of the pages of a test, in lower case. */
export function readPageTexts(fixtures: readonly Fixture[]): readonly string[] {
  return fixtures.map(({ input }) => lower(joinTexts(input)))
}

/** The clauses of a rule that are checked. Site types look for common words by nature. */
function listClauses({ source }: CheckedRule): readonly ClauseSource[] {
  return source === null || source.kind === 'site-type' ? [] : source.detect
}

/**
 * Reports words that are on many unrelated sites, by the table of words of ordinary pages, or in the test pages of many other
 * rules, in any place, because such a clause may hold on any page. A word next to a rarer one is fine: in an `all`, or with the
 * value of a test. Site types look for common words by nature.
 * @param memory of earlier runs, with which only words that may be generic are looked for in all pages
 */
export function checkGenericWords(all: readonly JudgedRule[], places: Places, memory?: FileMemory): Finding[] {
  const parts = new Set(all.flatMap((one) => one.parts))
  const counter = new RuleWordCounter(parts, all, memory)
  const findings = all.flatMap(({ rule, common, parts: own }) => {
    // A clause of rare words only is narrow, as the clauses of nearly all rules are.
    if (!own.some((part) => counter.isFrequentPart(part))) return common.flat()
    return listClauses(rule).flatMap((clause, i) =>
      common[i].length > 0 ? common[i] : judgeWords(readClauseWords(clause, ['detect', i], places), rule, counter),
    )
  })
  if (memory !== undefined) counter.remember(memory)
  return findings
}

/** Reports the words by which a clause holds on the pages of many other rules. */
function judgeWords(words: ClauseWords, rule: CheckedRule, counter: RuleWordCounter): Finding[] {
  return judgeClause(words, rule, counter).words.map((one) =>
    buildFinding('generic-word', rule.file.valueAt(one.path), {
      value: one.value,
      where: `also occurs in the test pages of ${one.count} other rules`,
    }),
  )
}

/** Finds the words by which a clause holds on many ordinary sites. */
function findCommonWords(clause: ClauseSource, path: Path, places: Places, table: PageWords): readonly EstimatedWord[] {
  const { sites, words } = estimateClause(clause, path, places, table)
  if (sites < MIN_SITES) return []
  const common = words.filter((word) => word.sites >= MIN_SITES)
  return common.length > 0 ? common : [{ value: 'a clause without a word', path, sites }]
}

/** A product name that is shorter may be a part of ordinary words. */
const MIN_NAME_LENGTH = 6

/** Whether a word contains the slug of its rule, as most marks of a product do, and the slug is not a common word itself. */
function namesProduct(value: string, { found: { slug } }: CheckedRule): boolean {
  const name = squeeze(slug)
  return name.length >= MIN_NAME_LENGTH && !isCommon(slug) && squeeze(value).includes(name)
}

function squeeze(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function formatCommon({ value, sites }: EstimatedWord, table: PageWords): Readonly<Record<string, string>> {
  return { value, where: `is on about ${Math.round(sites)} of ${table.sites} ordinary sites` }
}

function judgeClause(words: ClauseWords, rule: CheckedRule, counter: RuleWordCounter): Generic {
  if (words === null) return NARROW
  if ('group' in words) {
    const inner = words.group.map((one) => judgeClause(one, rule, counter))
    const generic = inner.filter(({ isGeneric }) => isGeneric)
    if (generic.length < words.needed) return NARROW
    return { isGeneric: true, words: generic.flatMap((one) => one.words) }
  }
  if (words.lists.length === 0) return { isGeneric: true, words: [] }
  const counted = combine(words.lists.map((list) => list.filter((word) => counter.isFrequent(word))))
    .map((combined) => ({ ...combined, count: counter.count(combined, rule) }))
    .filter(({ count }) => count >= counter.minGeneric)
  return { isGeneric: counted.length > 0, words: counted }
}

/** Combines each word of the first list with each of the others, as a value that has the parts of all. */
function combine([first, ...others]: readonly (readonly Word[])[]): readonly Word[] {
  return others.reduce<readonly Word[]>(
    (all, list) =>
      all.flatMap((word) =>
        list.map(({ value, parts }) => ({
          ...word,
          value: `${word.value} ${value}`,
          parts: [...word.parts, ...parts],
        })),
      ),
    first,
  )
}

/** Lists the parts of all words of a clause, including those in groups. */
function listParts(words: ClauseWords): string[] {
  if (words === null) return []
  if ('group' in words) return words.group.flatMap(listParts)
  return words.lists.flatMap((list) => list.flatMap(({ parts }) => parts))
}

function readClauseWords(clause: ClauseSource, path: Path, places: Places): ClauseWords {
  // Most pages do not have what a `not` names.
  if ('not' in clause) return ANY_PAGE
  for (const key of ['all', 'any', 'of']) {
    if (!(key in clause)) continue
    const group = toList<ClauseSource>(clause[key]).map((one, i) => readClauseWords(one, [...path, key, i], places))
    const needed = key === 'all' ? group.length : key === 'of' ? Number(clause.atLeast ?? 1) : 1
    return { group, needed }
  }
  const key = Object.keys(clause).find((name) => places.has(name))
  const place = key === undefined ? undefined : places.get(key)
  if (place === undefined || place.key === FOUND.key || 'match' in clause) return null
  const tests = TESTS.filter((test) => test in clause).map((test) => readWords(clause, test, path))
  // Each page has some status, amount or type of record: only the values of the tests can be narrow.
  const isAlwaysThere = place.names !== undefined || place.word === 'value'
  return { lists: isAlwaysThere ? tests : [readWords(clause, place.key, path, place), ...tests] }
}

/** Reads the values of one key of a clause. The values of a test belong to no place. */
function readWords(clause: ClauseSource, key: string, path: Path, place?: Place): Word[] {
  return toList<unknown>(clause[key]).map((value, i) => ({
    value: String(value),
    path: Array.isArray(clause[key]) ? [...path, key, i] : [...path, key],
    parts: splitWord(String(value), place)
      .map((part) => part.toLowerCase())
      .filter(({ length }) => length >= MIN_PART_LENGTH),
  }))
}

/** Splits a word into texts that every page with it contains. */
function splitWord(word: string, place?: Place): string[] {
  if (place?.word === 'selector')
    return parseSelector(word).flatMap((row) => row.flatMap(({ parts }) => parts.flatMap(listMarks)))
  if (place?.word === 'path') return word.split('.')
  return [word.replace(/^\./, '').replace(/\*$/, '')]
}

type PartWithMarks = ReturnType<typeof parseSelector>[number][number]['parts'][number]

/** Lists the names and values that a part of a selector asks for. The names of `class` and `id` are on every page. */
function listMarks(part: PartWithMarks): string[] {
  if (part.type === 'tag') return [`<${part.name}`]
  if (part.type !== 'attribute') return []
  return part.name === 'class' || part.name === 'id' ? [part.value] : [part.name, part.value]
}

/** Joins the names and texts of a page. */
function joinTexts(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${joinTexts(inner)}`)
    .join('\n')
}
