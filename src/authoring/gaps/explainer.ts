import { PageReader, type Value } from '../../engine/lookup/leaf-test.ts'
import type { PreparedLeaf } from '../../engine/lookup/prepared-leaf.ts'
import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { Found } from '../../engine/page/detector.ts'
import type { Page } from '../../engine/page/page-types.ts'
import { squeeze } from '../../engine/text/text.ts'
import { type Analysis, analyzePage } from '../../engine/verdict/analyze-page.ts'
import type { ScoredRule } from '../../engine/verdict/score.ts'

/** Shorter names occur in others by chance. */
const MIN_NAME = 3

/** Finds out which parts of a page the rules explain that score on it. */
export class Explainer {
  /** Name of the builder; null if none is named. */
  readonly builder: string | null
  readonly #ruleset: Ruleset
  readonly #reader: PageReader
  readonly #hits: Analysis['hits']
  /** Builders, technologies and hosting providers that score, before relations between rules leave some out. */
  readonly #scoring: ReadonlySet<ScoredRule['rule']>
  #elements: ReadonlySet<number> | undefined
  #names: ReadonlySet<string> | undefined

  constructor(ruleset: Ruleset, page: Page) {
    this.#ruleset = ruleset
    this.#reader = new PageReader(page)
    const { hits, scored, builder } = analyzePage(ruleset, page)
    this.#hits = hits
    this.#scoring = new Set(scored.filter(({ points }) => points > 0).map(({ rule }) => rule))
    this.builder = builder?.rule.name ?? null
  }

  /** Whether a clause about one of the places hits what was found there. */
  explains(places: readonly string[], found: Found): boolean {
    let isHit = false
    const visit = (item: PreparedLeaf, value: Value): void => {
      if (isHit || !item.isPositive || !this.#scoring.has(item.rule)) return
      isHit = item.accepts(value)
      if (isHit) item.takeVersion(value) // It would keep the text of the page in memory.
    }
    for (const key of places) this.#ruleset.places.get(key)?.visit(found, this.#reader, { visit })
    return isHit
  }

  /** The rules that score on the page, each as `kind/slug`. */
  get rules(): readonly string[] {
    return Array.from(this.#scoring, ({ kind, slug }) => `${kind}/${slug}`)
  }

  /** Whether a name is that of a product whose rule scores on the page: `Acme`, `acme_`, `acme.com`. */
  names(name: string): boolean {
    this.#names ??= new Set([...this.#scoring].flatMap((rule) => [squeeze(rule.name), squeeze(rule.slug)]))
    const squeezed = squeeze(name)
    return squeezed.length >= MIN_NAME && this.#names.has(squeezed)
  }

  /** Elements that clauses with a selector hit, by index. */
  get elements(): ReadonlySet<number> {
    this.#elements ??= this.#findElements()
    return this.#elements
  }

  #findElements(): ReadonlySet<number> {
    const found = new Set<number>()
    for (const { leaves } of this.#scoring)
      for (const leaf of leaves)
        if (leaf.positive && leaf.place === 'element')
          for (const at of this.#hits.get(leaf)?.places ?? []) found.add(at)
    return found
  }
}
