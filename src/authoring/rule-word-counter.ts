import { Automaton } from '../engine/text/automaton.ts'
import { append } from '../engine/text/lists.ts'
import { lower } from '../engine/text/text.ts'
import { areRelated } from '../rules/checks/overlap-checks.ts'
import type { CheckedRule } from '../rules/checks/rule-checks.ts'
import type { FileMemory } from '../rules/load/file-memory.ts'

/** A rule, and the pages of its test: their names and texts in lower case, read when they are asked for. */
interface RuleWithPages {
  readonly rule: CheckedRule
  /** For each page, the slugs of other rules that rightly fire on it. */
  readonly also: readonly (readonly string[])[]
  readonly readPages: () => readonly string[]
}

/** What a run tells the next one. It survives JSON. */
interface LiteralCounts {
  /** For each literal in lower case, a number of pages: no fewer than those that contain it. */
  readonly literals: Readonly<Record<string, number>>
  /** The files of the rules whose pages were counted, and their states. */
  readonly files: readonly (readonly [file: string, state: string])[]
  /** For some literals, the pages that contain them: the number of a file, and the numbers of its pages. */
  readonly pages: Readonly<Record<string, readonly (readonly number[])[]>>
}

/**
 * Share of the rules whose test pages contain a word that says nothing about a product, and the minimum of such rules. Of the
 * 1,476 words of the 323 rules of November 2026, the most common that no rarer word accompanies is on pages of 4 other rules
 * (1.2 %), while `.container`, `/main.js`, `session` and `x-powered-by` are on those of 8 to 23.
 */
const GENERIC_SHARE = 0.02
const MIN_GENERIC_RULES = 5
const SUMMARY = 'words'
/** With more literals, one automaton of all is faster than a search for each. */
const MAX_SEARCHED = 24
/** A page is numbered by the position of its rule and its own in the test. */
const PAGES_OF_RULE = 2 ** 20

/** Counts the rules whose pages contain words. */
export class RuleWordCounter {
  /** Number of rules from which a word is generic. */
  readonly minGeneric: number
  readonly #all: readonly RuleWithPages[]
  readonly #known: LiteralCounts | undefined
  /** Rules whose files have changed since the last run. */
  readonly #changed: ReadonlySet<RuleWithPages>
  /** Literal → a number of pages: no fewer than those that contain it. */
  readonly #bounds = new Map<string, number>()
  /** Literal → pages that contain it, for literals that were counted. */
  readonly #pages = new Map<string, readonly number[]>()
  /** Literals whose pages were needed, which the next run will need too. */
  readonly #needed = new Set<string>()
  /** For each file of the last run, the position of its rule. */
  #positions: readonly (number | undefined)[] | undefined

  /** @param memory of earlier runs, with which only parts that may be generic are looked for in pages that did not change */
  constructor(parts: Iterable<string>, all: readonly RuleWithPages[], memory?: FileMemory) {
    this.minGeneric = Math.max(MIN_GENERIC_RULES, Math.ceil(all.length * GENERIC_SHARE))
    this.#all = all
    const last = memory?.getSummary<LiteralCounts>(SUMMARY)
    const states = new Map(last?.files)
    const changed = all.filter(({ rule }) => states.get(rule.found.file) !== memory?.getState(rule.found))
    this.#changed = new Set(changed)
    const literals = new Set(Array.from(parts, lower))
    const count = changed.reduce((sum, { also }) => sum + also.length, 0)
    this.#known = count > MAX_CHANGED_PAGES ? undefined : last
    if (this.#known !== undefined)
      this.#boundCounts(
        literals,
        changed.flatMap((one) => one.readPages()),
      )
    this.#countExactly([...literals].filter((literal) => !this.#bounds.has(literal)))
  }

