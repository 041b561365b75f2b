import type { Page } from '../../../src/engine/page/page-types.ts'
import type { Family, Weight } from '../../../src/engine/rule/place.ts'
import type { ClauseSource, RuleSource } from '../../../src/engine/rule/types.ts'
import { excludeVendorHosts } from '../../../src/rules/vendor-hosts.ts'
import { isOwnFile, readUrl, readUrlOrHost } from './naive-address.ts'
import { type NaiveValue, PLACES } from './naive-places.ts'
import { fitsSelector, fold, isNamed, isUnder, readAttribute } from './naive-words.ts'

/** The result of a rule, computed without index, compiler and JSON Logic. */
export interface NaiveResult {
  /** The hits of each clause of `detect`: values of a place, or clauses of a group that hold. */
  readonly hits: readonly number[]
  readonly points: number
}

/** A page with all its values, so that they are collected once for all rules. */
export interface NaivePage {
  readonly page: Page
  readonly values: Readonly<Record<string, readonly NaiveValue[]>>
  readonly folded: Map<NaiveValue, string>
}

/** @param settled slugs for the place `found` */
export function buildNaivePage(page: Page, settled: readonly string[]): NaivePage {
  const values = Object.entries(PLACES).map(([key, place]) => [key, place.values(page, settled)] as const)
  return { page, values: Object.fromEntries(values), folded: new Map() }
}

/** Evaluates every clause of a rule by iterating over all values of the page. */
export function evaluateNaively(rule: RuleSource, all: NaivePage): NaiveResult {
  const page = rule.kind === 'technology' ? all : withoutTags(all, () => true)
  const sure = withoutTags(page, ({ isConditional }) => isConditional === true)
  const clauses = excludeVendorHosts(rule).map((clause, i) => {
    const written = rule.detect[i]
    // What is shown of a clause is as it is written: whether it holds depends on more.
    const hit = judge(readGroup(written) === null ? written : clause, page, ALL_OWN).hit
    return { clause, ...judge(clause, page, ALL_OWN), hit }
  })
  // The weight on a page costs two more evaluations, and only that of a clause that holds counts.
  const holding = clauses
    .filter(({ holds }) => holds === true)
    .map(({ clause }) => ({
      family: findFamily(clause),
      // Responses have no levels: any clause proves one.
      weight: rule.kind === 'response' ? 'strong' : findPageWeight(clause, page),
      isSure: judge(clause, sure, ALL_OWN).holds === true,
    }))
  const surePoints = addPoints(holding.filter(({ isSure }) => isSure))
  // What only tags under a condition show is medium at most: 5 points.
  const points = holding.every(({ isSure }) => isSure) ? surePoints : Math.min(5, addPoints(holding))
  return { hits: clauses.map(({ hit }) => hit), points: Math.max(surePoints, points) }
}

/** Leaves out values that tag containers add. Rules other than those of technologies do not see them. */
function withoutTags({ page, values, folded }: NaivePage, isLeftOut: (value: NaiveValue) => boolean): NaivePage {
  const keep = (list: readonly NaiveValue[]): readonly NaiveValue[] =>
    list.some(({ through }) => through) ? list.filter((one) => !one.through || !isLeftOut(one)) : list
  return { page, values: Object.fromEntries(Object.entries(values).map(([key, list]) => [key, keep(list)])), folded }
}

function addPoints(holding: readonly { readonly family: Family; readonly weight: Weight | 'sibling files' }[]): number {
  const families = new Set(holding.filter(({ weight }) => weight === 'medium').map(({ family }) => family))
  const weak = holding.filter(({ weight }) => weight === 'weak').length
  const files = holding.some(({ weight }) => weight === 'sibling files') ? 1 : 0
  if (holding.some(({ weight }) => weight === 'strong')) return 6
  return Math.min(6, 3 * families.size + Math.min(2, Math.max(weak, files)))
}

/** Lists which clauses of a site type hold, by iterating over all values of the page. */
export function judgeTypeClauses({ detect }: RuleSource, all: NaivePage): boolean[] {
  const page = withoutTags(all, () => true)
  return detect.map((clause) => judge(clause, page, ALL_OWN).holds === true)
}

/** `holds` is null if it is unknown. */
interface Judged {
  readonly hit: number
  readonly holds: boolean | null
}

