import { CATEGORY_PREFIX, FOUND, toList } from '../../engine/rule/clause.ts'
import type { Categories, ClauseSource, RuleKind } from '../../engine/rule/types.ts'
import { formatHint } from '../../yaml/hint.ts'
import type { Path } from '../../yaml/source-file.ts'
import { buildFinding, type Finding } from '../findings.ts'
import { isPlaceholder } from '../placeholders.ts'
import { SLUG } from '../schema.ts'
import type { CheckedRule } from './rule-checks.ts'
import { isMisplaced } from './rule-keys.ts'

const RELATIONS = ['implies', 'usual', 'requires', 'excludes'] as const

/** Namespace of the slugs whose page a response may be. */
const OWNER = 'builder, technology or hosting'
const OWNERS: readonly RuleKind[] = ['builder', 'technology', 'hosting']

/** Namespace of the categories that `found` clauses name. */
const BUILDER_CATEGORY = 'builder category'
/** Namespace of the categories that rules require. */
const ANY_CATEGORY = 'builder or technology category'

/** Namespace of the slugs of a kind. Builders and technologies share one; hosting and site types have their own. */
export function findNamespace(kind: RuleKind): string {
  return kind === 'builder' || kind === 'technology' ? 'builder or technology' : kind
}

/** Checks that need all rules: duplicate slugs, unknown slugs in relations, and cycles. */
export function checkSet(rules: readonly CheckedRule[], categories: Categories): Finding[] {
  const findings: Finding[] = []
  const spaces = new Map<string, Map<string, CheckedRule>>()
  for (const rule of rules) {
    const { kind, slug, file } = rule.found
    const space = spaces.get(findNamespace(kind)) ?? new Map<string, CheckedRule>()
    spaces.set(findNamespace(kind), space)
    const other = space.get(slug)
    if (other)
      findings.push(buildFinding('duplicate-slug', { file, line: 1, column: 1 }, { slug, other: other.found.file }))
    else space.set(slug, rule)
  }
  spaces.set(OWNER, new Map([...(spaces.get('hosting') ?? []), ...(spaces.get('builder or technology') ?? [])]))
  findings.push(...checkNames(rules))
  const owners = indexOwners(rules)
  for (const rule of rules) {
    for (const named of findNamedSlugs(rule)) {
      const { slug, space, path, isKey } = named
      const isCategory = space === BUILDER_CATEGORY || space === ANY_CATEGORY
      const ofCategory = { ...categories.builders, ...(space === ANY_CATEGORY && categories.technologies) }
      if (isCategory ? Object.hasOwn(ofCategory, slug) : spaces.get(space)?.has(slug)) continue
      const known = isCategory ? Object.keys(ofCategory) : [...(spaces.get(space)?.keys() ?? [])]
      findings.push(
        buildFinding('unknown-slug', isKey ? rule.file.keyAt(path) : rule.file.valueAt(path), {
          value: slug,
          what: isCategory ? 'key' : 'slug',
          kind: space,
          hint: (isCategory ? '' : explainKind(named, rules)) || formatHint(slug, known),
        }),
      )
    }
    findings.push(...checkExcludes(rule), ...checkUsual(rule), ...checkByName(rule, owners))
    for (const key of ['implies', 'requires'] as const) {
      const cycle = findCycle(rule, key, spaces.get(findNamespace(rule.found.kind)) ?? new Map())
      if (cycle) findings.push(buildFinding('relation-cycle', rule.file.keyAt([key]), { key, path: cycle.join(' → ') }))
    }
  }
  return findings
}

/** Explains that a slug is one of another kind, and which rules may name that. Empty if no rule has the slug. */
function explainKind({ slug, path }: NamedSlug, rules: readonly CheckedRule[]): string {
  const other = rules.find(({ found }) => found.slug === slug)?.found.kind
  if (other === undefined) return ''
  const key = String(path.findLast((step) => typeof step === 'string'))
  const owners = other === 'hosting' ? 'only hosting rules' : 'only builder and technology rules'
  const reason =
    key === 'hosting' || key === FOUND.key
      ? `${key} names ${key === 'hosting' ? 'hosting rules' : 'builders and technologies'}`
      : other === 'site-type'
        ? 'relations cannot name site types'
        : `${owners} may have it in ${key}`
  return `; there is a ${other} with this slug, but ${reason}`
}

/** Reports a name that another rule of the namespace has: results contain names, which would then be ambiguous. */
function checkNames(rules: readonly CheckedRule[]): Finding[] {
  const first = new Map<string, CheckedRule>()
  return rules.flatMap((rule) => {
    const { name } = toRecord(rule.file.data)
    if (typeof name !== 'string' || isPlaceholder(name)) return []
    const key = `${findNamespace(rule.found.kind)} ${name.toLowerCase().replace(/[^\p{L}\p{N}+#]/gu, '')}`
    const other = first.get(key)
    if (other === undefined) first.set(key, rule)
    // Two rules with one slug are reported as such.
    if (other === undefined || other.found.slug === rule.found.slug) return []
    const at = rule.file.valueAt(['name'])
    return [buildFinding('duplicate-name', at, { name, other: other.found.file })]
  })
}

