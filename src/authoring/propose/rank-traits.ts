import { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { Detector } from '../../engine/page/detector.ts'
import { buildPage } from '../../engine/page/page.ts'
import type { Page } from '../../engine/page/page-types.ts'
import { indexPlaces } from '../../engine/rule/clause.ts'
import { compileRule } from '../../engine/rule/compile.ts'
import type { ClauseSource, CompiledRule, RuleKind, RuleSource } from '../../engine/rule/types.ts'
import { detect } from '../../engine/verdict/detect.ts'
import { findCodeTraits } from './code-traits.ts'
import type { KnownPages } from './known-pages.ts'
import { findMarkupTraits, readMetaProducts } from './markup-traits.ts'
import { findPrefixTraits } from './prefix-traits.ts'
import { findResponseTraits } from './response-traits.ts'
import { buildTestPage } from './test-pages.ts'
import type { Trait } from './trait.ts'
import { findUrlTraits } from './url-traits.ts'
import { Vocabulary } from './vocabulary.ts'
import { buildWordFilter } from './word-filter.ts'

/** The data that a proposal is compared with: the other rules and their test pages. */
export interface KnownRules {
  readonly ruleset: Ruleset
  readonly detectors: readonly Detector[]
  readonly pages: readonly KnownPages[]
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

/** Bits that are added to the rarity of a trait that names the product. */
const VENDOR_BITS = 20
/** Places that can prove where a site runs. */
const HOSTING_PLACES = ['url', 'header', 'cookie', 'dns', 'tls', 'status']
/** A name that more test files contain belongs to no single product. */
const MAX_FILES = 20
/** A word that more test files contain is not checked any closer: its clause counts as generic. */
const MAX_NEAR_PAGES = 40

/**
 * Finds what is unusual on a page, in comparison with the test pages of all other rules: those that name the product first,
 * then by rarity. What another rule already looks for is omitted, and so is everything that also holds on other test pages.
 */
export function rankTraits(page: Page, rule: NewRule, known: KnownRules): RankedTrait[] {
  const vocabulary = new Vocabulary(known.pages.map(({ text }) => text))
  const products = readMetaProducts(page)
    .map(({ product }) => product.name)
    .filter((name) => shareWord(name, rule.slug))
  const filter = buildWordFilter(page, { slug: rule.slug, products, vocabulary })
  const all = [
    ...findMarkupTraits(page, filter),
    ...findPrefixTraits(page, filter),
    ...findUrlTraits(page, filter),
    ...findResponseTraits(page, filter),
    ...findCodeTraits(page, filter),
  ].filter(({ clause }) => rule.kind !== 'hosting' || HOSTING_PLACES.some((place) => place in clause))
  const unique = [...new Map(all.map((trait) => [JSON.stringify(trait.clause).toLowerCase(), trait])).values()]
  const isNew = (trait: Trait): boolean =>
    vocabulary.countRarest(trait.name) <= MAX_FILES &&
    !isOfOtherRule(trait, known) &&
    !holdsElsewhere(trait, rule, known)
  const ranked = unique.map((trait): RankedTrait => {
    const isOfVendor = filter.isOfVendor(trait.name)
    const [{ weight }] = compileClause(trait.clause, rule, known).clauses
    // Third-party pages show pictures of a vendor, so the author decides whether a clause that does not name the
    // product may be strong.
    const mayBeStrong = isOfVendor && !('asset' in trait.clause && trait.clause.from === undefined)
    const clause = weight === 'strong' && !mayBeStrong ? { ...trait.clause, weight: 'medium' } : trait.clause
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

/** Whether the clause of a trait also holds on a known page. Only pages whose text contains its longest word are parsed. */
function holdsElsewhere({ clause, name, isShared = false }: Trait, rule: NewRule, known: KnownRules): boolean {
  const words = name.toLowerCase().split(/[^a-z0-9]+/)
  const longest = words.reduce((a, b) => (b.length > a.length ? b : a))
  // The beginning of names is short, so it is searched with the character that ends it.
  const needle = isShared ? name.toLowerCase() : longest
  const near = known.pages.filter(({ text }) => text.toLowerCase().includes(needle))
  if (near.length === 0) return false
  if (near.length > MAX_NEAR_PAGES) return true
  const rules = [compileClause(clause, rule, known)]
  const ruleset = Ruleset.of({ rules, categories: known.ruleset.categories, version: '' }, known.detectors)
  const inputs = near.flatMap(({ readInputs }) => readInputs())
  return inputs.some((input) => detect(ruleset, buildPage(input)).evidence.length > 0)
}
