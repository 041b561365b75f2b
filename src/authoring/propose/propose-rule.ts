import { Ruleset } from '../../engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../../engine/page/page.ts'
import type { Page } from '../../engine/page/page-types.ts'
import { detect } from '../../engine/verdict/detect.ts'
import { computeLevel } from '../../engine/verdict/score.ts'
import { formatPlaceholder } from '../../rules/placeholders.ts'
import { formatClause, formatKeys } from '../format-yaml.ts'
import { compileNewRule, type KnownRules, type NewRule, type RankedTrait, rankTraits } from './rank-traits.ts'
import { buildNearMiss, buildTestPage } from './test-pages.ts'
import { findDomain, type Trait } from './trait.ts'

/** Maximum number of clauses of the new rule, and of clauses that are only listed in a comment. */
const MAX_CLAUSES = 6
const MAX_UNNAMED_CLAUSES = 3
const MAX_OTHERS = 20
/** Maximum number of clauses on markup that do not name the product, next to others that do. */
const MAX_SHARED_CLAUSES = 2
/** Maximum number of characters of a page in which the name of the product is searched. */
const MAX_SEARCHED_CHARACTERS = 512 * 1024
/** Maximum number of clauses of one place: more of them would be the same kind of proof. */
const MAX_PER_PLACE = 2

/** The arguments of `rules new`. */
export interface ProposalRequest extends NewRule {
  /** Builders: null if the author has to choose it. */
  readonly category: string | null
  /** What the rule is about: becomes the first clause. */
  readonly lead?: Trait
}

/** The texts of a rule file and its test file, and how many clauses they propose. */
export interface Proposal {
  readonly rule: string
  readonly test: string
  readonly clauses: number
  readonly others: number
}

/**
 * Proposes a rule for the product that a page was made with. Of the page, the texts contain only words that name the
 * product, names in code, and third-party hosts. What the author has to decide is a placeholder.
 * @returns null if the page shows nothing unusual
 */
export function proposeRule(input: PageInput, request: ProposalRequest, known: KnownRules): Proposal | null {
  const page = buildPage(input)
  const ranked = rankTraits(page, request, known)
  const lead = request.lead === undefined ? [] : [rankFirst(request.lead)]
  const clauses = lead.map(({ clause }) => JSON.stringify(clause))
  const chosen = [...lead, ...chooseTraits(ranked).filter(({ clause }) => !clauses.includes(JSON.stringify(clause)))]
  if (chosen.length === 0) return null
  const others = ranked.filter((trait) => !chosen.includes(trait)).slice(0, MAX_OTHERS)
  const name = findName(page, request.slug)
  return {
    rule: formatRuleFile({ page, name, chosen, others, request, known }),
    test: formatTestFile({ name, chosen, request, known }),
    clauses: chosen.length,
    others: others.length,
  }
}

function rankFirst(trait: Trait): RankedTrait {
  return { ...trait, isOfVendor: true, rarity: Number.POSITIVE_INFINITY }
}

/** Chooses the clauses: those that name the product; if there is none, the rarest others. */
function chooseTraits(ranked: readonly RankedTrait[]): RankedTrait[] {
  const named = ranked.filter(({ isOfVendor }) => isOfVendor)
  const pool = named.length > 0 ? named : ranked
  const perPlace = new Map<string, number>()
  const chosen = pool.filter(({ clause }) => {
    const [place] = Object.keys(clause)
    const count = (perPlace.get(place) ?? 0) + 1
    perPlace.set(place, count)
    return count <= MAX_PER_PLACE
  })
  if (named.length === 0) return chosen.slice(0, MAX_UNNAMED_CLAUSES)
  // Markup stays when a site moves its files, so what many names of the page share is proposed although it does not name the product.
  const shared = ranked.filter((trait) => !trait.isOfVendor && (trait.isShared || isGenerator(trait)))
  return [...chosen.slice(0, MAX_CLAUSES), ...shared.slice(0, MAX_SHARED_CLAUSES)]
}

/** Whether a trait is the generator of the page, whose name may differ from that of the product. */
function isGenerator({ clause }: RankedTrait): boolean {
  return clause.meta === 'generator'
}

