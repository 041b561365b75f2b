import { MARK_KINDS, type Mark, type MarkKind } from './mark.ts'
import { hashText, SiteSketch } from './site-sketch.ts'

/** What a page has: its marks, and what else was found on it. */
export interface PageMarks {
  /** Name of the page in its file. */
  readonly page: string
  /** Several pages of a site count once. */
  readonly site: string
  /** The rules that score on it, each as `kind/slug`. */
  readonly rules: readonly string[]
  /** Name of the builder; null if none is named. */
  readonly builder: string | null
  readonly marks: readonly Mark[]
}

/** An example of a gap. */
interface GapExample {
  readonly page: string
  readonly file: string
  readonly shown: string
}

/** A mark that no rule explains. */
export interface Gap {
  readonly kind: MarkKind
  readonly key: string
  /** Number of sites on which no rule explains it. */
  readonly sites: number
  /** Number of sites on which a rule does. */
  readonly explainedSites: number
  /** Pages of other sites, at most three. */
  readonly examples: readonly GapExample[]
  /** Builder → number of the counted pages on which it is named; `null` is the key of those without one. */
  readonly builders: readonly (readonly [name: string | null, pages: number])[]
}

/** Maximum number of marks that are counted at the same time, of one kind. */
const MAX_KEYS = 20_000
const MAX_EXAMPLES = 3
const MAX_BUILDERS = 20
/** Maximum number of rules that are counted with a mark: the first pages with it have those that matter. */
const MAX_RULES = 24
/**
 * A mark of which this share of pages has the same rule belongs to the product of that rule if the rule is rarer on all pages by this
 * factor. The factor leaves the marks of plugins of a system that every fifth page has.
 */
const OWNER_SHARE = 0.8
const OWNER_LIFT = 8
/** Kinds of marks that name a product or its host: only a builder owns them. */
const NAMED_KINDS: readonly MarkKind[] = ['generator', 'credit', 'site', 'resource']
/** Bits of the filter of marks that were seen before: 8 MB. */
const FILTER_BITS = 2 ** 26

interface Counted {
  readonly sites: SiteSketch
  readonly explained: SiteSketch
  readonly examples: { readonly site: number; readonly example: GapExample }[]
  readonly builders: Map<string | null, number>
  pages: number
  /** Numbers of rules, and on how many of the pages each scores. */
  readonly rules: number[]
  readonly rulePages: number[]
}

/** A rule, and on how many pages it scores. */
interface ScoredPages {
  readonly number: number
  readonly isBuilder: boolean
  pages: number
}

/**
 * Counts marks by site in bounded memory. While there are few marks, all are counted exactly. If there are more, those of one site
 * are removed, and from then on a new mark is only counted from its second page on.
 */
export class GapCounter {
  readonly #maxKeys: number
  readonly #kinds = new Map<MarkKind, Map<string, Counted>>(MARK_KINDS.map((kind) => [kind, new Map()]))
  /** Kinds that had too many marks. */
  readonly #full = new Set<MarkKind>()
  #seen: Uint32Array | undefined
  #pages = 0
  readonly #rules = new Map<string, ScoredPages>()

  constructor(maxKeys = MAX_KEYS) {
    this.#maxKeys = maxKeys
  }

  add({ page, site, rules, builder, marks }: PageMarks, file: string): void {
    const siteHash = hashText(site)
    const numbers = this.#countRules(rules)
    for (const mark of marks) {
      const counted = this.#find(mark)
      if (counted === null) continue
      // Many sites are below one domain: each host counts.
      const hash = mark.kind === 'site' ? hashText(mark.shown) : siteHash
      if (mark.isExplained) {
        counted.explained.add(hash)
        continue
      }
      counted.sites.add(hash)
      const { examples, builders } = counted
      if (examples.length < MAX_EXAMPLES && examples.every((one) => one.site !== hash))
        examples.push({ site: hash, example: { page, file, shown: mark.shown } })
      if (builders.has(builder) || builders.size < MAX_BUILDERS) builders.set(builder, (builders.get(builder) ?? 0) + 1)
      countTogether(counted, numbers)
    }
  }

