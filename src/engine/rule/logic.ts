import jsonLogic from 'json-logic-js'
import type { Logic } from './types.ts'

/** The data of an expression: the values of its variables that are not 0, for example `{"c1":1,"c3":4}`. */
export type Variables = Readonly<Record<string, number>>

/** Evaluates an expression with the JSON Logic library. */
export function applyLogic(logic: Logic, variables: Variables): number {
  return Number(jsonLogic.apply(logic as Parameters<typeof jsonLogic.apply>[0], variables))
}

const OPERATIONS = new Set(['if', 'or', 'and', '!', '>=', '+', 'min'])
const MAX_DEPTH = 16
/** `c1` for a leaf, `news:1` for a clause of a site type. */
const VARIABLE = /^(?:c|[a-z0-9-]{1,64}:)\d{1,9}$/

/**
 * Whether an expression uses only the supported operations, numbers and variables (`c1`, `news:1`), and is not nested too deep. A
 * built ruleset is read from a file, which may contain anything.
 */
export function isSupportedLogic(logic: unknown, depth = 0): logic is Logic {
  if (typeof logic === 'number') return Number.isFinite(logic)
  if (depth > MAX_DEPTH || typeof logic !== 'object' || logic === null || Array.isArray(logic)) return false
  const operation = readOnlyKey(logic)
  if (operation === null) return false
  const args: unknown = (logic as Readonly<Record<string, unknown>>)[operation]
  if (!Array.isArray(args) || args.length === 0) return false
  if (operation === 'var')
    return args.length === 2 && typeof args[0] === 'string' && VARIABLE.test(args[0]) && args[1] === 0
  if (!OPERATIONS.has(operation)) return false
  // A ruleset has 50,000 expressions: a loop, and no lists of keys, halve the time.
  for (const arg of args) if (!isSupportedLogic(arg, depth + 1)) return false
  return true
}

/** @returns null for an object without keys or with several */
function readOnlyKey(object: object): string | null {
  let only: string | null = null
  for (const key in object) {
    if (only !== null || !Object.hasOwn(object, key)) return null
    only = key
  }
  return only
}

export const variable = (id: string): Logic => ({ var: [id, 0] })
export const atLeast = (value: Logic, least: number): Logic => ({ '>=': [value, least] })
export const not = (value: Logic): Logic => ({ '!': [value] })
export const choose = (test: Logic, then: Logic, otherwise: Logic): Logic => ({ if: [test, then, otherwise] })
export const least = (...values: readonly Logic[]): Logic => ({ min: values })

// A single value needs no operation, and empty operations mean different things to different implementations.
export const every = (values: readonly Logic[]): Logic => (values.length === 1 ? values[0] : { and: values })
export const some = (values: readonly Logic[]): Logic => (values.length === 1 ? values[0] : { or: values })
export const sum = (values: readonly Logic[]): Logic => (values.length === 1 ? values[0] : { '+': values })

/** Counts the tests that hold. */
export const count = (tests: readonly Logic[]): Logic => sum(tests.map((test) => choose(test, 1, 0)))
