import { readFileSync } from 'node:fs'
import { Ruleset } from '../../engine/lookup/ruleset.ts'
import { buildPage } from '../../engine/page/page.ts'
import type { Page } from '../../engine/page/page-types.ts'
import { indexPlaces } from '../../engine/rule/clause.ts'
import { compileRule } from '../../engine/rule/compile.ts'
import type { ClauseSource, CompiledRule, RuleKind, RuleSource } from '../../engine/rule/types.ts'
import { detect } from '../../engine/verdict/detect.ts'
import type { FoundRule } from '../discover.ts'
import { readFixtures } from '../fixtures.ts'
import { findCodeTraits } from './code-traits.ts'
import { findMarkupTraits, readMetaProducts } from './markup-traits.ts'
import { findResponseTraits } from './response-traits.ts'
import { buildTestPage } from './test-pages.ts'
import type { Trait } from './trait.ts'
import { findUrlTraits } from './url-traits.ts'
import { Vocabulary } from './vocabulary.ts'
import { buildWordFilter } from './word-filter.ts'

/** What a proposal is compared with: the other rules and their test files. */
export interface KnownRules {
  readonly ruleset: Ruleset
  readonly detectors: ConstructorParameters<typeof Ruleset>[0]['detectors']
  readonly tests: readonly FoundRule[]
  /** Further ordinary pages, as HTML. */
  readonly pages: readonly string[]
}

/** A trait that can be a clause of the new rule. */
export interface RankedTrait extends Trait {
  /** Whether its words contain the name of the product. */
  readonly isOfVendor: boolean
  readonly rarity: number
}

/** The kind and slug of the new rule. */
export interface NewRule {
  readonly kind: RuleKind
  readonly slug: string
}

/** Bits by which a trait that names the product is ahead of one that does not. */
const VENDOR_BITS = 20
/** Places that can prove where a site runs. */
const HOSTING_PLACES = ['url', 'header', 'cookie', 'dns', 'tls', 'status']
/** A name that more test files contain belongs to no single product. */
const MAX_FILES = 20

/**
 * Finds what is unusual on a page, in comparison with the test pages of all other rules: those that name the product first,
 * then by rarity. What another rule already looks for is omitted, and so is everything that also holds on other test pages.
 */
export function rankTraits(page: Page, rule: NewRule, known: KnownRules): RankedTrait[] {
  const texts = known.tests
    .filter(({ hasTest }) => hasTest)
    .map((found) => ({ found, text: readFileSync(found.testFile, 'utf8') }))
  const vocabulary = new Vocabulary([...texts.map(({ text }) => text), ...known.pages])
  const products = readMetaProducts(page)
    .map(({ product }) => product.name)
    .filter((name) => shareWord(name, rule.slug))
  const filter = buildWordFilter(page, { slug: rule.slug, products, vocabulary })
  const all = [
    ...findMarkupTraits(page, filter),
    ...findUrlTraits(page, filter),
    ...findResponseTraits(page, filter),
    ...findCodeTraits(page, filter),
  ].filter(({ clause }) => rule.kind !== 'hosting' || HOSTING_PLACES.some((place) => place in clause))
  const unique = [...new Map(all.map((trait) => [JSON.stringify(trait.clause).toLowerCase(), trait])).values()]
  const isNew = (trait: Trait): boolean =>
    vocabulary.countRarest(trait.name) <= MAX_FILES &&
    !isOfOtherRule(trait, known) &&
    !holdsElsewhere(trait, rule, { known, texts })
  const ranked = unique.map((trait): RankedTrait => {
    const isOfVendor = filter.isOfVendor(trait.name)
    const [{ weight }] = compileClause(trait.clause, rule, known).clauses
    // Whether a clause that does not name the product may be strong is for the author to decide.
    const clause = weight === 'strong' && !isOfVendor ? { ...trait.clause, weight: 'medium' } : trait.clause
    const rarity = vocabulary.computeRarity(trait.name) + (isOfVendor ? VENDOR_BITS : 0)
    return { ...trait, clause, isOfVendor, rarity }
  })
  return ranked.sort((a, b) => b.rarity - a.rarity).filter(isNew)
}

function shareWord(name: string, slug: string): boolean {
  const squeezed = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  return slug.split('-').some((part) => squeezed.includes(part)) || slug.replaceAll('-', '').includes(squeezed)
}

/** Compiles a rule that has one clause. */
function compileClause(clause: ClauseSource, rule: NewRule, { detectors }: KnownRules): CompiledRule {
  return compileNewRule([clause], rule, detectors)
}

/** Compiles the clauses of the new rule, whose other keys the author still has to fill in. */
export function compileNewRule(
  detect: readonly ClauseSource[],
  { kind, slug }: NewRule,
  detectors: KnownRules['detectors'],
): CompiledRule {
  const source: RuleSource = { kind, slug, name: slug, detect, source: [], verified: '' }
  return compileRule(source, indexPlaces(detectors))
}

/** Whether another rule already finds the trait. Site types may share words with any rule. */
function isOfOtherRule({ shown }: Trait, { ruleset }: KnownRules): boolean {
  const { evidence } = detect(ruleset, buildPage(buildTestPage([shown], '')))
  return evidence.some(({ kind, points }) => kind !== 'site-type' && points > 0)
}

interface Elsewhere {
  readonly known: KnownRules
  readonly texts: readonly { readonly found: FoundRule; readonly text: string }[]
}

/** Whether the clause of a trait also holds on a test page of another rule. Only files that contain its name are read. */
function holdsElsewhere({ clause, name }: Trait, rule: NewRule, { known, texts }: Elsewhere): boolean {
  const longest = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .sort((a, b) => b.length - a.length)[0]
  const near = texts.filter(({ text }) => text.toLowerCase().includes(longest)).map(({ found }) => found)
  if (near.length === 0) return false
  if (near.length > MAX_FILES * 2) return true
  const ruleset = new Ruleset({
    rules: [compileClause(clause, rule, known)],
    categories: known.ruleset.categories,
    detectors: known.detectors,
    version: '',
  })
  const pages = near.flatMap((found) => readFixtures(found).fixtures)
  return pages.some(({ input }) => detect(ruleset, buildPage(input)).evidence.length > 0)
}
