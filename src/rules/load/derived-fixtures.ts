import { type Places, toList } from '../../engine/rule/clause.ts'
import type { Example, Place } from '../../engine/rule/place.ts'
import type { ClauseSource, RuleSource } from '../../engine/rule/types.ts'
import { openOwnNetworks } from '../../networks/open-networks.ts'
import type { Path } from '../../yaml/source-file.ts'
import type { CheckedRule } from '../checks/rule-checks.ts'
import { type Fixture, findNetworkOf } from '../fixtures.ts'
import { listNames, repeatsName } from '../own-names.ts'
import { escapeHtml, wrapFragment } from '../wrap-fragment.ts'

/** The place of networks, which the project's own table knows. */
const NETWORK = 'network'

/** The place of files by their names, of which a product has several. */
const FILE = 'file'

/** Keys of a clause whose hits and misses can be derived, besides its place. */
const KEYS = ['version', 'weight']

/** A word that needs no page in a test, at its path in the rule. */
interface ProvenWord {
  readonly path: Path
  readonly place: Place
  readonly word: string
  readonly weight: string
}

/** What pages are derived from. */
type RuleToProve = Pick<CheckedRule, 'found' | 'file' | 'source'>

/** The number of the derived hit and of the derived miss of a rule. Those of its test file count from 1. */
const DERIVED = 0

/**
 * Derives a hit and a miss from the clauses of a rule whose words are exact names: files that the place finds by the name, and
 * files with similar names. A name counts only if the rule repeats it elsewhere (`repeatsName`), so that a misspelled one is
 * noticed.
 */
export function deriveFixtures({ found, file, source }: RuleToProve, places: Places): readonly Fixture[] {
  const words = source === null ? [] : listProvenWords(source, places)
  const names = words.filter(({ place }) => !place.areCodes)
  const codes = words.filter(({ place }) => place.areCodes)
  return [
    ...deriveNetworks({ found, file, source }),
    ...deriveFiles({ found, file, words: names }),
    // A page reads two containers at most, so each kind of tag has pages of its own; and so has each property of `window`.
    ...codes.flatMap((code) => deriveFiles({ found, file, words: [code] })),
  ]
}

/** Derives a hit from each network that a rule names, an address of the table that is in it, and from the first address of each range. */
function deriveNetworks({ found, file, source }: RuleToProve): Fixture[] {
  return listNetworks(source).flatMap(({ path, word }) => {
    const [start, length] = word.split('/')
    const address = length === undefined ? openOwnNetworks().findAddress(Number(word)) : start
    if (address === null) return []
    const page = { ...buildPage(found.slug, []), address }
    // Whose network a range is in says nothing about the range.
    const input = length === undefined ? findNetworkOf(page) : { ...page, network: null }
    return [{ rule: found, file, path, also: [], number: DERIVED, input, hit: { page, confidence: 'medium' } }]
  })
}

/** Lists the networks and ranges of clauses that name nothing else. */
function listNetworks(source: RuleSource | null): readonly { readonly path: Path; readonly word: string }[] {
  return (source?.detect ?? []).flatMap((clause, i) =>
    Object.keys(clause).every((key) => key === NETWORK || key === 'weight')
      ? toList<string>(clause[NETWORK]).map((word, j) => ({
          word,
          path: Array.isArray(clause[NETWORK]) ? ['detect', i, NETWORK, j] : ['detect', i, NETWORK],
        }))
      : [],
  )
}

