import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Detector } from '../src/engine/page/detector.ts'
import { FAMILIES, WEIGHTS, WORD_KINDS } from '../src/engine/rule/place.ts'
import { SetupError } from '../src/errors.ts'

/** A function of any signature. */
const FUNCTION = Type.Function([], Type.Unknown())
const TEXT = Type.String({ minLength: 1 })
const RANK = Type.Number({ minimum: 1 })
const WEIGHT = oneOf(WEIGHTS)
/** The family of `found` clauses, which the engine alone provides. */
const OUTSIDE_FAMILIES = FAMILIES.filter((family) => family !== 'found')

/** The members of a detector, in the order in which they are checked. `description` is what a member must be, for messages. */
const MEMBERS: Readonly<Record<Exclude<keyof Detector, 'key'>, TSchema>> = {
  about: describe(TEXT, 'one sentence'),
  family: describe(oneOf(OUTSIDE_FAMILIES), `one of ${OUTSIDE_FAMILIES.join(', ')}`),
  word: describe(oneOf(WORD_KINDS), `one of ${WORD_KINDS.join(', ')}`),
  read: describe(FUNCTION, 'a function `read(page, wanted)`'),
  seen: optional(FUNCTION, 'a function'),
  names: optional(Type.Array(Type.String()), 'a list of words'),
  labels: optional(Type.Boolean(), 'true or false'),
  areCodes: optional(Type.Boolean(), 'true or false'),
  isExact: optional(Type.Boolean(), 'true or false'),
  wordForm: optional(
    Type.Object({ says: TEXT, pattern: Type.Optional(TEXT) }),
    '{ says, pattern }: a phrase and a regular expression',
  ),
  hostingProof: optional(
    Type.Union([RANK, Type.Record(Type.String(), RANK)]),
    'a number from 1, or an object of such numbers by name',
  ),
  maxWeight: optional(
    Type.Union([WEIGHT, Type.Record(Type.String(), WEIGHT)]),
    `one of ${WEIGHTS.join(', ')}, or an object of these by name`,
  ),
  isAmount: optional(Type.Boolean(), 'true or false'),
  wordOfPageWords: optional(TEXT, 'a word of the place'),
  windowCharacters: optional(Type.Integer({ minimum: 1 }), 'a whole number of characters from 1'),
  hasVersions: optional(Type.Boolean(), 'true or false'),
  from: optional(Type.Literal('own'), 'own'),
  example: optional(FUNCTION, 'a function `example(word)`'),
}

/**
 * Returns an export of a module as a detector.
 * @throws SetupError naming the first member that is wrong, and what it must be
 */
export function readDetector(detector: unknown): Detector {
  if (typeof detector !== 'object' || detector === null) throw new SetupError('a detector must be an object')
  const { key } = detector as { key?: unknown }
  if (typeof key !== 'string' || !/^[a-z][a-z0-9-]*$/.test(key))
    throw new SetupError('a detector needs a `key` of lower-case letters, digits and hyphens')
  for (const [member, schema] of Object.entries(MEMBERS)) {
    const value = (detector as Readonly<Record<string, unknown>>)[member]
    if (!Value.Check(schema, value) || (member === 'wordForm' && !hasValidPattern(value)))
      throw new SetupError(`\`${member}\` of detector "${key}" must be ${schema.description}`)
  }
  return detector as Detector
}

function oneOf(values: readonly string[]): TSchema {
  return Type.Union(values.map((value) => Type.Literal(value)))
}

function describe(schema: TSchema, description: string): TSchema {
  return { ...schema, description }
}

function optional(schema: TSchema, description: string): TSchema {
  return describe(Type.Union([Type.Undefined(), schema]), description)
}

function hasValidPattern(form: unknown): boolean {
  const { pattern } = (form ?? {}) as { pattern?: string }
  try {
    return pattern === undefined || new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}
