import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { Level } from '../engine/verdict/verdict-types.ts'

type Closed<T extends TProperties> = ReturnType<typeof Type.Object<T>>

/** An object without further properties. */
export function closedObject<T extends TProperties>(properties: T, options: object = {}): Closed<T> {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** One of the listed values. */
export function oneOf<T>(values: readonly T[], options: object = {}): ReturnType<typeof Type.Unsafe<T>> {
  return Type.Unsafe<T>({ enum: values, ...options })
}

/** A string or null. */
export function stringOrNull(options: object = {}): ReturnType<typeof Type.Unsafe<string | null>> {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })
}

/** A list that its readers do not change. */
export function list<T extends TSchema>(items: T, options: object = {}) {
  return Type.Unsafe<readonly Static<T>[]>(Type.Array(items, options))
}

export const LEVELS: readonly (Level | null)[] = ['high', 'medium', 'low', null]

const text = Type.String()
const count = Type.Integer({ minimum: 0 })
const milliseconds = Type.Number({ minimum: 0 })

const clause = closedObject({
  clause: Type.String({ description: 'The clause as written in the rule.' }),
  places: list(text, { description: 'The places it looks at.' }),
  weight: Type.Optional(oneOf(['strong', 'medium', 'weak'] as const)),
  points: Type.Optional(
    Type.Integer({ description: 'Site types: tenths of log-odds that the clause gives the type.' }),
  ),
  family: text,
  hits: count,
  texts: list(Type.String({ maxLength: 200 }), {
    description: 'The texts that matched, each cut to 200 characters.',
  }),
})

const evidence = closedObject({
  kind: oneOf(['builder', 'technology', 'hosting', 'site-type'] as const),
  slug: text,
  name: text,
  level: oneOf(LEVELS),
  points: Type.Integer({ description: '0 to 6; of a site type its score, in tenths of log-odds.' }),
  clauses: list(clause, { description: 'The clauses that matched.' }),
  unseen: list(text, { description: 'Places that the rule looks at and that the scan did not see.' }),
  chosen: Type.Boolean({ description: 'Whether the rule is part of the result.' }),
  note: Type.Optional(
    Type.String({ description: 'Why the rule is not part of the result, or what raised its level.' }),
  ),
})

const infrastructure = closedObject(
  {
    cdn: stringOrNull(),
    dns: list(text, { description: 'Registrable domains of the name servers.' }),
    ip: stringOrNull(),
    tlsIssuer: stringOrNull(),
    server: stringOrNull(),
  },
  { description: 'With include=infrastructure: where the site runs, as seen from its connection.' },
)

const timing = closedObject(
  {
    fetch: milliseconds,
    /** Fetching side evidence after the page had arrived. */
    evidence: milliseconds,
    /** Fetching scripts and style sheets, at the same time as side evidence. */
    bodies: milliseconds,
    /** Parsing and matching, including the wait for a worker. */
    match: milliseconds,
    total: milliseconds,
  },
  { description: 'With include=timing: milliseconds of each stage of the scan.' },
)

/** JSON Schemas of the extras: what `include` adds after the ten fields. */
export const EXTRA_SCHEMAS = {
  evidence: list(evidence, { description: 'With include=evidence: every rule that scored points, and why.' }),
  versions: Type.Unsafe<Readonly<Record<string, string>>>({
    type: 'object',
    additionalProperties: text,
    description: 'With include=versions: name → version.',
  }),
  infrastructure,
  timing,
  warnings: list(text, { description: 'With include=warnings: what was cut off or not looked at.' }),
} as const

/** All extras of a scan. */
export type Extras = { readonly [K in keyof typeof EXTRA_SCHEMAS]: Static<(typeof EXTRA_SCHEMAS)[K]> }