/** Derives a hit and a miss from the words of a rule that are names of files. */
function deriveFiles({
  found,
  file,
  words,
}: Pick<RuleToProve, 'found' | 'file'> & { readonly words: readonly ProvenWord[] }): Fixture[] {
  if (words.length === 0) return []
  const examples = words.map(({ place, word }): Example => place.example?.(word) ?? { hits: [], misses: [] })
  const confidence = words.some(({ weight }) => weight === 'strong') ? 'high' : 'medium'
  const common = { rule: found, file, path: words[0].path, also: examples.flatMap(({ also = [] }) => also) }
  const add = <T extends object>(page: T, kind: 'hits' | 'misses'): T => addCode(page, examples, kind)
  const hit = add(buildPage(found.slug, examples.flatMap(({ hits }) => hits).map(formatFile)), 'hits')
  const mention = words.map(({ word }) => `<p>We compared ${escapeHtml(word)} with others.</p>`)
  const misses = examples.flatMap((one) => one.misses)
  const miss = add(buildPage(found.slug, [...misses.map(formatFile), ...mention]), 'misses')
  return [
    { ...common, number: DERIVED, input: hit, hit: { page: hit, confidence } },
    { ...common, number: DERIVED, input: miss, hit: null },
  ]
}

/** Whether each clause of a rule is proven by derived pages. */
export function provesItself(source: RuleSource, places: Places): boolean {
  const words = [...listProvenWords(source, places), ...listNetworks(source)]
  const proven = new Set(words.map(({ path }) => JSON.stringify(path)))
  return source.detect.every((clause, i) => {
    const place = findPlace(clause, places)
    if (place === undefined) return false
    return listWords(clause, place, ['detect', i]).every(({ path }) => proven.has(JSON.stringify(path)))
  })
}

/** Finds the names that a rule without a test file states nowhere else: they are misspelled, or need a page that shows them. */
export function findUnknownNames(source: RuleSource, places: Places): readonly ProvenWord[] {
  const names = listNames(source)
  return listExactWords(source, places).filter(
    ({ word, place }) => !place.areCodes && !repeatsName(word, place.key === FILE, names),
  )
}

function listProvenWords(source: RuleSource, places: Places): readonly ProvenWord[] {
  const names = listNames(source)
  return listExactWords(source, places).filter(
    ({ word, place }) => place.areCodes || repeatsName(word, place.key === FILE, names),
  )
}

/** Lists the words of clauses that are exact names. A weak clause is none: it names nothing alone. */
function listExactWords({ detect }: RuleSource, places: Places): readonly ProvenWord[] {
  return detect.flatMap((clause, i) => {
    const place = findPlace(clause, places)
    if (place?.example === undefined || clause.weight === 'weak') return []
    const weight = String(clause.weight ?? 'strong')
    return listWords(clause, place, ['detect', i]).map((one) => ({ ...one, place, weight }))
  })
}

function findPlace(clause: ClauseSource, places: Places): Place | undefined {
  const keys = Object.keys(clause).filter((key) => !KEYS.includes(key))
  return keys.length === 1 ? places.get(keys[0]) : undefined
}

function listWords(clause: ClauseSource, { key }: Place, path: Path): readonly { path: Path; word: string }[] {
  const isList = Array.isArray(clause[key])
  return toList<string>(clause[key]).map((word, i) => ({ word, path: isList ? [...path, key, i] : [...path, key] }))
}

/** Adds the scripts of examples, and the properties of `window` that they set. */
function addCode<T extends object>(page: T, examples: readonly Example[], kind: 'hits' | 'misses'): T {
  const scripts = examples.flatMap((one) => one.scripts?.[kind] ?? [])
  const globals = Object.assign({}, ...examples.map((one) => one.globals?.[kind]))
  return {
    ...page,
    ...(scripts.length > 0 && { scripts }),
    ...(Object.keys(globals).length > 0 && { globals }),
  }
}

function buildPage(slug: string, lines: readonly string[]): { readonly url: string; readonly html: string } {
  return { url: `https://${slug}-derived.example/`, html: wrapFragment(lines.join('\n'), slug) }
}

function formatFile(url: string): string {
  const address = escapeHtml(url)
  if (/\.(?:m?js|cjs)(?:\?|$)/.test(url)) return `<script src="${address}"></script>`
  if (/\.css(?:\?|$)/.test(url)) return `<link rel="stylesheet" href="${address}">`
  return `<img src="${address}" alt="">`
}
