import { parseLocator } from '../../engine/rule/locator.ts'
import type { Place } from '../../engine/rule/place.ts'
import { type ParsedSelector, parseSelector } from '../../engine/rule/selector.ts'
import type { CommonWord, PageWords } from './page-words.ts'
import { splitTokens } from './tokens.ts'
import { trimEdges, trimEnd } from './trim.ts'

/** How common several words are together: see `joinSites`. */
const NEVER: CommonWord = { sites: 0, repeats: 0 }
/** 1 for words that are independent of each other, 0 for words that are only found together. */
const INDEPENDENCE = 0.6
/** The same for parts of a selector, which have to be at one element or at elements inside of each other. */
const SELECTOR_INDEPENDENCE = 0.8
/** Maximum number of tokens of a phrase in the table. */
const MAX_PHRASE = 2
/** Of the sites with both parts of a longer phrase, this share is assumed to have the whole. */
const PHRASE_SHARE = 0.7
const CODE_PHRASE_SHARE = 0.4
/** A short literal may be a part of a longer word. */
const MAX_PARTIAL = 16
/** Maximum number of segments of a path in the table. */
const MAX_SEGMENTS = 3
/** What separates the parts of a name, at its ends. */
const EDGES = '-_ ./:'
/** Places whose literals are code, in which punctuation narrows: `validate({`. */
const CODE_PLACES = ['inline', 'style', 'html']
/** Of the sites with the words of such a literal, this share is assumed to have its punctuation at one of its ends. */
const EDGE_SHARE = 0.35
/** Literals of these places are searched in other sections, too: the HTML contains all of them. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  html: ['html', 'inline', 'style', 'comment', 'text'],
  title: ['title', 'text'],
}

/**
 * Estimates on how many sites several words are together, from the numbers of each: the rarest one, and for each of the others the
 * share that is left if words of one page are partly independent of each other.
 */
export function joinSites(all: readonly number[], total: number, independence = INDEPENDENCE): number {
  if (total === 0) return 0
  const [rarest = total, ...others] = [...all].sort((a, b) => a - b)
  return others.reduce((sites, one) => sites * Math.min(1, one / total) ** independence, rarest)
}

/** Estimates on how many sites a place has a word. null if the table knows nothing about the place. */
export function estimateWord(word: string, place: Place, atLeast: number, table: PageWords): number | null {
  const found = findWord(word.toLowerCase(), place, table)
  if (found === null) return null
  return found.repeats >= atLeast ? found.sites : 0
}

function findWord(word: string, { key, word: kind }: Place, table: PageWords): CommonWord | null {
  // Amounts of literals and URLs are those of texts and files, which the table does not count.
  const many = (sites: number): CommonWord => ({ sites, repeats: Number.POSITIVE_INFINITY })
  if (kind === 'selector') return findSelector(parseSelector(word), table)
  if (kind === 'literal') return many(findPhrase(word, SOURCES[key] ?? [key], table) * measureEdges(word, key))
  if (kind === 'locator') return many(findLocator(word, key, table))
  if (kind === 'path') return findPath(word, table)
  if (kind === 'name' || key === 'label') return findName(word, key, table)
  if (key === 'file') return many(findFile(word, table))
  return null
}

/** Estimates on how many sites a file has this name, also without the white space and comments of its source. */
function findFile(name: string, table: PageWords): number {
  const names = [name, name.replace(/\.(\w+)$/, '.min.$1')]
  return Math.max(...names.map((one) => findLocator(`/${one}`, 'asset', table)))
}

/** Finds a name, or the most common one that begins with the text before a `*`. */
function findName(word: string, section: string, table: PageWords): CommonWord {
  return word.endsWith('*') ? table.findBeginning(section, word.slice(0, -1)) : table.find(section, word)
}

function findPath(word: string, table: PageWords): CommonWord {
  return table.find(
    'jsonld',
    word
      .split('.')
      .slice(0, MAX_SEGMENTS + 1)
      .join('.'),
  )
}