/** Finds how the page writes the name of the product, most often; null if it does not, or only in lower case. */
function findName({ html }: Page, slug: string): string | null {
  const text = html.slice(0, MAX_SEARCHED_CHARACTERS)
  const [squeezed, most] = [slug.replaceAll('-', ''), slug.split('-').length]
  const runs = [...text.matchAll(/[a-z0-9]+/gi)]
  const counts = new Map<string, number>()
  for (const [i, { index, 0: first }] of runs.entries()) {
    if (!/^[A-Z]/.test(first)) continue
    // Between two parts there may be one character: `Bolt.new`.
    for (const last of runs.slice(i, i + most)) {
      const spelling = text.slice(index, last.index + last[0].length)
      const isName =
        spelling.replace(/[ .-]/g, '').toLowerCase() === squeezed && spelling.length < squeezed.length + most
      if (isName) counts.set(spelling, (counts.get(spelling) ?? 0) + 1)
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null
}

interface RuleParts {
  readonly page: Page
  readonly name: string | null
  readonly chosen: readonly RankedTrait[]
  readonly others: readonly RankedTrait[]
  readonly request: ProposalRequest
  readonly known: KnownRules
}

function formatRuleFile({ page, name, chosen, others, request, known }: RuleParts): string {
  const site = findWebsite(page, request.slug)
  const categories = Object.keys(known.ruleset.categories.builders).join(', ')
  const keys = {
    name: name ?? formatPlaceholder('the name of the product, as the vendor writes it'),
    ...(request.kind !== 'site-type' && {
      website: formatPlaceholder(`the address of the vendor's website${site ? `, perhaps ${site}` : ''}`),
    }),
    ...(request.kind === 'builder' && {
      category: request.category ?? formatPlaceholder(`one of ${categories}`),
      aiNative: formatPlaceholder('true if a model creates the site, otherwise false'),
    }),
  }
  const evidence = {
    source: formatPlaceholder('the address of a page that documents these clauses'),
    verified: formatPlaceholder('the day on which you read that page, YYYY-MM-DD'),
  }
  const list = (traits: readonly RankedTrait[]): string[] =>
    traits.map((trait) => `  - ${formatClause(trait.clause)}\n`)
  const comment =
    others.length === 0
      ? []
      : [
          '# Also unusual on this page, the rarest first. Move into the list what only the vendor would write, show it in a hit,\n',
          '# and delete this comment.\n',
          ...list(others).map((line) => `#${line}`),
        ]
  return [formatKeys(keys), 'detect:\n', ...list(chosen), ...comment, formatKeys(evidence)].join('')
}

/** Finds a domain that is named like the product. */
function findWebsite({ urls }: Page, slug: string): string | null {
  const squeezed = slug.replaceAll('-', '')
  const domains = urls.flatMap(({ url }) => findDomain(url.host) ?? [])
  const host = domains.find((one) => one.split('.')[0].replaceAll('-', '') === squeezed)
  return host === undefined ? null : `https://${host}`
}

function formatTestFile({ name, chosen, request, known }: Omit<RuleParts, 'page' | 'others'>): string {
  const hit = buildTestPage(
    chosen.map(({ shown }) => shown),
    name ?? request.slug,
  )
  const product = name ?? request.slug
  const words = [...new Set(chosen.map(({ name }) => name))]
  const sentence = formatPlaceholder(`a sentence in which an article mentions ${product} and links to it`)
  const { level, also } = readLevels(hit, chosen, { request, known })
  const hits = [{ page: hit, confidence: level ?? 'low', ...(also.length > 0 && { also }) }]
  return formatKeys({ hits, misses: [{ page: buildNearMiss(words, product, sentence) }] })
}

/** Reads the level of the new rule on its hit, and the slugs of other rules that fire there. */
function readLevels(
  hit: PageInput,
  chosen: readonly RankedTrait[],
  { request, known }: Pick<RuleParts, 'request' | 'known'>,
): { readonly level: string | null; readonly also: readonly string[] } {
  const { ruleset, detectors } = known
  const own = compileNewRule(
    chosen.map(({ clause }) => clause),
    request,
    detectors,
  )
  const all = Ruleset.of({ rules: [...ruleset.rules, own], categories: ruleset.categories, version: '' }, detectors)
  const { evidence } = detect(all, buildPage(hit))
  const isOwn = ({ kind, slug }: (typeof evidence)[number]): boolean => kind === request.kind && slug === request.slug
  const others = evidence.filter((one) => one.kind !== 'site-type' && computeLevel(one.points) !== null && !isOwn(one))
  return {
    level: computeLevel(evidence.find(isOwn)?.points ?? 0),
    also: [...new Set(others.map(({ slug }) => slug))],
  }
}
