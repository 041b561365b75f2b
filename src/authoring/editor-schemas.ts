import { CATEGORY_PREFIX, FOUND } from '../engine/rule/clause.ts'
import type { Place } from '../engine/rule/place.ts'
import type { Categories, RuleKind } from '../engine/rule/types.ts'
import { isMisplaced, REQUIRED_KEYS } from '../rules/checks/rule-keys.ts'
import { testSchema } from '../rules/data-schemas.ts'
import { KINDS } from '../rules/discover.ts'
import { buildRuleSchema, GROUPS } from '../rules/schema.ts'
import type { JsonSchema, Properties } from '../yaml/typed-schema.ts'

/** The values that editor schemas list in addition to the keys of the rule format. */
export interface EditorLists {
  readonly categories: Categories
  readonly rules: readonly { readonly kind: RuleKind; readonly slug: string }[]
}

const DRAFT = 'http://json-schema.org/draft-07/schema#'
const SLUGS_FILE = 'slugs.json'

/**
 * Builds the JSON Schemas for editors by file name: one for each kind of rule, one for test files, one for each folder of rules,
 * and `slugs.json`, to which the others refer, so that a new rule changes this file only. They are stricter than the schema that checks rules when they are
 * loaded, because there the checks that know the whole ruleset give better messages.
 * @param renewal how to list a new slug, for messages of editors
 */
export function buildEditorSchemas(
  places: readonly Place[],
  lists: EditorLists,
  renewal = 'run: tools/run docs --write',
): Readonly<Record<string, JsonSchema>> {
  const kinds = [...KINDS].flatMap(([folder, kind]) => [
    [`${kind}.json`, buildKindSchema(kind, places)],
    [`folder-${folder}.json`, buildFolderSchema(kind)],
  ])
  return {
    ...Object.fromEntries(kinds),
    'test.json': buildTestSchema(),
    [SLUGS_FILE]: buildSlugsSchema(lists, renewal),
  }
}

/**
 * A folder contains rules and tests, and patterns of yaml-language-server (1.25) for files cannot exclude the tests, so
 * the schema of a folder distinguishes them, with a keyword of that server. So does the one that gives each document of a file a
 * schema: the second one contains the tests of the rule.
 */
function buildFolderSchema(kind: RuleKind): JsonSchema {
  const file = {
    if: { filePatternAssociation: '*.test.yaml' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { $ref: 'test.json' },
    else: { $ref: `${kind}.json` },
  }
  return { $schema: DRAFT, ...file, schemaSequence: [file, { $ref: 'test.json' }] }
}

/** The closed lists, as definitions. */
function buildSlugsSchema({ categories, rules }: EditorLists, renewal: string): JsonSchema {
  const list = (...kinds: readonly RuleKind[]): JsonSchema => ({
    enum: [...new Set(rules.filter(({ kind }) => kinds.includes(kind)).map(({ slug }) => slug))].sort(),
    // yaml-language-server would list all of them.
    errorMessage: `There is no such slug of a ${kinds.join(' or ')} rule. To list a new slug, ${renewal}`,
  })
  const builderCategories = Object.keys(categories.builders)
  const categoryWords = builderCategories.map((category) => `${CATEGORY_PREFIX}${category}`)
  const product = list('builder', 'technology')
  return {
    $schema: DRAFT,
    title: 'Slugs and categories of the rules',
    definitions: {
      category: { enum: builderCategories },
      found: { ...product, enum: [...(product.enum as string[]), ...categoryWords] },
      product,
      hosting: list('hosting'),
      siteType: list('site-type'),
      any: list('builder', 'technology', 'hosting'),
    },
  }
}

function refer(name: string, description?: string): JsonSchema {
  // Next to `$ref`, draft 7 ignores other keywords.
  return { ...(description && { description }), allOf: [{ $ref: `${SLUGS_FILE}#/definitions/${name}` }] }
}

function referToMany({ description }: JsonSchema, name: string): JsonSchema {
  const one = { $ref: `${SLUGS_FILE}#/definitions/${name}` }
  return { description, anyOf: [one, { type: 'array', minItems: 1, items: one }] }
}

function buildKindSchema(kind: RuleKind, places: readonly Place[]): JsonSchema {
  const { properties, required, ...schema } = buildRuleSchema(
    kind === 'site-type' ? places : places.filter(({ key }) => key !== FOUND.key),
  ) as { properties: Properties; required: readonly string[]; definitions: { clause: JsonSchema } }
  const own = Object.entries(properties).filter(([key]) => !isMisplaced(key, kind))
  return {
    ...schema,
    title: `Siteprint rule: ${kind}`,
    required: [...required, ...REQUIRED_KEYS[kind]],
    properties: Object.fromEntries(own.map(([key, value]) => [key, narrow(key, acceptNumbers(value), kind)])),
    definitions: { clause: buildClauseSchema(schema.definitions.clause, places) },
  }
}

/** Accepts numbers and booleans where any text is allowed: editors read `is: 404` as a number, and the loader as text. */
function acceptNumbers(schema: JsonSchema): JsonSchema {
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(change)
    return typeof value === 'object' && value !== null ? acceptNumbers(value as JsonSchema) : value
  }
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, change(value)]))
  const types = [schema.type].flat()
  const isFreeText = types.includes('string') && !['enum', 'pattern', 'format'].some((key) => key in schema)
  return isFreeText ? { ...parts, type: [...types, 'number', 'boolean'] } : parts
}

