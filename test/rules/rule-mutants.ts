import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import type { Places } from '../../src/engine/rule/clause.ts'
import type { ClauseSource, RuleSource } from '../../src/engine/rule/types.ts'
import { checkLocator, checkWord } from '../../src/rules/checks/word-checks.ts'
import { GROUPS } from '../../src/rules/schema.ts'

/** A rule with one letter changed. */
export interface Mutant {
  /** The keys on the path to the value. */
  readonly place: string
  readonly was: string
  readonly now: string
  readonly source: RuleSource
}

type Path = readonly (string | number)[]

const TESTS = ['is', 'has', 'under', 'match']

/**
 * Lists the mutants of a rule: one for each run of letters in its words and in the values of `is`, `has` and `under`, and one for
 * each letter of a `match` that every matching text contains. Mutants that lint rejects are left out.
 */
export function listMutants(source: RuleSource, places: Places): Mutant[] {
  return [...findValues(source.detect, ['detect'], places)].flatMap(({ path, value, key }) => {
    const texts = key === 'match' ? mutatePattern(value) : mutateWord(value)
    const valid = texts.filter((text) => isValid(key, text, places))
    return valid.map((now) => ({
      place: path.join('.'),
      was: value,
      now,
      source: setValue(source, path, now) as RuleSource,
    }))
  })
}

function* findValues(
  value: unknown,
  path: Path,
  places: Places,
): Generator<{ path: Path; value: string; key: string }> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value as ClauseSource)) {
    const below = [...path, Array.isArray(value) ? Number(key) : key]
    if (Array.isArray(value) || GROUPS.some((group) => group === key)) yield* findValues(inner, below, places)
    else if (places.has(key) || TESTS.includes(key))
      if (Array.isArray(inner))
        for (const [i, one] of inner.entries()) yield { path: [...below, i], value: String(one), key }
      else yield { path: below, value: String(inner), key }
  }
}

function isValid(key: string, text: string, places: Places): boolean {
  const place = places.get(key)
  if (place !== undefined) return checkWord(text, place) === null
  return key !== 'under' || checkLocator(text) === null
}

/** Returns a copy of a value with another text at a path. */
function setValue(value: unknown, [step, ...rest]: Path, text: string): unknown {
  if (step === undefined) return text
  if (Array.isArray(value)) return value.map((one, i) => (i === step ? setValue(one, rest, text) : one))
  return { ...(value as object), [step]: setValue((value as Record<string, unknown>)[step], rest, text) }
}

/**
 * Changes the last letter or digit of each run of them. What a word matches contains all of its letters, so tests that notice one
 * letter of a run notice each.
 */
function mutateWord(text: string): string[] {
  return [...text.matchAll(/[a-z0-9]+/gi)].map(({ 0: run, index }) => changeAt(text, index + run.length - 1))
}

/** Changes each letter that every match contains: those outside of classes, optional parts and alternatives. */
function mutatePattern(pattern: string): string[] {
  const letters: number[] = []
  visitRegExpAST(new RegExpParser().parsePattern(pattern), {
    onCharacterEnter(node) {
      if (/^[a-z0-9]$/i.test(node.raw) && isNeeded(node)) letters.push(node.start)
    },
  })
  return letters.map((at) => changeAt(pattern, at))
}

function isNeeded(node: AST.Node): boolean {
  for (let one: AST.Node | null = node; one !== null; one = one.parent) {
    if (one.type === 'CharacterClass' || one.type === 'Assertion') return false
    if (one.type === 'Quantifier' && one.min === 0) return false
    if (one.type === 'Alternative' && one.parent.alternatives.length > 1) return false
  }
  return true
}

function changeAt(text: string, at: number): string {
  const now = text[at].toLowerCase() === 'q' || text[at] === '7' ? 'k' : /\d/.test(text[at]) ? '7' : 'q'
  return text.slice(0, at) + now + text.slice(at + 1)
}