  #countRules(rules: readonly string[]): number[] {
    this.#pages++
    return rules.map((rule) => {
      let known = this.#rules.get(rule)
      if (known === undefined)
        this.#rules.set(rule, (known = { number: this.#rules.size, isBuilder: rule.startsWith('builder/'), pages: 0 }))
      known.pages++
      return known.number
    })
  }

  #find({ kind, key }: Mark): Counted | null {
    const all = this.#kinds.get(kind) as Map<string, Counted>
    const known = all.get(key)
    if (known !== undefined) return known
    if (this.#full.has(kind) && !this.#wasSeen(`${kind} ${key}`)) return null
    if (all.size >= this.#maxKeys) this.#prune(kind, all)
    const counted = {
      sites: new SiteSketch(),
      explained: new SiteSketch(),
      examples: [],
      builders: new Map(),
      pages: 0,
      rules: [],
      rulePages: [],
    }
    all.set(key, counted)
    return counted
  }

  /** Removes the marks of the fewest sites, until at most half are left. */
  #prune(kind: MarkKind, all: Map<string, Counted>): void {
    this.#full.add(kind)
    const count = ({ sites, explained }: Counted): number => sites.count + explained.count
    const limit = [...all.values()].map(count).sort((a, b) => b - a)[this.#maxKeys >> 1]
    for (const [key, counted] of all) if (count(counted) <= limit) all.delete(key)
  }

  /** Whether nearly all pages with a mark have the same rule, which few others have. */
  #isOwned(kind: MarkKind, { pages, rules: numbers, rulePages }: Counted, rules: readonly ScoredPages[]): boolean {
    return numbers.some((number, i) => {
      const rule = rules[number]
      if (NAMED_KINDS.includes(kind) && !rule.isBuilder) return false
      const share = rulePages[i] / pages
      return share >= OWNER_SHARE && share >= OWNER_LIFT * (rule.pages / this.#pages)
    })
  }

  /** Whether a text was passed before; rarely true for a new one (Bloom filter). */
  #wasSeen(text: string): boolean {
    this.#seen ??= new Uint32Array(FILTER_BITS / 32)
    const seen = this.#seen
    let isKnown = true
    for (const salted of [text, `${text}\n`]) {
      const bit = hashText(salted) % FILTER_BITS
      const mask = 1 << (bit & 31)
      if ((seen[bit >>> 5] & mask) === 0) isKnown = false
      seen[bit >>> 5] |= mask
    }
    return isKnown
  }

  /**
   * Lists the marks that rules explain on fewer sites than not, those of the most sites first.
   * @param minSites a mark of fewer sites is left out
   */
  list(minSites: number): Gap[] {
    const gaps: Gap[] = []
    const rules = [...this.#rules.values()]
    for (const [kind, all] of this.#kinds)
      for (const [key, counted] of all) {
        const { sites, explained, examples, builders } = counted
        if (sites.count < minSites || explained.count >= sites.count || this.#isOwned(kind, counted, rules)) continue
        const sorted = [...builders].sort((a, b) => b[1] - a[1])
        const shown = examples.map(({ example }) => example)
        gaps.push({ kind, key, sites: sites.count, explainedSites: explained.count, examples: shown, builders: sorted })
      }
    const order = (kind: MarkKind): number => MARK_KINDS.indexOf(kind)
    return gaps.sort((a, b) => b.sites - a.sites || order(a.kind) - order(b.kind) || (a.key < b.key ? -1 : 1))
  }
}

function countTogether(counted: Counted, numbers: readonly number[]): void {
  counted.pages++
  for (const number of numbers) {
    const at = counted.rules.indexOf(number)
    if (at >= 0) counted.rulePages[at]++
    else if (counted.rules.length < MAX_RULES) {
      counted.rules.push(number)
      counted.rulePages.push(1)
    }
  }
}