/** Replaces free text by a closed list where a key has one. */
function narrow(key: string, schema: JsonSchema, kind: RuleKind): JsonSchema {
  if (key === 'category') return refer('category', String(schema.description))
  if (key === 'hosting') return refer('hosting', String(schema.description))
  const isRelation = ['implies', 'usual', 'requires', 'excludes'].includes(key)
  return isRelation ? referToMany(schema, kind === 'hosting' ? 'hosting' : 'product') : schema
}

function buildClauseSchema(clause: JsonSchema, places: readonly Place[]): JsonSchema {
  const properties = acceptNumbers(clause.properties as JsonSchema) as Properties
  const keys = places.map(({ key }) => key).filter((key) => key in properties)
  const selectors = places.filter(({ word }) => word === 'selector').map(({ key }) => key)
  const names = [...keys, ...GROUPS]
  return {
    ...clause,
    properties: { ...properties, ...buildWordLists(properties, places) },
    dependencies: {
      version: { anyOf: [{ required: ['match'] }, { properties: { version: { const: false } } }] },
      ...(selectors.length === 1 && { attr: selectors }),
    },
    // yaml-language-server reads `errorMessage`; other programs report the missing key "one place".
    if: { oneOf: names.map((name) => ({ required: [name] })) },
    else: {
      required: ['one place'],
      errorMessage: `A clause has exactly one place or group: ${names.join(', ')}.`,
    },
  }
}

/** Lists the words of places that have a closed list. */
function buildWordLists(properties: Properties, places: readonly Place[]): Properties {
  const lists = places.flatMap(({ key, names, labels }): [string, JsonSchema][] => {
    if (!(key in properties)) return []
    const { description } = properties[key]
    if (key === FOUND.key) return [[key, referToMany({ description }, 'found')]]
    if (names === undefined) return []
    const one = labels
      ? { anyOf: [{ enum: names }, { type: 'string', pattern: `^(?:${names.join('|')}) \\S+$` }] }
      : { enum: names }
    return [[key, { description, anyOf: [one, { type: 'array', minItems: 1, items: one }] }]]
  })
  return Object.fromEntries(lists)
}

function buildTestSchema(): JsonSchema {
  type Fixtures = { readonly items: { readonly properties: Properties } }
  const { properties, ...schema } = acceptNumbers(testSchema) as unknown as {
    properties: { hits: Fixtures; misses: Fixtures }
  }
  const list = (fixtures: Fixtures, own: Properties): JsonSchema => ({
    ...fixtures,
    items: { ...fixtures.items, properties: { ...fixtures.items.properties, ...own } },
  })
  const { hits, misses } = properties
  const siteType = String(hits.items.properties.siteType.description)
  return {
    ...schema,
    properties: {
      hits: list(hits, {
        also: referToMany(hits.items.properties.also, 'any'),
        siteType: { description: siteType, anyOf: [refer('siteType'), { type: 'null' }] },
      }),
      misses: list(misses, {
        also: referToMany({ description: 'Slugs of other rules that fire on this page' }, 'any'),
      }),
    },
  }
}
