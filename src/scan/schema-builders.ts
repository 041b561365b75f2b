import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'

type Closed<T extends TProperties> = ReturnType<typeof Type.Object<T>>
type Unsafe<T> = ReturnType<typeof Type.Unsafe<T>>

/** An object without additional properties: the form of what clients send. */
export function closedObject<T extends TProperties>(properties: T, options: object = {}): Closed<T> {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** One of the listed values. */
export function oneOf<T extends string>(values: readonly T[], options: object = {}): Unsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: values, ...options })
}

/** One of the listed values, to which later versions may add others: clients must accept any string. */
export function extensible<T extends string>(values: readonly T[], options: object = {}): Unsafe<T> {
  return Type.Unsafe<T>({ type: 'string', 'x-extensible-enum': values, ...options })
}

/** A value of another schema, or null. */
export function orNull<T extends TSchema>(schema: T, options: object = {}): Unsafe<Static<T> | null> {
  return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }], ...options })
}

/** A string or null. */
export function stringOrNull(options: object = {}): Unsafe<string | null> {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })
}

/** A list that its readers do not change. */
export function list<T extends TSchema>(items: T, options: object = {}) {
  return Type.Unsafe<readonly Static<T>[]>(Type.Array(items, options))
}