  /**
   * Bounds the number of pages that contain each literal that the last run knew: the number of that run, and the new pages with it.
   * Pages that are gone stay in the number until the literal is counted again.
   */
  #boundCounts(literals: ReadonlySet<string>, fresh: readonly string[]): void {
    const before = new Map(Object.entries(this.#known?.literals ?? {}))
    for (const literal of literals) {
      const count = before.get(literal)
      if (count !== undefined) this.#bounds.set(literal, count + fresh.filter((text) => text.includes(literal)).length)
    }
  }

  /** Finds the pages with literals. Those of literals that are on few pages are forgotten. */
  #countExactly(literals: readonly string[]): void {
    const lists = findPages(literals, this.#all)
    for (const [i, literal] of literals.entries()) {
      this.#bounds.set(literal, lists[i].length)
      if (lists[i].length >= this.minGeneric) this.#pages.set(literal, lists[i])
    }
  }

  /** Whether a part may be on enough pages for a word to be generic, which few parts are. */
  isFrequentPart(part: string): boolean {
    return (this.#bounds.get(lower(part)) ?? 0) >= this.minGeneric
  }

  /** Whether each part of a word may be on enough pages for the word to be generic, which few words are. */
  isFrequent({ parts }: { readonly parts: readonly string[] }): boolean {
    return parts.every((part) => this.isFrequentPart(part))
  }

  /**
   * Counts the rules that have a page with all parts of a frequent word, except `rule`, those related to it, and pages on which it
   * rightly fires.
   */
  count({ parts }: { readonly parts: readonly string[] }, rule: CheckedRule): number {
    const lists = parts.map((part) => this.#listPages(lower(part))).sort((a, b) => a.length - b.length)
    const [rarest = [], ...others] = lists
    const sets = others.map((list) => new Set(list))
    const owners = new Set<CheckedRule>()
    for (const page of rarest.filter((one) => sets.every((set) => set.has(one)))) {
      const owner = this.#all[Math.floor(page / PAGES_OF_RULE)]
      if (!owner.also[page % PAGES_OF_RULE].includes(rule.found.slug)) owners.add(owner.rule)
    }
    return [...owners].filter(({ found }) => found.slug !== rule.found.slug).filter((one) => !areRelated(one, rule))
      .length
  }

  /** Lists the pages with a literal: those of the last run, and new ones; or all are searched. */
  #listPages(literal: string): readonly number[] {
    this.#needed.add(literal)
    const found = this.#pages.get(literal) ?? this.#recallPages(literal)
    if (found === null) this.#countExactly([literal])
    else {
      this.#pages.set(literal, found)
      this.#bounds.set(literal, found.length)
    }
    return this.#pages.get(literal) ?? []
  }

  #recallPages(literal: string): readonly number[] | null {
    const { files = [], pages = {} } = this.#known ?? {}
    if (!Object.hasOwn(pages, literal)) return null
    this.#positions ??= this.#locateFiles(files)
    const known: number[] = []
    for (const [file, ...numbers] of pages[literal]) {
      const position = this.#positions[file]
      if (position !== undefined) for (const number of numbers) known.push(position * PAGES_OF_RULE + number)
    }
    const [fresh] = findPages([literal], this.#all, (one) => this.#changed.has(one))
    return [...known, ...fresh]
  }

  /** Finds the positions of the rules whose files the last run has counted; undefined for those that have changed or are gone. */
  #locateFiles(files: LiteralCounts['files']): readonly (number | undefined)[] {
    const positions = new Map(this.#all.map((one, i) => [one.rule.found.file, this.#changed.has(one) ? undefined : i]))
    return files.map(([file]) => positions.get(file))
  }

  /** Tells the next run what was counted. */
  remember(memory: FileMemory): void {
    const files = this.#all.map(({ rule }) => [rule.found.file, memory.getState(rule.found)] as const)
    const pages = [...this.#needed].map((literal) => {
      const byFile = new Map<number, number[]>()
      for (const page of this.#pages.get(literal) ?? [])
        append(byFile, Math.floor(page / PAGES_OF_RULE), page % PAGES_OF_RULE)
      return [literal, [...byFile].map(([file, numbers]) => [file, ...numbers])] as const
    })
    const counts = { literals: Object.fromEntries(this.#bounds), files, pages: Object.fromEntries(pages) }
    memory.setSummary(SUMMARY, counts satisfies LiteralCounts)
  }
}

/** With more new pages, all are counted again. */
const MAX_CHANGED_PAGES = 100

/** Finds the pages with each of some literals. */
function findPages(
  literals: readonly string[],
  all: readonly RuleWithPages[],
  isSearched: (one: RuleWithPages) => boolean = () => true,
): readonly (readonly number[])[] {
  const lists = literals.map((): number[] => [])
  if (literals.length === 0) return lists
  const find = buildFinder(literals)
  for (const [position, one] of all.entries()) {
    if (!isSearched(one)) continue
    for (const [number, text] of one.readPages().entries())
      for (const literal of find(text)) lists[literal].push(position * PAGES_OF_RULE + number)
  }
  return lists
}

function buildFinder(literals: readonly string[]): (text: string) => Iterable<number> {
  if (literals.length <= MAX_SEARCHED)
    return (text) => literals.flatMap((literal, i) => (text.includes(literal) ? i : []))
  const automaton = Automaton.of(literals)
  return (text) => automaton.find(text)
}
