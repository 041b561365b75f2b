import type { Places } from '../engine/rule/clause.ts'
import { type Locator, matchLocator, parseLocator } from '../engine/rule/locator.ts'
import { RuleSyntaxError } from '../engine/rule/rule-syntax-error.ts'
import type { FoundRule } from '../rules/discover.ts'
import type { Path, SourceFile } from '../yaml/source-file.ts'

/** A value of a rule that a search has found. */
export interface SearchMatch {
  readonly rule: FoundRule
  readonly line: number
  readonly column: number
  /** The key of the value; `slug` for the name of the file. */
  readonly key: string
  readonly value: string
}

/** A rule file, whether it is valid or not. */
export interface RuleFile {
  readonly found: FoundRule
  readonly file: SourceFile
}

/** A host, and the path below it if there is one. */
interface Address {
  readonly host: string
  readonly path: string
}

/**
 * Finds the values of rules that contain a text, ignoring case: slugs, names, words, tests, relations and sources. If the text
 * is a host or a URL, locators that cover it are found, too: `.x.com` for cdn.x.com.
 */
export function searchRules(rules: readonly RuleFile[], text: string, places: Places): SearchMatch[] {
  const wanted = text.toLowerCase()
  const address = readAddress(text)
  const isLocator = (key: string): boolean => key === 'under' || places.get(key)?.word === 'locator'
  const isMatch = ({ key, value }: NamedValue): boolean =>
    value.toLowerCase().includes(wanted) || (address !== null && isLocator(key) && covers(value, address))
  return rules.flatMap(({ found: rule, file }) => {
    const slug = { path: [], key: 'slug', value: rule.slug }
    return [...(isMatch(slug) ? [slug] : []), ...listValues(file.data, []).filter(isMatch)].map(
      ({ path, key, value }) => {
        const { line, column } = file.valueAt(path)
        return { rule, line, column, key, value }
      },
    )
  })
}

interface NamedValue {
  readonly path: Path
  readonly key: string
  readonly value: string
}

function listValues(data: unknown, path: Path): NamedValue[] {
  if (typeof data === 'object' && data !== null)
    return Object.entries(data).flatMap(([key, inner]) =>
      listValues(inner, [...path, Array.isArray(data) ? Number(key) : key]),
    )
  const key = String(path.findLast((step) => typeof step === 'string') ?? '')
  return [{ path, key, value: String(data) }]
}

/** Reads a URL, or a host with or without a path. */
function readAddress(text: string): Address | null {
  const locator = readLocator(text.replace(/^https?:\/\//i, '').replace(/[?#][\s\S]*|\/$/, ''))
  return locator?.hosts === 'exact' ? { host: locator.host, path: `/${locator.segments.join('/')}` } : null
}

/** Whether a locator with a host matches the address. If the address is a host alone, any path below it counts. */
function covers(text: string, { host, path }: Address): boolean {
  const locator = readLocator(text)
  if (locator === null || locator.hosts === 'any') return false
  return matchLocator(path === '/' ? { ...locator, segments: [], open: false } : locator, {
    href: '',
    host,
    path,
    own: null,
  })
}

function readLocator(text: string): Locator | null {
  try {
    return parseLocator(text)
  } catch (error) {
    if (error instanceof RuleSyntaxError) return null
    throw error
  }
}
