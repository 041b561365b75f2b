import { readFileSync } from 'node:fs'

/** A word of the table: on how many sites it is, and how often their pages contain it at least, for as many sites as count. */
export interface CommonWord {
  readonly sites: number
  readonly repeats: number
}

/** A line of the table. */
interface WordLine {
  readonly sites: number
  readonly repeats: number
  /** Slug of a rule that names the word → number of the sites on which that rule does not fire. */
  readonly rest: ReadonlyMap<string, number>
}

/** A section of the table. It is parsed when it is first asked for, and a line of it when its word is: checks of few rules need few words. */
class WordSection {
  readonly #text: string
  #words: Map<string, WordLine | string> | undefined
  #sorted: readonly string[] | undefined
  #joined: string | undefined

  /** @param text its lines */
  constructor(text: string) {
    this.#text = text
  }

  get(word: string): WordLine | undefined {
    const line = this.#lines.get(word)
    if (typeof line !== 'string') return line
    const [count, repeats = '1', rest] = line.split('\t')
    const read = { sites: Number(count), repeats: Number(repeats), rest: readRest(rest) }
    this.#lines.set(word, read)
    return read
  }

  /** All words, sorted. */
  get sorted(): readonly string[] {
    this.#sorted ??= [...this.#lines.keys()].sort()
    return this.#sorted
  }

  /** All words, each between two line ends: one text is searched faster than thousands of words. */
  get joined(): string {
    this.#joined ??= `\n${[...this.#lines.keys()].join('\n')}\n`
    return this.#joined
  }

  /** What follows each word in its line. */
  get #lines(): Map<string, WordLine | string> {
    if (this.#words !== undefined) return this.#words
    this.#words = new Map()
    for (const line of this.#text.split('\n')) {
      if (line.startsWith('# ') || line === '') continue
      const end = line.indexOf('\t')
      this.#words.set(end < 0 ? line : line.slice(0, end), end < 0 ? '' : line.slice(end + 1))
    }
    return this.#words
  }
}

/** A word that fewer sites have may belong to a product that no rule describes yet. */
export const MIN_SITES = 10
/** Sections of the table that come from response headers, which fewer of the sites have. */
export const HEADER_SECTIONS: readonly string[] = ['header', 'header-value', 'header-part', 'cookie']

const NONE: CommonWord = { sites: 0, repeats: 0 }
const NO_RULES: ReadonlyMap<string, number> = new Map()

/**
 * The words of many unrelated sites: class names, ids, attributes, addresses, names of headers and meta tags, phrases. What belongs
 * to one product is recognized: sites on which a rule fires that names the word do not count for that rule, and a word that
 * hardly any other site has is not in the table. tools/words writes it.
 */
export class PageWords {
  /** Number of sites that were counted. */
  readonly sites: number
  readonly #headerSites: number
  readonly #sections: ReadonlyMap<string, WordSection>
  /** How many of the sites of a line count. */
  readonly #select: (line: WordLine) => number

  private constructor(
    counts: { readonly sites: number; readonly headerSites: number },
    sections: ReadonlyMap<string, WordSection>,
    select: (line: WordLine) => number,
  ) {
    this.sites = counts.sites
    this.#headerSites = counts.headerSites
    this.#sections = sections
    this.#select = select
  }

  /** Reads a table: a line with the numbers of sites, then sections with one word per line. */
  static parse(text: string): PageWords {
    const [, sites = '0', headerSites = '0'] = /^# [^:\n]*: (\d+) sites, (\d+) with response headers/.exec(text) ?? []
    const sections = new Map<string, WordSection>()
    const heads = [...text.matchAll(/^\[(.*)\]$/gm)]
    for (const [i, { 0: head, 1: name, index }] of heads.entries())
      sections.set(name, new WordSection(text.slice(index + head.length, heads[i + 1]?.index)))
    return new PageWords({ sites: Number(sites), headerSites: Number(headerSites) }, sections, ({ sites }) => sites)
  }

  /** The same table for words of one rule: without the sites on which the rule fires. */
  leaveOut(slug: string): PageWords {
    return this.#count((line) => line.rest.get(slug) ?? line.sites)
  }

  /** The same table without the words of products: what is on other sites, too, counts only there. */
  leaveOutProducts(): PageWords {
    return this.#count((line) => Math.min(line.sites, ...line.rest.values()))
  }

  #count(select: (line: WordLine) => number): PageWords {
    return new PageWords({ sites: this.sites, headerSites: this.#headerSites }, this.#sections, select)
  }

  /** Finds a word; without sites if the table does not contain it. */
  find(section: string, word: string): CommonWord {
    const line = this.#sections.get(section)?.get(word)
    return line === undefined ? NONE : this.#project(section, line)
  }

  /** Finds the most common word that begins with a text. */
  findBeginning(section: string, beginning: string): CommonWord {
    return this.#listBeginning(section, beginning).reduce(
      (best, word) => takeMoreCommon(best, this.find(section, word)),
      NONE,
    )
  }

  /** Finds the most common word that contains a text, and of which a test holds. */
  findContaining(section: string, text: string, test: (word: string) => boolean): CommonWord {
    const found = this.#sections.get(section)
    if (found === undefined || text === '') return NONE
    const { joined } = found
    let best = NONE
    for (let at = joined.indexOf(text); at >= 0; at = joined.indexOf(text, at + 1)) {
      const word = joined.slice(joined.lastIndexOf('\n', at) + 1, joined.indexOf('\n', at))
      const line = found.get(word)
      if (line !== undefined && line.sites > best.sites && test(word))
        best = takeMoreCommon(best, this.#project(section, line))
    }
    return best
  }

  /** Adds up the sites of the words that begin with a text and of whose rest a test holds. */
  sumBeginning(section: string, beginning: string, test: (rest: string) => boolean): number {
    return this.#listBeginning(section, beginning)
      .filter((word) => test(word.slice(beginning.length)))
      .reduce((sum, word) => sum + this.find(section, word).sites, 0)
  }

  /** Header sections come from fewer sites: their numbers are projected to all sites. */
  #project(section: string, line: WordLine): CommonWord {
    const counted = this.#select(line)
    const { repeats } = line
    if (!HEADER_SECTIONS.includes(section) || this.#headerSites === 0) return { sites: counted, repeats }
    return { sites: Math.round((counted * this.sites) / this.#headerSites), repeats }
  }

  #listBeginning(section: string, beginning: string): readonly string[] {
    const found = this.#sections.get(section)
    if (found === undefined) return []
    const { sorted } = found
    const from = findFirst(sorted, beginning)
    let to = from
    while (sorted[to]?.startsWith(beginning)) to++
    return sorted.slice(from, to)
  }
}

/** Reads `slug:number`, separated by commas. */
function readRest(text: string | undefined): ReadonlyMap<string, number> {
  if (text === undefined) return NO_RULES
  return new Map(
    text.split(',').map((one) => {
      const [slug, sites] = one.split(':')
      return [slug, Number(sites)] as const
    }),
  )
}

function takeMoreCommon(a: CommonWord, b: CommonWord): CommonWord {
  return b.sites > a.sites ? b : a
}

/** Finds the first of sorted words that is not before a text. */
function findFirst(words: readonly string[], text: string): number {
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (words[middle] < text) low = middle + 1
    else high = middle
  }
  return low
}

let own: PageWords | undefined

/** Reads the table of the project, once. */
export function readPageWords(): PageWords {
  own ??= PageWords.parse(readFileSync(new URL('page-words.txt', import.meta.url), 'utf8'))
  return own
}
