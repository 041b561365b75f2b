import { FOUND, toList } from '../engine/rule/clause.ts'
import type { ClauseSource, RuleKind } from '../engine/rule/types.ts'
import type { Path } from '../yaml/source-file.ts'
import { type Finding, finding } from './findings.ts'
import { hint } from './hint.ts'
import type { CheckedRule } from './rule-checks.ts'
import { isMisplaced } from './rule-keys.ts'
import { SLUG } from './schema.ts'

const RELATIONS = ['implies', 'requires', 'excludes'] as const

/** Builders and technologies share one set of slugs; hosting and site types have their own. */
function spaceOf(kind: RuleKind): string {
  return kind === 'builder' || kind === 'technology' ? 'builder or technology' : kind
}

/** Checks what only the whole set can say: slugs taken twice, relations that lead nowhere or in circles. */
export function checkSet(rules: readonly CheckedRule[]): Finding[] {
  const findings: Finding[] = []
  const spaces = new Map<string, Map<string, CheckedRule>>()
  for (const rule of rules) {
    const { kind, slug, file } = rule.found
    const space = spaces.get(spaceOf(kind)) ?? new Map<string, CheckedRule>()
    spaces.set(spaceOf(kind), space)
    const other = space.get(slug)
    if (other) findings.push(finding('duplicate-slug', { file, line: 1, column: 1 }, { slug, other: other.found.file }))
    else space.set(slug, rule)
  }
  for (const rule of rules) {
    for (const { slug, space, path } of namedSlugs(rule)) {
      const known = [...(spaces.get(space)?.keys() ?? [])]
      if (!known.includes(slug))
        findings.push(
          finding('unknown-slug', rule.file.valueAt(path), {
            value: slug,
            what: 'slug',
            kind: space,
            hint: hint(slug, known),
          }),
        )
    }
    findings.push(...checkExcludes(rule))
    for (const key of ['implies', 'requires'] as const) {
      const circle = circleFrom(rule, key, spaces.get(spaceOf(rule.found.kind)) ?? new Map())
      if (circle) findings.push(finding('relation-cycle', rule.file.keyAt([key]), { key, path: circle.join(' → ') }))
    }
  }
  return findings
}

/** What a rule needs, and the rule itself, it cannot exclude. */
function checkExcludes({ found, file }: CheckedRule): Finding[] {
  const data = recordOf(file.data)
  return toList<unknown>(data.excludes).flatMap((value, i) => {
    const key = (['implies', 'requires'] as const).find((other) => toList(data[other]).includes(value))
    if (key === undefined && value !== found.slug) return []
    const reason = key === undefined ? 'it is this rule itself' : `${key} names it as well`
    const path = Array.isArray(data.excludes) ? ['excludes', i] : ['excludes']
    return [finding('bad-relation', file.valueAt(path), { value: String(value), reason })]
  })
}

function recordOf(data: unknown): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {}
}

function* namedSlugs({ found, file }: CheckedRule): Generator<{ slug: string; space: string; path: Path }> {
  const data = recordOf(file.data)
  for (const key of RELATIONS.filter((key) => !isMisplaced(key, found.kind)))
    for (const [i, slug] of toList<unknown>(data[key]).entries())
      if (typeof slug === 'string' && SLUG.test(slug))
        yield { slug, space: spaceOf(found.kind), path: Array.isArray(data[key]) ? [key, i] : [key] }
  if (typeof data.hosting === 'string' && data.hosting !== '' && !isMisplaced('hosting', found.kind))
    yield { slug: data.hosting, space: 'hosting', path: ['hosting'] }
  if (found.kind === 'site-type') yield* foundSlugs(data.detect, ['detect'])
}

function* foundSlugs(value: unknown, path: Path): Generator<{ slug: string; space: string; path: Path }> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value as ClauseSource)) {
    const here = [...path, Array.isArray(value) ? Number(key) : key]
    if (key !== FOUND.key) {
      yield* foundSlugs(inner, here)
      continue
    }
    for (const [i, slug] of toList<string>(inner).entries())
      if (slug !== '')
        yield { slug: String(slug), space: 'builder or technology', path: Array.isArray(inner) ? [...here, i] : here }
  }
}

/** The way from a rule back to itself; told once, at the first rule of the circle. */
function circleFrom(
  rule: CheckedRule,
  key: 'implies' | 'requires',
  space: ReadonlyMap<string, CheckedRule>,
): string[] | null {
  const start = rule.found.slug
  const seen = new Set<string>()
  const queue: string[][] = [[start]]
  for (const way of queue) {
    const data = recordOf(space.get(way[way.length - 1])?.file.data)
    for (const next of toList<string>(data[key])) {
      if (next === start) return way.every((slug) => slug >= start) ? [...way, next] : null
      if (seen.has(next)) continue
      seen.add(next)
      queue.push([...way, next])
    }
  }
  return null
}
