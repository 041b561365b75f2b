import type { CountedWords, PageTexts } from './read-words.ts'

/** A word of the table: on how many sites it is, and the most often that this many sites have it on one page. */
export interface CountedWord {
  readonly section: string
  readonly word: string
  /** Numbers of the sites that have it. */
  readonly sites: readonly number[]
  readonly repeats: number
}

/** Maximum number of tokens of a phrase, by section. Longer phrases are judged by their parts. */
export const MAX_PHRASE: Readonly<Record<string, number>> = {
  text: 2,
  title: 2,
  inline: 2,
  style: 2,
  comment: 2,
  html: 2,
}

/** Tokens of all texts of a site in one section, as numbers; -1 separates texts. */
interface SiteText {
  readonly site: number
  readonly section: string
  readonly tokens: Int32Array
}

/** Counts on how many sites words and phrases are. Several pages of a site count once. */
export class WordCounter {
  readonly #minSites: number
  /** Section and word → site → the most often that one of its pages contains the word. */
  readonly #words = new Map<string, Map<number, number>>()
  readonly #numbers = new Map<string, number>()
  readonly #names: string[] = []
  readonly #texts: SiteText[] = []

  constructor(minSites: number) {
    this.#minSites = minSites
  }

  add(site: number, words: CountedWords, texts: PageTexts): void {
    for (const [section, counts] of words)
      for (const [word, count] of counts) {
        const key = `${section}\t${word}`
        const sites = this.#words.get(key) ?? new Map<number, number>()
        this.#words.set(key, sites)
        sites.set(site, Math.max(sites.get(site) ?? 0, count))
      }
    for (const [section, all] of texts) {
      const tokens = Int32Array.from(all.flatMap((one) => [...one.map((token) => this.#numberOf(token)), -1]))
      if (tokens.length > 0) this.#texts.push({ site, section, tokens })
    }
  }

  #numberOf(token: string): number {
    const known = this.#numbers.get(token)
    if (known !== undefined) return known
    const number = this.#names.push(token) - 1
    this.#numbers.set(token, number)
    return number
  }

  /** Lists the words and phrases of enough sites. */
  *list(): Generator<CountedWord> {
    for (const [key, sites] of this.#words) {
      if (sites.size < this.#minSites) continue
      const [section, word] = key.split('\t')
      const counts = [...sites.values()].sort((a, b) => b - a)
      yield { section, word, sites: [...sites.keys()], repeats: counts[this.#minSites - 1] }
    }
    for (const [section, longest] of Object.entries(MAX_PHRASE)) yield* this.#listPhrases(section, longest)
  }

  /** A phrase can only be on enough sites if its beginning and its end are. */
  *#listPhrases(section: string, longest: number): Generator<CountedWord> {
    const texts = this.#texts.filter((text) => text.section === section)
    let shorter: ReadonlySet<string> | null = null
    for (let length = 1; length <= longest; length++) {
      const found = countPhrases(texts, length, shorter)
      const frequent = [...found].filter(([, sites]) => sites.size >= this.#minSites)
      shorter = new Set(frequent.map(([phrase]) => phrase))
      for (const [phrase, sites] of frequent)
        yield {
          section,
          word: phrase
            .split(' ')
            .map((one) => this.#names[Number(one)])
            .join(' '),
          sites: [...sites],
          repeats: 1,
        }
    }
  }
}

function countPhrases(
  texts: readonly SiteText[],
  length: number,
  shorter: ReadonlySet<string> | null,
): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>()
  for (const { site, tokens } of texts) {
    const seen = new Set<string>()
    for (let i = 0; i + length <= tokens.length; i++) {
      const part = tokens.subarray(i, i + length)
      if (part.includes(-1)) continue
      if (shorter !== null && !(shorter.has(part.subarray(0, -1).join(' ')) && shorter.has(part.subarray(1).join(' '))))
        continue
      seen.add(part.join(' '))
    }
    for (const phrase of seen) {
      const sites = found.get(phrase) ?? new Set<number>()
      found.set(phrase, sites)
      sites.add(site)
    }
  }
  return found
}
