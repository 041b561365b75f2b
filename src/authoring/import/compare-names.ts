import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../../engine/page/page.ts'
import type { Page } from '../../engine/page/page-types.ts'
import { analyzePage } from '../../engine/verdict/analyze-page.ts'
import { rankLevel, type ScoredRule } from '../../engine/verdict/score.ts'
import { findNearClauses } from '../../rules/near-clauses.ts'

/** An imported rule. */
export interface ImportedRule {
  readonly slug: string
  readonly name: string
  readonly file: string
}

/** A technology that only one of the two names on a page. */
interface NameDifference {
  readonly page: string
  readonly name: string
  /** `missing`: only the other tool names it. `other`: only the imported rules do. */
  readonly kind: 'missing' | 'other'
  /** File of the rule; null if there is none. */
  readonly file: string | null
  /** The clauses concerned, and why they do or do not count. */
  readonly reason: string
}

/** What imported rules and another tool name on the same pages. */
export interface NamesComparison {
  readonly pages: number
  /** Number of namings: of both, of the other tool only, of the imported rules only. */
  readonly both: number
  readonly missing: number
  readonly others: number
  readonly differences: readonly NameDifference[]
}

/** Number of clauses that a reason shows, and of characters of what one found. */
const MAX_CLAUSES = 3
const MAX_TEXT_CHARACTERS = 120

/** Compares page by page. Only levels of medium and above count, as in a result. */
export class ImportComparer {
  readonly #ruleset: Ruleset
  readonly #bySlug: ReadonlyMap<string, ImportedRule>
  readonly #byName: ReadonlyMap<string, ImportedRule>
  readonly #differences: NameDifference[] = []
  #pages = 0
  #both = 0

  constructor(ruleset: Ruleset, rules: readonly ImportedRule[]) {
    this.#ruleset = ruleset
    this.#bySlug = new Map(rules.map((rule) => [rule.slug, rule]))
    this.#byName = new Map(rules.map((rule) => [rule.name.toLowerCase(), rule]))
  }

  /** @param names what the other tool named on the page */
  add(id: string, input: PageInput, names: readonly string[]): void {
    this.#pages++
    const page = buildPage(input)
    const { products } = analyzePage(this.#ruleset, page)
    const wanted = new Map(names.map((name) => [name.toLowerCase(), name]))
    for (const [key, name] of wanted) {
      const rule = this.#byName.get(key)
      const scored = rule && products.get(rule.slug)
      if (scored && isNamed(scored)) this.#both++
      else
        this.#differences.push({
          page: id,
          name,
          kind: 'missing',
          file: rule?.file ?? null,
          reason: rule === undefined ? 'no imported rule has this name' : this.#explainMissing(rule, scored, page),
        })
    }
    for (const [slug, scored] of products) {
      const rule = this.#bySlug.get(slug)
      if (rule === undefined || !isNamed(scored) || wanted.has(rule.name.toLowerCase())) continue
      const { name, file } = rule
      this.#differences.push({ page: id, name, kind: 'other', file, reason: explainNamed(scored) })
    }
  }

  finish(): NamesComparison {
    const missing = this.#differences.filter(({ kind }) => kind === 'missing').length
    return {
      pages: this.#pages,
      both: this.#both,
      missing,
      others: this.#differences.length - missing,
      differences: this.#differences,
    }
  }

  #explainMissing({ slug }: ImportedRule, scored: ScoredRule | undefined, page: Page): string {
    if (scored !== undefined && scored.points > 0)
      return `${scored.note ?? `only ${scored.points} points`}: ${explainNamed(scored)}`
    const rule = this.#ruleset.bySlug.get(slug)
    if (rule === undefined || rule.clauses.length === 0)
      return 'the rule has no clauses: only rules that imply it name it'
    const near = findNearClauses(rule, page, this.#ruleset).slice(0, MAX_CLAUSES)
    if (near.length > 0)
      return `no clause holds; near: ${near.map(({ text, found }) => `${text}, found ${cut(found[0])}`).join('; ')}`
    const clauses = rule.clauses.slice(0, MAX_CLAUSES).map(({ text }) => text)
    const more = rule.clauses.length - clauses.length
    return `no clause holds: ${clauses.join('; ')}${more > 0 ? ` and ${more} more` : ''}`
  }
}

function isNamed({ level }: ScoredRule): boolean {
  return rankLevel(level) >= rankLevel('medium')
}

/** The clauses that hold, with what they found. */
function explainNamed(scored: ScoredRule): string {
  const { clauses } = scored.explain()
  if (clauses.length === 0) return scored.note ?? 'no clause of its own'
  const shown = clauses.slice(0, MAX_CLAUSES)
  return shown.map(({ clause, texts }) => `${clause} found ${cut(texts[0] ?? '')}`).join('; ')
}

function cut(text: string): string {
  return JSON.stringify(text.length > MAX_TEXT_CHARACTERS ? `${text.slice(0, MAX_TEXT_CHARACTERS)}…` : text)
}
