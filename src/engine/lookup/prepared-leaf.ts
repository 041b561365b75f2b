import type { WordKind } from '../rule/place.ts'
import type { CompiledRule, Leaf } from '../rule/types.ts'
import { cutLine, MAX_VERSION } from '../text/bounds.ts'
import { buildExactWordTest, buildPattern, buildTests, type Test, type Value } from './leaf-test.ts'

/** What a leaf does not say of itself. */
interface LeafContext {
  /** What the words of its place are. */
  readonly kind: WordKind
  readonly isOfSiteType: boolean
  readonly maxWords: number
  /** Decodes its rule, which most pages with a word of the leaf do not need. */
  readonly readRule: () => CompiledRule
}

/** A leaf with its rule and its tests. */
export class PreparedLeaf {
  readonly leaf: Leaf
  // Properties that are read for every hit, copied because leaves and rules have different hidden classes.
  /** Number of hits that the leaf needs. */
  readonly least: number
  readonly isPositive: boolean
  readonly isOfSiteType: boolean
  readonly countsSiblings: boolean
  /** The number of visible words of a page from which on its clause never holds. */
  readonly maxWords: number
  readonly #kind: WordKind
  readonly #readRule: () => CompiledRule
  readonly #version: Leaf['version']
  #tests: readonly Test[] | undefined
  #pattern: RegExp | undefined
  /** What the pattern found in the value that was tested last. */
  #match: RegExpExecArray | null = null

  constructor(leaf: Leaf, { kind, isOfSiteType, maxWords, readRule }: LeafContext) {
    this.leaf = leaf
    this.least = leaf.atLeast ?? 1
    this.isPositive = leaf.positive
    this.isOfSiteType = isOfSiteType
    this.maxWords = maxWords
    this.countsSiblings = leaf.siblingId !== undefined
    this.#version = leaf.version
    this.#kind = kind
    this.#readRule = readRule
  }

  get rule(): CompiledRule {
    return this.#readRule()
  }

  /** Whether a value passes all tests. They are built on first use: on most pages no value reaches most leaves. */
  accepts(value: Value): boolean {
    this.#tests ??= this.#prepareTests()
    for (const test of this.#tests) if (!test(value)) return false
    if (this.#pattern === undefined) return true
    if (!this.#version) return this.#pattern.test(value.text)
    this.#match = this.#pattern.exec(value.text)
    return this.#match !== null
  }

  /** Takes the version of the value that `accepts` has just accepted: one line of at most `MAX_VERSION` characters. */
  takeVersion({ found }: Value): string | undefined {
    const text = this.#version === undefined ? found.version : this.#takeGroup(this.#version)
    return text && cutLine(text, MAX_VERSION)
  }

  #takeGroup(version: number | false | string): string | undefined {
    const match = this.#match
    this.#match = null // It would keep the text of the page in memory.
    if (version === false) return undefined
    if (typeof version === 'string') return fillTemplate(version, match ?? [])
    return match?.[version]
  }

  /** Prepares the tests and the pattern. If case matters, the word is tested first. */
  #prepareTests(): readonly Test[] {
    const { leaf } = this
    this.#pattern = buildPattern(leaf)
    const tests = buildTests(leaf)
    return leaf.exact ? [buildExactWordTest(leaf, this.#kind), ...tests] : tests
  }
}

/** Whether a leaf is under a `not` and has no test but a number of hits, so that every value of its words is a hit. */
export function isBareNegation({ positive, words, is, has, under, match, from, attr, exact }: Leaf): boolean {
  if (positive || exact || words.some((word) => word.endsWith('*'))) return false
  return [is, has, under, match, from, attr].every((test) => test === undefined)
}

/** A choice by a group, up to the end of the template: `\1?a:b`. */
const CHOICE = /\\(\d)\?([^:]{0,99}):(.*)$/s

/**
 * Fills the template of a version with the groups of a match: `\1.\2`, or `\1?a:b`, which is a if group 1 matched something and b
 * otherwise.
 * @returns undefined if nothing is left
 */
function fillTemplate(template: string, groups: readonly (string | undefined)[]): string | undefined {
  const chosen = template.replace(CHOICE, (_, group: string, then: string, other: string) =>
    groups[Number(group)] ? then : other,
  )
  const text = chosen.replace(/\\(\d)/g, (_, group: string) => groups[Number(group)] ?? '').trim()
  return text === '' ? undefined : text
}
