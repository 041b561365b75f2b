import { isDeepStrictEqual } from 'node:util'
import type { Ruleset } from '../engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../engine/page/page.ts'
import { detect } from '../engine/verdict/detect.ts'
import { toResult } from '../engine/verdict/result.ts'
import type { Verdict } from '../engine/verdict/verdict-types.ts'

/** A page whose verdicts are compared. */
export interface NamedPage {
  readonly name: string
  readonly input: PageInput
}

/** A field of the result, before and after. Of lists and mappings, only what differs. */
export interface FieldChange {
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

/** A rule that became part of a result, is no longer part of it, or has another level in it. */
export interface RuleChange {
  /** `kind/slug` */
  readonly rule: string
  readonly change: 'gained' | 'lost' | 'level'
}

/** The changes of the verdict on one page. */
export interface PageChange {
  readonly page: string
  readonly fields: readonly FieldChange[]
  readonly rules: readonly RuleChange[]
}

/** Fields that depend on the builder alone: they are not reported next to it. */
const FOLLOWING = ['builder', 'category', 'isAiNative']

/**
 * Compares the verdicts of two rulesets on a page.
 * @returns null if all ten fields and the versions are equal
 * @throws TypeError if the page is not a valid input
 */
export function compareVerdicts(before: Ruleset, after: Ruleset, { name, input }: NamedPage): PageChange | null {
  const page = buildPage(input)
  const [old, current] = [detect(before, page), detect(after, page)]
  const [oldResult, result] = [old, current].map((verdict) => toResult(verdict, ['versions']))
  if (isDeepStrictEqual(oldResult, result)) return null
  return { page: name, fields: compareFields({ ...oldResult }, { ...result }), rules: compareRules(old, current) }
}

type ComparedFields = Readonly<Record<string, unknown>>

function compareFields(before: ComparedFields, after: ComparedFields): FieldChange[] {
  const isOther = (key: string): boolean => !isDeepStrictEqual(before[key], after[key])
  const changed = Object.keys(after).filter(isOther)
  // A new name of the same builder is a change of its own.
  const shown = changed.includes('builderSlug') ? changed.filter((key) => !FOLLOWING.includes(key)) : changed
  return shown.map((field) => {
    const [old, current] = [listValues(before[field]), listValues(after[field])]
    const only = (values: readonly string[], others: readonly string[]): string | null =>
      values.filter((value) => !others.includes(value)).join(', ') || null
    const isReordered = old.length === current.length && old.every((value) => current.includes(value))
    return isReordered
      ? { field, before: old.join(', '), after: current.join(', ') }
      : { field, before: only(old, current), after: only(current, old) }
  })
}

/** Lists what a field contains: the items of a list, and the pairs of a mapping. */
function listValues(value: unknown): readonly string[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value.map(String)
  if (typeof value === 'object') return Object.entries(value).map(([key, inner]) => `${key} ${inner}`)
  return [String(value)]
}

function compareRules(before: Verdict, after: Verdict): RuleChange[] {
  const [old, current] = [before, after].map(
    ({ evidence }) =>
      new Map(evidence.filter(({ chosen }) => chosen).map(({ kind, slug, level }) => [`${kind}/${slug}`, level])),
  )
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((rule): RuleChange[] => {
    if (!old.has(rule)) return [{ rule, change: 'gained' }]
    if (!current.has(rule)) return [{ rule, change: 'lost' }]
    return old.get(rule) === current.get(rule) ? [] : [{ rule, change: 'level' }]
  })
}