/**
 * The files that count as the page's own, except under a `not`: files of its host, also code of sibling hosts, or all
 * files of the site.
 */
interface Own {
  readonly only: 'host' | 'code' | 'site'
  readonly isNegated: boolean
}

const ALL_OWN: Own = { only: 'site', isNegated: false }

/** Finds the weight on a page: one step lower with scripts or style sheets of sibling hosts, lowest with other files. */
function findPageWeight(clause: ClauseSource, page: NaivePage): Weight | 'sibling files' {
  const holdsWith = (only: Own['only']): boolean => judge(clause, page, { only, isNegated: false }).holds === true
  const weight = findWeight(clause)
  if (weight === 'weak' || holdsWith('host')) return weight
  if (!holdsWith('code')) return 'sibling files'
  return weight === 'strong' ? 'medium' : 'weak'
}

const GROUPS = ['all', 'any', 'of', 'not'] as const

/** Reads the clauses of a group; null for a clause with one place. */
function readGroup(clause: ClauseSource): { key: (typeof GROUPS)[number]; clauses: ClauseSource[] } | null {
  const key = GROUPS.find((name) => name in clause)
  return key === undefined ? null : { key, clauses: [clause[key]].flat().filter(isClause) }
}

function isClause(data: unknown): data is ClauseSource {
  return typeof data === 'object' && data !== null
}

function judge(clause: ClauseSource, page: NaivePage, own: Own): Judged {
  const group = readGroup(clause)
  if (group === null) return judgeLeaf(clause, page, own)
  const inside = { ...own, isNegated: own.isNegated !== (group.key === 'not') }
  const states = group.clauses.map((inner) => judge(inner, page, inside).holds)
  const known = (state: boolean): number => states.filter((one) => one === state).length
  if (group.key === 'not') return { hit: known(false), holds: states[0] === null ? null : !states[0] }
  const needed = group.key === 'all' ? states.length : group.key === 'any' ? 1 : Number(clause.atLeast)
  const holds = known(true) >= needed ? true : states.length - known(false) < needed ? false : null
  return { hit: known(true), holds }
}

function judgeLeaf(written: ClauseSource, naive: NaivePage, { only, isNegated }: Own): Judged {
  const own = isNegated ? 'site' : only
  const key = findPlace(written)
  const place = PLACES[key]
  const clause = place.isOwn ? { from: 'own', ...written } : written
  const hasWord = buildWordTest(clause, key, naive)
  const counted = new Map<string | number, number>()
  for (const [i, value] of naive.values[key].entries()) {
    if (isNegated && value.through) continue
    const parts = place.window === undefined ? [value] : cutWindows(clause, key, value, place.window)
    if (!hasWord(value) || !parts.some((part) => passes(clause, part, naive.page))) continue
    if (place.family === 'loaded' && clause.from === 'own' && !isOwnFile(value.url, naive.page, own)) continue
    counted.set(value.url?.href ?? value.at ?? i, value.amount ?? 1)
  }
  const hit = [...counted.values()].reduce((sum, amount) => sum + amount, 0)
  const seen = toList(clause[key]).every((word) => place.seen(naive.page, word))
  return { hit, holds: hit >= Number(clause.atLeast ?? 1) ? true : seen ? false : null }
}

function findPlace(clause: ClauseSource): string {
  const key = Object.keys(PLACES).find((place) => place in clause)
  if (key === undefined) throw new Error(`no place in ${JSON.stringify(clause)}`)
  return key
}

function toList(value: unknown): string[] {
  return value === undefined ? [] : [value].flat().map(String)
}

/** Builds a test for whether a value has one of the words of a clause. */
function buildWordTest(clause: ClauseSource, key: string, { page, folded }: NaivePage): (value: NaiveValue) => boolean {
  const { reading, isExact = false } = PLACES[key]
  const exact = isExact || clause.case === 'exact'
  const words = toList(clause[key])
  if (reading === 'selector') return ({ at = -1 }) => words.some((word) => fitsSelector(word, page.tape, at, exact))
  if (reading === 'locator') return ({ url }) => words.some((word) => url !== undefined && isUnder(word, url, exact))
  if (reading === 'name') return ({ name }) => words.some((word) => isNamed(word, name, exact))
  if (reading !== 'literal')
    return ({ name }) => words.some((word) => (exact ? word === name : fold(word) === fold(name)))
  if (exact) return ({ text }) => words.some((word) => text().includes(word))
  return (value) => {
    const text = folded.get(value) ?? fold(value.text())
    folded.set(value, text)
    return words.some((word) => text.includes(fold(word)))
  }
}

