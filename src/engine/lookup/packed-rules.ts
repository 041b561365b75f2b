import type { CompiledRule, Leaf, RuleKind, RuleSummary } from '../rule/types.ts'
import { PackedMap, PackedMapBuilder } from '../text/packed-map.ts'
import type { Sections } from '../text/sections.ts'
import { decodeShared } from '../text/sections-file.ts'

const encoder = new TextEncoder()

/** Builders and technologies share one set of slugs; the other kinds have their own. */
const SCOPES: Readonly<Record<RuleKind, number>> = {
  builder: 0,
  technology: 0,
  hosting: 1,
  'site-type': 2,
  response: 3,
}

/**
 * The rules of a compiled ruleset: JSON, which is decoded when a rule, its summary, or one of its leaves is asked for. An ordinary page has
 * words of some hundred leaves whose rules it does not show.
 */
export class PackedRules {
  readonly #summaries: PackedLines
  readonly #matching: PackedLines
  readonly #slugs: PackedMap
  readonly #ruleOfSlug: Uint32Array
  /** Number of the first leaf of each rule, and the number of all leaves. */
  readonly #firstLeaf: Uint32Array
  readonly #decoded: (CompiledRule | undefined)[] = []
  readonly #decodedLeaves = new Map<number, Leaf>()

  constructor(sections: Sections) {
    this.#summaries = new PackedLines(sections.at('summaries'))
    this.#matching = new PackedLines(sections.at('matching'))
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
    return (this.#decoded[number] ??= this.#decode(number))
  }

  #decode(number: number): CompiledRule {
    const first = this.#firstLeaf[number]
    const values = this.#matching.get(number)
    const clauses = values.pop() as RuleClauses
    const leaves = values.map((leaf, i) => this.#keepLeaf(first + i, () => leaf as Leaf))
    return { ...this.getSummary(number), leaves, ...clauses }
  }

  /** A leaf by its number among those of all rules: the one that its rule has, too. */
  getLeaf(leaf: number): Leaf {
    return this.#keepLeaf(leaf, () => {
      const owner = this.findOwner(leaf)
      return this.#matching.getLine(owner, leaf - this.#firstLeaf[owner]) as Leaf
    })
  }

  /** Returns the leaf that was decoded first, by which hits are found. */
  #keepLeaf(number: number, decode: () => Leaf): Leaf {
    let leaf = this.#decodedLeaves.get(number)
    if (leaf === undefined) this.#decodedLeaves.set(number, (leaf = decode()))
    return leaf
  }

  /** A rule without what matches a page. It is decoded with each call. */
  getSummary(number: number): RuleSummary {
    return this.#summaries.getLine(number, 0) as RuleSummary
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

  /** Finds the number of the rule that has a leaf. */
  findOwner(leaf: number): number {
    let [from, to] = [0, this.count]
    while (to - from > 1) {
      const middle = (from + to) >> 1
      if (this.#firstLeaf[middle] <= leaf) from = middle
      else to = middle
    }
    return from
  }
}

export function packRules(rules: readonly CompiledRule[], into: Sections): void {
  const firstLeaf = new Uint32Array(rules.length + 1)
  for (const [i, { leaves }] of rules.entries()) firstLeaf[i + 1] = firstLeaf[i] + leaves.length
  const slugs = new PackedMapBuilder()
  const ruleOfSlug: number[] = []
  for (const [i, { kind, slug }] of rules.entries()) ruleOfSlug[slugs.add(slug, SCOPES[kind])] = i
  const parts = rules.map(({ leaves, clauses, typeClauses, ...summary }) => {
    return { summary: [summary], matching: [...leaves, { clauses, typeClauses } satisfies RuleClauses] }
  })
  packLines(
    parts.map(({ summary }) => summary),
    into.at('summaries'),
  )
  packLines(
    parts.map(({ matching }) => matching),
    into.at('matching'),
  )
  into.put('firstLeaf', firstLeaf)
  slugs.pack(into.at('slugs'))
  into.put('ruleOfSlug', Uint32Array.from(ruleOfSlug))
}

/** What a rule has besides its summary and its leaves. */
type RuleClauses = Omit<CompiledRule, keyof RuleSummary | 'leaves'>

/** Lists of values as JSON, one value to a line: JSON escapes line breaks. The lists are one after the other in one array. */
class PackedLines {
  readonly #starts: Uint32Array
  readonly #json: Uint8Array

  constructor(sections: Sections) {
    this.#starts = sections.words('starts')
    this.#json = sections.bytes('json')
  }

  get count(): number {
    return this.#starts.length - 1
  }

  get(number: number): unknown[] {
    const text = decodeShared(this.#getBytes(number))
    return JSON.parse(`[${text.replaceAll('\n', ',')}]`) as unknown[]
  }

  /** One value of a list. */
  getLine(number: number, line: number): unknown {
    const bytes = this.#getBytes(number)
    let from = 0
    for (let i = 0; i < line; i++) from = bytes.indexOf(LINE_FEED, from) + 1
    const to = bytes.indexOf(LINE_FEED, from)
    return JSON.parse(decodeShared(bytes.subarray(from, to < 0 ? bytes.length : to)))
  }

  #getBytes(number: number): Uint8Array {
    return this.#json.subarray(this.#starts[number], this.#starts[number + 1])
  }
}

const LINE_FEED = 10

function packLines(lists: readonly (readonly object[])[], into: Sections): void {
  const texts = lists.map((values) => encoder.encode(values.map((value) => JSON.stringify(value)).join('\n')))
  const starts = new Uint32Array(texts.length + 1)
  for (const [i, { length }] of texts.entries()) starts[i + 1] = starts[i] + length
  const json = new Uint8Array(starts[texts.length])
  for (const [i, text] of texts.entries()) json.set(text, starts[i])
  into.put('starts', starts)
  into.put('json', json)
}
