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

/** Sections of the table by name. */
interface WordSection {
  readonly words: Map<string, WordLine>
  sorted?: readonly string[]
  /** All words, each between two line ends. */
  joined?: string
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
    let words = new Map<string, WordLine>()
    for (const line of text.split('\n')) {
      if (line.startsWith('# ') || line === '') continue
      if (line.startsWith('[') && line.endsWith(']')) {
        words = new Map()
        sections.set(line.slice(1, -1), { words })
        continue
      }
      const [word, count, repeats = '1', rest] = line.split('\t')
      words.set(word, { sites: Number(count), repeats: Number(repeats), rest: readRest(rest) })
    }
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
    const line = this.#sections.get(section)?.words.get(word)
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
    // One text is searched faster than thousands of words.
    found.joined ??= `\n${[...found.words.keys()].join('\n')}\n`
    let best = NONE
    for (let at = found.joined.indexOf(text); at >= 0; at = found.joined.indexOf(text, at + 1)) {
      const word = found.joined.slice(found.joined.lastIndexOf('\n', at) + 1, found.joined.indexOf('\n', at))
      const line = found.words.get(word)
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
    found.sorted ??= [...found.words.keys()].sort()
    const from = findFirst(found.sorted, beginning)
    let to = from
    while (found.sorted[to]?.startsWith(beginning)) to++
    return found.sorted.slice(from, to)
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
