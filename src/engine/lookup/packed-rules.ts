import type { CompiledRule, RuleKind, RuleSummary } from '../rule/types.ts'
import { PackedMap, PackedMapBuilder } from '../text/packed-map.ts'
import type { Sections } from '../text/sections.ts'

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/** Builders and technologies share one set of slugs; the other kinds have their own. */
const SCOPES: Readonly<Record<RuleKind, number>> = {
  builder: 0,
  technology: 0,
  hosting: 1,
  'site-type': 2,
  response: 3,
}

/** The rules of a compiled ruleset: JSON, which is decoded when a rule, or its summary alone, is asked for. */
export class PackedRules {
  readonly #summaries: PackedJson
  readonly #matching: PackedJson
  readonly #slugs: PackedMap
  readonly #ruleOfSlug: Uint32Array
  /** Number of the first leaf of each rule, and the number of all leaves. */
  readonly #firstLeaf: Uint32Array
  readonly #decoded: (CompiledRule | undefined)[] = []

  constructor(sections: Sections) {
    this.#summaries = new PackedJson(sections.at('summaries'))
    this.#matching = new PackedJson(sections.at('matching'))
    this.#slugs = new PackedMap(sections.at('slugs'))
    this.#ruleOfSlug = sections.words('ruleOfSlug')
    this.#firstLeaf = sections.words('firstLeaf')
  }

  get count(): number {
    return this.#summaries.count
  }

  /** Number of the leaves of all rules. */
  get leafCount(): number {
    return this.#firstLeaf[this.count]
  }

  get(number: number): CompiledRule {
    return (this.#decoded[number] ??= {
      ...this.getSummary(number),
      ...(this.#matching.get(number) as Omit<CompiledRule, keyof RuleSummary>),
    })
  }

  /** A rule without what matches a page. It is decoded with each call. */
  getSummary(number: number): RuleSummary {
    return this.#summaries.get(number) as RuleSummary
  }

  /** The summaries of all rules, in the order of their numbers: about 10 ms. */
  listSummaries(): RuleSummary[] {
    return Array.from({ length: this.count }, (_, number) => this.getSummary(number))
  }

  /** Finds a rule by its slug and kind, where builders and technologies are one kind. */
  find(slug: string, kind: RuleKind): CompiledRule | undefined {
    const found = this.#slugs.find(slug, 0, slug.length, SCOPES[kind])
    return found < 0 ? undefined : this.get(this.#ruleOfSlug[found])
  }

  /** Finds the rule of a leaf, and the place of the leaf in it. */
  findLeaf(leaf: number): { readonly rule: CompiledRule; readonly position: number } {
    let [from, to] = [0, this.count]
    while (to - from > 1) {
      const middle = (from + to) >> 1
      if (this.#firstLeaf[middle] <= leaf) from = middle
      else to = middle
    }
    return { rule: this.get(from), position: leaf - this.#firstLeaf[from] }
  }
}

export function packRules(rules: readonly CompiledRule[], into: Sections): void {
  const firstLeaf = new Uint32Array(rules.length + 1)
  for (const [i, { leaves }] of rules.entries()) firstLeaf[i + 1] = firstLeaf[i] + leaves.length
  const slugs = new PackedMapBuilder()
  const ruleOfSlug: number[] = []
  for (const [i, { kind, slug }] of rules.entries()) ruleOfSlug[slugs.add(slug, SCOPES[kind])] = i
  const parts = rules.map(splitRule)
  packJson(
    parts.map(({ summary }) => summary),
    into.at('summaries'),
  )
  packJson(
    parts.map(({ matching }) => matching),
    into.at('matching'),
  )
  into.put('firstLeaf', firstLeaf)
  slugs.pack(into.at('slugs'))
  into.put('ruleOfSlug', Uint32Array.from(ruleOfSlug))
}

/** Separates what matches a page, which is most of a rule, from its summary. */
function splitRule({ leaves, clauses, typeClauses, ...summary }: CompiledRule): {
  readonly summary: RuleSummary
  readonly matching: Omit<CompiledRule, keyof RuleSummary>
} {
  return { summary, matching: { leaves, clauses, typeClauses } }
}

/** Values as JSON, one after the other in one array. */
class PackedJson {
  readonly #starts: Uint32Array
  readonly #json: Uint8Array

  constructor(sections: Sections) {
    this.#starts = sections.words('starts')
    this.#json = sections.bytes('json')
  }

  get count(): number {
    return this.#starts.length - 1
  }

  get(number: number): unknown {
    // A decoder of browsers does not read shared memory, so the slice is copied.
    return JSON.parse(decoder.decode(this.#json.slice(this.#starts[number], this.#starts[number + 1])))
  }
}

function packJson(values: readonly object[], into: Sections): void {
  const texts = values.map((value) => encoder.encode(JSON.stringify(value)))
  const starts = new Uint32Array(texts.length + 1)
  for (const [i, { length }] of texts.entries()) starts[i + 1] = starts[i] + length
  const json = new Uint8Array(starts[texts.length])
  for (const [i, text] of texts.entries()) json.set(text, starts[i])
  into.put('starts', starts)
  into.put('json', json)
}