/** Reports a rule that excludes itself, or a rule that it implies or requires. */
function checkExcludes({ found, file }: CheckedRule): Finding[] {
  const data = toRecord(file.data)
  return toList<unknown>(data.excludes).flatMap((value, i) => {
    const key = (['implies', 'requires'] as const).find((other) => toList(data[other]).includes(value))
    if (key === undefined && value !== found.slug) return []
    const reason = key === undefined ? 'it is the slug of this rule' : `${key} also names it`
    const path = Array.isArray(data.excludes) ? ['excludes', i] : ['excludes']
    return [buildFinding('bad-relation', file.valueAt(path), { key: 'excludes', value: String(value), reason })]
  })
}

/** Reports what a rule usually implies and does not name in `implies`. */
function checkUsual({ file }: CheckedRule): Finding[] {
  const data = toRecord(file.data)
  return toList<unknown>(data.usual).flatMap((value, i) => {
    if (toList(data.implies).includes(value)) return []
    const path = Array.isArray(data.usual) ? ['usual', i] : ['usual']
    return [
      buildFinding('bad-relation', file.valueAt(path), {
        key: 'usual',
        value: String(value),
        reason: 'implies does not name it',
      }),
    ]
  })
}

function toRecord(data: unknown): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {}
}

/** A slug in a rule that names another rule. */
export interface NamedSlug {
  readonly slug: string
  /** Namespace of the slug. For a category, it is that of categories. */
  readonly space: string
  readonly path: Path
  /** The slug is the key at the path, not its value. */
  readonly isKey?: boolean
}

/**
 * Finds the slugs of other rules that a rule names: in its relations, its `hosting` and its `by`, and, of a site type, in its `found`
 * clauses and its points.
 */
export function* findNamedSlugs({ found, file }: Pick<CheckedRule, 'found' | 'file'>): Generator<NamedSlug> {
  const data = toRecord(file.data)
  for (const key of RELATIONS.filter((key) => !isMisplaced(key, found.kind)))
    for (const [i, slug] of toList<unknown>(data[key]).entries()) {
      const path = Array.isArray(data[key]) ? [key, i] : [key]
      if (typeof slug !== 'string') continue
      if (SLUG.test(slug)) yield { slug, space: findNamespace(found.kind), path }
      else if (key === 'requires' && slug.startsWith(CATEGORY_PREFIX))
        yield { slug: slug.slice(CATEGORY_PREFIX.length), space: ANY_CATEGORY, path }
    }
  if (typeof data.hosting === 'string' && data.hosting !== '' && !isMisplaced('hosting', found.kind))
    yield { slug: data.hosting, space: 'hosting', path: ['hosting'] }
  if (typeof data.by === 'string' && data.by !== '' && !isMisplaced('by', found.kind))
    yield { slug: data.by, space: OWNER, path: ['by'] }
  if (found.kind !== 'site-type') return
  yield* findFoundSlugs(data.detect, ['detect'])
  for (const [i, clause] of toList<unknown>(data.detect).entries())
    for (const slug of Object.keys(toRecord(toRecord(clause).points)))
      if (SLUG.test(slug)) yield { slug, space: 'site-type', path: ['detect', i, 'points', slug], isKey: true }
}

function* findFoundSlugs(value: unknown, path: Path): Generator<NamedSlug> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value as ClauseSource)) {
    const here = [...path, Array.isArray(value) ? Number(key) : key]
    if (key !== FOUND.key) {
      yield* findFoundSlugs(inner, here)
      continue
    }
    for (const [i, word] of toList<string>(inner).entries())
      if (word !== '') yield { ...readFoundWord(String(word)), path: Array.isArray(inner) ? [...here, i] : here }
  }
}

function readFoundWord(word: string): Omit<NamedSlug, 'path'> {
  return word.startsWith(CATEGORY_PREFIX)
    ? { slug: word.slice(CATEGORY_PREFIX.length), space: BUILDER_CATEGORY }
    : { slug: word, space: 'builder or technology' }
}

/** Lists the slugs of rules that others may name in `by`, by their name; the first rule of a name counts. */
function indexOwners(rules: readonly CheckedRule[]): ReadonlyMap<unknown, string> {
  const owners = new Map<unknown, string>()
  for (const { found, file } of rules) {
    const { name } = toRecord(file.data)
    if (OWNERS.includes(found.kind) && !owners.has(name)) owners.set(name, found.slug)
  }
  return owners
}

/** Reports a `byName` that is the name of a rule, which `by` names by its slug. */
function checkByName({ file }: CheckedRule, owners: ReadonlyMap<unknown, string>): Finding[] {
  const { byName } = toRecord(file.data)
  if (typeof byName !== 'string') return []
  const owner = owners.get(byName)
  if (owner === undefined) return []
  const reason = `the rule ${owner} has this name: write by: ${owner} and remove byName`
  return [buildFinding('bad-relation', file.valueAt(['byName']), { key: 'byName', value: byName, reason })]
}

/** Finds a path from a rule back to itself. Only the first rule of a cycle, by slug, reports it. */
function findCycle(
  rule: CheckedRule,
  key: 'implies' | 'requires',
  space: ReadonlyMap<string, CheckedRule>,
): string[] | null {
  const start = rule.found.slug
  const seen = new Set<string>()
  const queue: string[][] = [[start]]
  for (const trail of queue) {
    const data = toRecord(space.get(trail[trail.length - 1])?.file.data)
    for (const next of toList<string>(data[key])) {
      if (next === start) return trail.every((slug) => slug >= start) ? [...trail, next] : null
      if (seen.has(next)) continue
      seen.add(next)
      queue.push([...trail, next])
    }
  }
  return null
}
