import { SIGNAL_NOUNS } from '../src/detector/signal-nouns.ts'
import { type Places, toList } from '../src/engine/rule/clause.ts'
import type { Place } from '../src/engine/rule/place.ts'
import {
  type Categories,
  type ClauseSource,
  PAGE_STATES,
  type PageState,
  type RuleSource,
} from '../src/engine/rule/types.ts'
import { KINDS } from '../src/rules/discover.ts'
import { formatTable } from './service-tables.ts'

/** Maximum number of signals shown for a rule; the others are only counted. */
const MAX_SIGNALS = 5
/** Maximum number of words shown for a signal; the others are only counted. */
const MAX_WORDS = 3

/** State → what came back instead of a site. */
const STATE_TITLES: Readonly<Record<Exclude<PageState, 'site'>, string>> = {
  wall: 'Checks of visitors and refusals',
  login: 'Logins',
  missing: 'No site or page at this address',
  error: 'Errors',
  maintenance: 'Maintenance',
  suspended: 'Suspended accounts',
  'default-page': 'Default pages of servers',
  parked: 'Parked domains',
  empty: 'Pages that show nothing',
}

const INTRODUCTION = `<!-- This file is generated: tools/run docs --write -->
# Catalogue

Everything that the rules of Siteprint detect, with the signals in short form: a rule needs one or a few of them, depending on how much
each proves. A slug leads to the rule, which has all signals with their weights and sources; [rules.md](rules.md) explains it. The last
column is the day on which the sources were last read. Builders with *AI* generate sites with a model. A running service lists its own
rules at [\`GET /catalogue\`](api.md#what-a-scan-can-detect-get-catalogue).
`

interface CatalogueRules {
  readonly rules: readonly RuleSource[]
  readonly categories: Categories
}

/** Builds dist/catalogue.md: one table for each kind and category of rules, in the order of categories.yaml. */
export function formatCatalogue({ rules, categories }: CatalogueRules, places: Places): string {
  const formatGroup = (title: string, wanted: (rule: RuleSource) => boolean): string[] => {
    const chosen = rules.filter(wanted).sort((a, b) => a.name.localeCompare(b.name, 'en'))
    return chosen.length === 0 ? [] : [`${title}\n\n${formatRules(chosen, places, rules)}\n`]
  }
  const sections = [
    INTRODUCTION,
    '## Builders\n',
    ...Object.entries(categories.builders).flatMap(([key, { title = key }]) =>
      formatGroup(`### ${title}: \`${key}\``, ({ kind, category }) => kind === 'builder' && category === key),
    ),
    ...formatGroup('## Hosting providers', ({ kind, role }) => kind === 'hosting' && role === undefined),
    ...formatGroup('## CDNs', ({ kind, role }) => kind === 'hosting' && role === 'cdn'),
    ...formatResponses(rules, formatGroup),
    ...formatGroup('## Site types', ({ kind }) => kind === 'site-type'),
    '## Technologies\n',
    ...Object.entries(categories.technologies).flatMap(([key, title]) =>
      formatGroup(`### ${title}: \`${key}\``, ({ kind, category }) => kind === 'technology' && category === key),
    ),
  ]
  return sections.join('\n')
}

const RESPONSES = `## What is not the site

What can come back instead of a site, by its [state](api.md#what-is-not-the-site). Status codes decide where no rule knows the answer.
`

/** Builds the sections of answers that are not the site, by state. Some site types have a state, too. */
function formatResponses(
  rules: readonly RuleSource[],
  formatGroup: (title: string, wanted: (rule: RuleSource) => boolean) => string[],
): string[] {
  if (!rules.some(({ state }) => state !== undefined)) return []
  const states = PAGE_STATES.filter((state) => state !== 'site')
  return [
    RESPONSES,
    ...states.flatMap((state) =>
      formatGroup(`### ${STATE_TITLES[state]}: \`${state}\``, (rule) => rule.state === state),
    ),
  ]
}

/** @param all the rules among which products are named */
function formatRules(rules: readonly RuleSource[], places: Places, all: readonly RuleSource[]): string {
  const rows = rules.map((rule) => {
    const { name, website, slug, aiNative, description, verified, kind, by } = rule
    const label = website === undefined ? escapeCell(name) : `[${escapeCell(name)}](${website})`
    const owner = by === undefined ? undefined : (all.find((one) => one.slug === by && one !== rule)?.name ?? by)
    const about = kind === 'site-type' && description !== undefined ? `${escapeCell(description)} ` : ''
    const ofOwner = owner === undefined ? '' : `of *${escapeCell(owner)}*: `
    return [
      aiNative ? `${label} *AI*` : label,
      `[\`${slug}\`](${findFile(rule)})`,
      `${about}${ofOwner}${listSignals(rule, places)}`,
      verified,
    ]
  })
  return formatTable(['name', 'slug', 'signals', 'verified'], rows)
}

/** Path of a rule relative to docs/. */
function findFile({ kind, category, slug }: RuleSource): string {
  const folder = [...KINDS].find(([, one]) => one === kind)?.[0]
  return ['../rules', folder, ...(kind === 'technology' ? [category] : []), `${slug}.yaml`].join('/')
}

function listSignals({ detect }: RuleSource, places: Places): string {
  return cutList(
    detect.map((clause) => describeSignal(clause, places)),
    MAX_SIGNALS,
    '; ',
  )
}

/** Describes a clause in a few words: ``script from `cdn.x.com` ``. */
export function describeSignal(clause: ClauseSource, places: Places): string {
  const describeAll = (key: string): string[] =>
    toList<ClauseSource>(clause[key]).map((inner) => describeSignal(inner, places))
  if ('not' in clause) return `no ${describeAll('not').join('')}`
  if ('all' in clause) return describeAll('all').join(' with ')
  if ('any' in clause) return describeAll('any').join(' or ')
  if ('of' in clause) return `${clause.atLeast} of (${describeAll('of').join(', ')})`
  const place = [...places.values()].find(({ key }) => key in clause)
  if (place === undefined) throw new TypeError(`no place in ${JSON.stringify(clause)}`)
  return [describePlace(clause, place), ...describeTests(clause, place)].join(' ')
}

function describePlace(clause: ClauseSource, { key }: Place): string {
  const many = Number(clause.atLeast ?? 1) > 1 ? `at least ${clause.atLeast} × ` : ''
  const noun = SIGNAL_NOUNS[key] ?? key
  return `${clause.from === 'own' ? 'own ' : ''}${many}${noun} ${formatWords(clause[key])}`
}

function describeTests(clause: ClauseSource, { key }: Place): string[] {
  const tests = [
    'attr' in clause && `attribute ${formatWords(clause.attr)}`,
    'is' in clause && String(clause.is) !== String(clause[key]) && `is ${formatWords(clause.is)}`,
    'has' in clause && `contains ${formatWords(clause.has)}`,
    'under' in clause && `at ${formatWords(clause.under)}`,
    'match' in clause && `matches ${formatWords(clause.match)}`,
  ]
  return tests.filter((text) => text !== false)
}

function formatWords(words: unknown): string {
  return cutList(toList<unknown>(words).map(String).map(formatCode), MAX_WORDS, ', ')
}

function cutList(items: readonly string[], most: number, separator: string): string {
  const rest = items.length - most
  return [...items.slice(0, most), ...(rest > 0 ? [`${rest} more`] : [])].join(separator)
}

function formatCode(text: string): string {
  const fence = text.includes('`') ? '``' : '`'
  return `${fence}${text.replace(/\s+/g, ' ').replaceAll('|', '\\|')}${fence}`
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|')
}
