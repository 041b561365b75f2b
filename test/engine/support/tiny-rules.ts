import { detectors } from '../../../plugins/index.ts'
import { Ruleset } from '../../../src/engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../../../src/engine/page/page.ts'
import { indexPlaces } from '../../../src/engine/rule/clause.ts'
import { compileRule } from '../../../src/engine/rule/compile.ts'
import type {
  Categories,
  ClauseSource,
  CompiledRule,
  RuleKind,
  RuleSource,
  TypeDecision,
} from '../../../src/engine/rule/types.ts'
import { detect } from '../../../src/engine/verdict/detect.ts'
import type { Level, Verdict } from '../../../src/engine/verdict/verdict-types.ts'

/** A rule for tests. By default, its name is its slug in capitals and its clauses are its signals. */
export type TinyRule = Partial<RuleSource> & { readonly kind: RuleKind; readonly slug: string }

type More = Omit<Partial<RuleSource>, 'kind' | 'slug'>
const buildRuleFactory =
  (kind: RuleKind) =>
  (slug: string, more: More = {}): TinyRule => ({ kind, slug, ...more })

export const builder = buildRuleFactory('builder')
export const technology = buildRuleFactory('technology')
export const hosting = buildRuleFactory('hosting')
export const siteType = buildRuleFactory('site-type')
export const response = buildRuleFactory('response')

const categories: Categories = {
  builders: { cms: {}, generator: { standsBack: true } },
  technologies: { library: 'Libraries' },
}
export const places = indexPlaces(detectors)

/** Compiles rules. */
export function compile(rules: readonly TinyRule[]): CompiledRule[] {
  return rules.map((rule) => {
    const { slug, kind } = rule
    const category = kind === 'builder' ? { category: 'cms' } : {}
    const usual = { name: slug.toUpperCase(), detect: buildSignals(slug), source: [], verified: '2026-11-20' }
    return compileRule({ ...usual, ...category, ...rule }, places)
  })
}

export function buildRuleset(rules: readonly CompiledRule[], siteTypes?: TypeDecision): Ruleset {
  const decided = siteTypes === undefined ? categories : { ...categories, siteTypes }
  return Ruleset.of({ rules, categories: decided, version: '' }, detectors)
}

export function getVerdict(rules: readonly TinyRule[], input: PageInput, siteTypes?: TypeDecision): Verdict {
  const ruleset = buildRuleset(compile(rules), siteTypes)
  return detect(ruleset, buildPage(input))
}

/** Builds the default clauses of a rule. */
function buildSignals(slug: string): ClauseSource[] {
  return [
    { meta: slug },
    { header: `x-${slug}` },
    { script: `${slug}.com/app` },
    { element: `#${slug}`, weight: 'medium' },
    { cookie: `${slug}_id`, weight: 'medium' },
    { text: `${slug} one` },
    { text: `${slug} two` },
  ]
}

/** `high` is a strong clause, `header` one of another family, `script` one about an asset, and `faint` a weak clause. */
export type Signal = Level | 'header' | 'script' | 'cookie' | 'faint'

/** Builds a page on which rules have the given signals: `{ ghost: ['high', 'header'], hugo: 'medium' }`. */
export function buildPageWith(levels: Readonly<Record<string, Signal | readonly Signal[]>>): PageInput {
  const pairs = Object.entries(levels).flatMap(([slug, signals]) =>
    [signals].flat().map((signal) => [slug, signal] as const),
  )
  const html = pairs.map(([slug, signal]) => HTML[signal]?.(slug) ?? '').join('\n')
  const headers = pairs.flatMap(([slug, signal]): (readonly [string, string])[] => {
    if (signal === 'header') return [[`x-${slug}`, '1']]
    return signal === 'cookie' ? [['set-cookie', `${slug}_id=1; Path=/`]] : []
  })
  return { html, headers }
}

const HTML: Partial<Record<Signal, (slug: string) => string>> = {
  high: (slug) => `<meta name="${slug}" content="1">`,
  script: (slug) => `<script src="https://${slug}.com/app/1.js"></script>`,
  medium: (slug) => `<b id="${slug}"></b>`,
  low: (slug) => `<p>${slug} one, ${slug} two</p>`,
  faint: (slug) => `<p>${slug} one</p>`,
}

/** Reads the levels of all rules that scored or were implied, by slug. */
export function readLevels({ evidence }: Verdict): Record<string, Level | null> {
  return Object.fromEntries(evidence.map(({ slug, level }) => [slug, level]))
}
