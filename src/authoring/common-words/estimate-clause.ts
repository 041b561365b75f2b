import { FOUND, type Places, toList } from '../../engine/rule/clause.ts'
import type { Place } from '../../engine/rule/place.ts'
import type { ClauseSource } from '../../engine/rule/types.ts'
import type { Path } from '../../yaml/source-file.ts'
import type { PageWords } from './page-words.ts'
import { estimateWord, joinSites } from './place-words.ts'
import { estimateTests } from './test-words.ts'

/** A word of a clause, or a word with its tests, and on how many sites it is. */
export interface EstimatedWord {
  readonly value: string
  readonly path: Path
  readonly sites: number
}

/** On how many sites a clause holds, and its words. */
export interface ClauseEstimate {
  readonly sites: number
  readonly words: readonly EstimatedWord[]
}

/** Values of these places are on every page in some form, and the table does not know how often. */
const UNCOUNTED = ['status', 'size', 'suffix', 'dns', 'tls']
const NEVER: ClauseEstimate = { sites: 0, words: [] }

/** Estimates on how many of the sites of the table a clause of a rule would hold. */
export function estimateClause(clause: ClauseSource, path: Path, places: Places, table: PageWords): ClauseEstimate {
  // Most pages do not have what a `not` names.
  if ('not' in clause) return { sites: table.sites, words: [] }
  const group = ['all', 'any', 'of'].find((key) => key in clause)
  if (group === undefined) return estimateLeaf(clause, path, places, table)
  const inner = toList<ClauseSource>(clause[group])
    .map((one, i) => estimateClause(one, [...path, group, i], places, table))
    .sort((a, b) => b.sites - a.sites)
  const needed = group === 'all' ? inner.length : group === 'of' ? Number(clause.atLeast ?? 1) : 1
  const sites = joinSites(
    inner.slice(0, needed).map((one) => one.sites),
    table.sites,
  )
  return { sites, words: inner.flatMap(({ words }) => words) }
}

function estimateLeaf(clause: ClauseSource, path: Path, places: Places, table: PageWords): ClauseEstimate {
  const key = Object.keys(clause).find((name) => places.has(name))
  const place = key === undefined ? undefined : places.get(key)
  if (place === undefined || place.key === FOUND.key) return NEVER
  const words = toList<unknown>(clause[place.key]).map((value, i) => ({
    value: String(value),
    path: Array.isArray(clause[place.key]) ? [...path, place.key, i] : [...path, place.key],
  }))
  const atLeast = Number(clause.atLeast ?? 1)
  const estimated = words.map((word): EstimatedWord => {
    const sites = UNCOUNTED.includes(place.key)
      ? estimateUncounted(word.value, clause, table)
      : estimateTested(word.value, place, atLeast, clause, table)
    return { ...word, value: formatWord(word.value, place, clause), sites }
  })
  return { sites: Math.max(0, ...estimated.map(({ sites }) => sites)), words: estimated }
}

function estimateTested(word: string, place: Place, atLeast: number, clause: ClauseSource, table: PageWords): number {
  const sites = estimateWord(word, place, atLeast, table)
  if (sites === null || sites === 0) return 0
  return joinSites([sites, ...estimateTests(clause, { word, place, sites }, table)], table.sites)
}

/** Each page has a status, a size and addresses. A record with a label of its own, and tests, are narrow. */
function estimateUncounted(word: string, clause: ClauseSource, table: PageWords): number {
  const isNarrow = word.includes(' ') || ['is', 'has', 'under', 'match'].some((key) => key in clause)
  return isNarrow ? 0 : table.sites
}

function formatWord(word: string, place: Place, clause: ClauseSource): string {
  const tests = ['is', 'has', 'under', 'match'].flatMap((key) => toList<unknown>(clause[key]).slice(0, 1).map(String))
  return [UNCOUNTED.includes(place.key) ? `${place.key}: ${word}` : word, ...tests].join(' ')
}