/** Cuts a text to the parts that tests see: each occurrence of a word with the characters around it. */
function cutWindows(clause: ClauseSource, key: string, value: NaiveValue, characters: number): NaiveValue[] {
  const read = clause.case === 'exact' ? (text: string) => text : fold
  const whole = value.text()
  const text = read(whole)
  return toList(clause[key]).flatMap((word) => {
    const windows: NaiveValue[] = []
    for (let at = text.indexOf(read(word)); at >= 0; at = text.indexOf(read(word), at + 1))
      windows.push({ ...value, text: () => whole.slice(Math.max(0, at - characters), at + word.length + characters) })
    return windows
  })
}

/** Whether one value passes all tests of a clause. */
function passes(clause: ClauseSource, value: NaiveValue, page: Page): boolean {
  if (!['is', 'has', 'under', 'match', 'from', 'attr'].some((test) => test in clause)) return true
  const exact = clause.case === 'exact'
  const written = 'attr' in clause ? readAttribute(page.tape, value.at ?? -1, fold(String(clause.attr))) : value.text()
  if (written === null) return false
  const text = 'attr' in clause ? written.trim() : written
  const same = (a: string, b: string): boolean => (exact ? a === b : fold(a) === fold(b))
  if ('is' in clause && !toList(clause.is).some((whole) => same(whole, text))) return false
  if (
    'has' in clause &&
    !toList(clause.has).some((part) => (exact ? text.includes(part) : fold(text).includes(fold(part))))
  )
    return false
  if ('match' in clause && !new RegExp(String(clause.match), exact ? '' : 'i').test(text)) return false
  if (!('under' in clause) && !('from' in clause)) return true
  const url = 'attr' in clause ? readUrl(text, page) : (value.url ?? readUrlOrHost(text, page))
  if (url === null) return false
  if ('under' in clause && !toList(clause.under).some((locator) => isUnder(locator, url, exact))) return false
  return !('from' in clause) || url.own === (clause.from === 'own')
}

/** Finds the family. A group has the family of its first clause that is not a `not`. */
function findFamily(clause: ClauseSource): Family {
  const group = readGroup(clause)
  if (group === null) return PLACES[findPlace(clause)].family
  const [first] = findPositive(group.clauses)
  return findFamily(first)
}

function findPositive(clauses: readonly ClauseSource[]): ClauseSource[] {
  return clauses.filter((clause) => !('not' in clause))
}

const LIGHTEST_FIRST: readonly Weight[] = ['weak', 'medium', 'strong']

/** Finds the written weight, or the default. A group has the default of the lightest clauses with which it holds. */
function findWeight(clause: ClauseSource): Weight {
  const written = LIGHTEST_FIRST.find((weight) => weight === clause.weight)
  if (written !== undefined) return written
  const group = readGroup(clause)
  if (group === null) return findDefaultWeight(clause)
  const weights = findPositive(group.clauses).map(findWeight)
  const ordered = LIGHTEST_FIRST.flatMap((weight) => weights.filter((one) => one === weight))
  const needed = group.key === 'all' ? ordered.length : group.key === 'any' ? 1 : Number(clause.atLeast)
  return ordered[Math.min(needed, ordered.length) - 1] ?? 'weak'
}

/**
 * Text can be a quotation, assets of a host name alone can be hot-linked, and a builder is a prior. A platform may run in the network of
 * another provider, and the holder of an address writes its name.
 */
function findDefaultWeight(clause: ClauseSource): Weight {
  const key = findPlace(clause)
  if (key === 'text' || key === 'html') return 'weak'
  if (key === 'found' || key === 'network') return 'medium'
  if (key === 'dns' && toList(clause.dns).includes('ptr')) return 'weak'
  if (PLACES[key].family !== 'loaded' || 'has' in clause || 'is' in clause || 'match' in clause) return 'strong'
  const located = [PLACES[key].reading === 'locator' ? toList(clause[key]) : [], toList(clause.under)]
  const lists = located.filter((list) => list.length > 0)
  return lists.length > 0 && lists.every((list) => list.some((locator) => !locator.includes('/'))) ? 'medium' : 'strong'
}
