import { Automaton } from '../engine/text/automaton.ts'
import { append } from '../engine/text/lists.ts'
import { lower } from '../engine/text/text.ts'
import { areRelated } from '../rules/checks/overlap-checks.ts'
import type { CheckedRule } from '../rules/checks/rule-checks.ts'
import type { FileMemory } from '../rules/load/file-memory.ts'

/** The pages of the test of a rule. */
export interface RulePages {
  /** Their names and texts, and the slugs of other rules that rightly fire. */
  readonly pages: readonly { readonly text: string; readonly also: readonly string[] }[]
}

type RuleWithPages = RulePages & { readonly rule: CheckedRule }

/** What a run tells the next one. It survives JSON. */
interface LiteralCounts {
  /** For each literal in lower case, a number of pages: no fewer than those that contain it. */
  readonly literals: Readonly<Record<string, number>>
  /** The files of the rules whose pages were counted, and their states. */
  readonly states: Readonly<Record<string, string>>
}

/**
 * Share of the rules whose test pages contain a word that says nothing about a product, and the minimum of such rules. Of the
 * 1,476 words of the 323 rules of November 2026, the most common that no rarer word accompanies is on pages of 4 other rules
 * (1.2 %), while `.container`, `/main.js`, `session` and `x-powered-by` are on those of 8 to 23.
 */
const GENERIC_SHARE = 0.02
const MIN_GENERIC_RULES = 5
const SUMMARY = 'pages with words'
/** With more changed pages, one automaton of all literals is faster than a search for each literal. */
const MAX_CHANGED_PAGES = 100

/** Counts the rules whose pages contain words. */
export class RuleWordCounter {
  /** Part → pages that contain it, by index. A part that is on too few pages to be generic may have none. */
  readonly #pages: ReadonlyMap<string, number[]>
  /** The rule of each page, and the slugs of those that rightly fire on it. */
  readonly #owners: { readonly rule: CheckedRule; readonly also: readonly string[] }[] = []

  /** Number of rules from which a word is generic. */
  readonly minGeneric: number

  /** @param memory of earlier runs, with which only parts that may be generic are looked for in pages that did not change */
  constructor(parts: ReadonlySet<string>, all: readonly RuleWithPages[], memory?: FileMemory) {
    this.minGeneric = Math.max(MIN_GENERIC_RULES, Math.ceil(all.length * GENERIC_SHARE))
    this.#pages = new Map([...parts].map((part) => [part, []]))
    // Parts that differ only in case are one literal.
    const byLiteral = new Map<string, number[][]>()
    for (const [part, pages] of this.#pages) append(byLiteral, lower(part), pages)
    const bounds = memory === undefined ? null : boundCounts([...byLiteral.keys()], all, memory)
    const searched = [...byLiteral].filter(([literal]) => (bounds?.get(literal) ?? this.minGeneric) >= this.minGeneric)
    this.#findPages(searched, all)
    if (memory === undefined) return
    const exact = searched.map(([literal, [pages]]) => [literal, pages.length] as const)
    memory.setSummary(SUMMARY, {
      literals: Object.fromEntries([...(bounds ?? []), ...exact]),
      states: Object.fromEntries(all.map(({ rule }) => [rule.found.file, memory.getState(rule.found)])),
    } satisfies LiteralCounts)
  }

  /** Adds the pages that contain a literal to the lists of its parts. */
  #findPages(literals: readonly (readonly [string, readonly number[][]])[], all: readonly RuleWithPages[]): void {
    const automaton = Automaton.of(literals.map(([literal]) => literal))
    const lists = literals.map(([, list]) => list)
    for (const { rule, pages } of all)
      for (const { text, also } of pages) {
        const page = this.#owners.push({ rule, also }) - 1
        for (const literal of automaton.find(text)) for (const pages of lists[literal]) pages.push(page)
      }
  }

  /** Whether each part of a word is on enough pages for the word to be generic, which few words are. */
  isFrequent({ parts }: { readonly parts: readonly string[] }): boolean {
    return parts.every((part) => (this.#pages.get(part)?.length ?? 0) >= this.minGeneric)
  }

  /**
   * Counts the rules that have a page with all parts of a frequent word, except `rule`, those related to it, and pages on which it
   * rightly fires.
   */
  count({ parts }: { readonly parts: readonly string[] }, rule: CheckedRule): number {
    const lists = parts.map((part) => this.#pages.get(part) ?? []).sort((a, b) => a.length - b.length)
    const [rarest = [], ...others] = lists
    const sets = others.map((list) => new Set(list))
    const pages = rarest.filter((page) => sets.every((set) => set.has(page)))
    const strange = pages.map((page) => this.#owners[page]).filter(({ also }) => !also.includes(rule.found.slug))
    const owners = new Set(strange.map((owner) => owner.rule))
    return [...owners].filter(({ found }) => found.slug !== rule.found.slug).filter((one) => !areRelated(one, rule))
      .length
  }
}

/**
 * Bounds the number of pages that contain each literal: the number of the last run, and the changed pages with it. Pages that are gone
 * stay in the number until the literal is counted again.
 * @returns the bounds of literals that the last run knew; null if all have to be counted
 */
function boundCounts(
  literals: readonly string[],
  all: readonly RuleWithPages[],
  memory: FileMemory,
): ReadonlyMap<string, number> | null {
  const known = memory.getSummary<LiteralCounts>(SUMMARY)
  if (known === undefined) return null
  const before = new Map(Object.entries(known.literals))
  const states = new Map(Object.entries(known.states))
  const changed = all.filter(({ rule }) => states.get(rule.found.file) !== memory.getState(rule.found))
  const texts = changed.flatMap(({ pages }) => pages.map(({ text }) => lower(text)))
  if (texts.length > MAX_CHANGED_PAGES) return null
  return new Map(
    literals.flatMap((literal) => {
      const count = before.get(literal)
      if (count === undefined) return []
      return [[literal, count + texts.filter((text) => text.includes(literal)).length]]
    }),
  )
}
