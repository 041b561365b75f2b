/** A JSON Schema (draft 7). */
export type JsonSchema = Readonly<Record<string, unknown>>

declare const DATA: unique symbol

/**
 * A JSON Schema together with the TypeScript type of the data that it accepts, so that both have one source. The type exists
 * only at compile time. TypeBox does the same but takes 60 ms to load, which every command would pay at its start.
 */
export interface TypedSchema<Data> extends JsonSchema {
  readonly [DATA]?: Data
}

/** The data that a schema accepts. */
export type DataOf<Schema> = Schema extends TypedSchema<infer Data> ? Data : never

/** The properties of an object in a JSON Schema. */
export type Properties = Readonly<Record<string, JsonSchema>>
type ObjectOf<Required extends Properties, Optional extends Properties> = {
  readonly [Key in keyof Required]: DataOf<Required[Key]>
} & { readonly [Key in keyof Optional]?: DataOf<Optional[Key]> }

/** Types a schema that the functions below cannot express. */
export function defineSchema<Data>(schema: JsonSchema): TypedSchema<Data> {
  return schema
}

/** An object with these keys only. */
export function defineObject<Required extends Properties, Optional extends Properties>(
  required: Required,
  optional: Optional,
  keywords: JsonSchema = {},
): TypedSchema<ObjectOf<Required, Optional>> {
  const names = Object.keys(required)
  return {
    type: 'object',
    additionalProperties: false,
    ...(names.length > 0 && { required: names }),
    ...keywords,
    properties: { ...required, ...optional },
  }
}

/** An object with any keys, whose values all have one schema. */
export function defineMapping<Value>(
  value: TypedSchema<Value>,
  keywords: JsonSchema = {},
): TypedSchema<Readonly<Record<string, Value>>> {
  return { type: 'object', ...keywords, additionalProperties: value }
}

/** One of a fixed set of texts. */
export function defineEnum<const Value extends string>(
  values: readonly Value[],
  keywords: JsonSchema = {},
): TypedSchema<Value> {
  return { type: 'string', enum: values, ...keywords }
}