/** The share that punctuation at the ends of a literal of code leaves over. */
function measureEdges(literal: string, place: string): number {
  if (!CODE_PLACES.includes(place)) return 1
  return [/^[.,;:=([{]/, /[.,;:=([{]$/].filter((edge) => edge.test(literal)).reduce((share) => share * EDGE_SHARE, 1)
}

/** Estimates on how many sites the texts of some sections contain a phrase. */
export function findPhrase(literal: string, sections: readonly string[], table: PageWords): number {
  const tokens = splitTokens(literal)
  if (tokens.length === 0) return table.sites // Punctuation alone.
  return Math.max(...sections.map((section) => findTokens(tokens, section, table)))
}

function findTokens(tokens: readonly string[], section: string, table: PageWords): number {
  const whole = tokens.join(' ')
  if (tokens.length <= MAX_PHRASE) {
    const { sites } = table.find(section, whole)
    if (sites > 0 || whole.length > MAX_PARTIAL) return sites
    if (tokens.length > 1) return table.findBeginning(section, whole).sites
    const beginning = table.find(section, `${trimEnd(whole, '-_')}*`).sites
    if (beginning > 0) return beginning
    return table.findContaining(section, whole, (word) => !word.includes(' ')).sites
  }
  const pairs = tokens.slice(1).map((token, i) => table.find(section, `${tokens[i]} ${token}`).sites)
  return Math.min(...pairs) * findShare(section) ** (tokens.length - MAX_PHRASE)
}

/** Phrases of texts are set ones more often than those of code, whose names are short. */
function findShare(section: string): number {
  return section === 'text' || section === 'title' ? PHRASE_SHARE : CODE_PHRASE_SHARE
}

/** Estimates on how many sites a URL of a place is under a locator. */
export function findLocator(locator: string, section: string, table: PageWords): number {
  const { hosts, host, segments, open, root } = parseLocator(locator)
  if (root) return table.sites
  const start = hosts === 'any' ? '' : hosts === 'below' ? `.${host}` : hosts === 'start' ? `${host}.*` : host
  if (start !== '') return findHost(start, segments, section, table)
  const runs = segments.slice(0, Math.max(1, segments.length - MAX_SEGMENTS + 1)).map((_, i) => {
    const run = segments.slice(i, i + MAX_SEGMENTS)
    const isLast = i + MAX_SEGMENTS >= segments.length
    return findRun(`/${run.join('/')}`, isLast && open, section, table)
  })
  return Math.min(...runs)
}

function findHost(host: string, segments: readonly string[], section: string, table: PageWords): number {
  const { sites } = table.find(section, [host, ...segments.slice(0, 2)].join('/'))
  return segments.length > 2 ? sites * PHRASE_SHARE ** (segments.length - 2) : sites
}

function findRun(run: string, open: boolean, section: string, table: PageWords): number {
  return (open ? table.findBeginning(section, run) : table.find(section, run)).sites
}

/** Estimates on how many sites an element matches a selector, and how often. */
function findSelector(rows: ParsedSelector, table: PageWords): CommonWord {
  const found = rows.map((row) =>
    joinMarks(
      row.flatMap(({ parts }) => parts.flatMap((part) => findPart(part, table))),
      table,
    ),
  )
  return found.reduce((best, one) => (one.sites > best.sites ? one : best), NEVER)
}

function joinMarks(marks: readonly CommonWord[], table: PageWords): CommonWord {
  const sites = joinSites(
    marks.map((mark) => mark.sites),
    table.sites,
    SELECTOR_INDEPENDENCE,
  )
  return { sites, repeats: Math.min(Number.POSITIVE_INFINITY, ...marks.map((mark) => mark.repeats)) }
}

type PartOfSelector = ParsedSelector[number][number]['parts'][number]

/** Finds what a part of a selector asks for. What it excludes does not make it rarer by much. */
function findPart(part: PartOfSelector, table: PageWords): CommonWord[] {
  if (part.type === 'tag') return [table.find('tag', part.name)]
  if (part.type === 'any' || part.type === 'not') return []
  if (part.type === 'attribute') return [findAttribute(part, table)]
  const rows = part.rows.map((row) =>
    joinMarks(
      row.flatMap((inner) => findPart(inner, table)),
      table,
    ),
  )
  return [rows.reduce((best, one) => (one.sites > best.sites ? one : best), NEVER)]
}

/** Finds an attribute of a selector. */
export function findAttribute(
  { name, action, value }: { readonly name: string; readonly action: string; readonly value: string },
  table: PageWords,
): CommonWord {
  if (action === 'exists') return table.find('attr', name)
  if (name === 'class' && action === 'element') return table.find('class', value)
  if (name === 'id' && action === 'equals') return table.find('id', value)
  if (action === 'equals' || action === 'element') return table.find('value', `${name}=${value}`)
  const [section, start] = name === 'class' || name === 'id' ? [name, ''] : ['value', `${name}=`]
  const whole = table.findContaining(
    section,
    value,
    (word) => word.startsWith(start) && holds(word.slice(start.length), action, value),
  )
  // The table has the parts of longer values: `hero` of `hero-7c1`. A value with several parts is only found as a whole.
  const part = table.find('part', `${name}~${trimEdges(value, EDGES)}`)
  return part.sites > whole.sites ? part : whole
}

function holds(text: string, action: string, value: string): boolean {
  if (action === 'start' || action === 'hyphen') return text.startsWith(value)
  return action === 'end' ? text.endsWith(value) : text.includes(value)
}
