import type { Place } from '../engine/rule/place.ts'
import { wordOf } from './word-forms.ts'

/** A JSON Schema (draft 7). */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Keys of a clause that are no places. */
export const GROUPS = ['all', 'any', 'not', 'of'] as const
export const TESTS = ['is', 'has', 'under', 'match', 'version', 'from', 'attr', 'case'] as const
export const CLAUSE_KEYS: readonly string[] = [...GROUPS, ...TESTS, 'atLeast', 'weight']

/** How every slug is written. */
export const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

const text = { type: 'string', minLength: 1 }
const oneOrMore = (item: JsonSchema, description?: string): JsonSchema => ({
  ...item,
  ...(description && { description }),
  type: [item.type, 'array'].flat(),
  items: item,
  minItems: 1,
})
const name = {
  type: 'string',
  pattern: '^[^\\s\\x00-\\x1f\\x7f]([^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f])?$',
  title: 'a name: one line of text, without space around it',
}
/** An object with these keys alone. */
const only = (properties: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: false, properties })
const slug = {
  type: 'string',
  pattern: SLUG.source,
  title: 'a slug: lower-case letters, digits, hyphens',
}
const slugs = oneOrMore(slug)
const flag = { type: 'boolean', const: true }
const positive = { type: 'integer', minimum: 1 }
const url = { type: 'string', pattern: '^https?://[^\\s]+$', title: 'an http or https URL' }

/**
 * The schema of a rule file, put together from what the detectors declare. One flat schema for a clause:
 * of a choice of schemas ajv would report every branch for one fault.
 */
export function buildRuleSchema(detectors: readonly Place[]): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Siteprint rule',
    type: 'object',
    additionalProperties: false,
    required: ['name', 'detect', 'source', 'verified'],
    properties: {
      name: { ...name, description: 'What people call it' },
      website: url,
      description: text,
      category: { ...text, description: 'Builders: a key of `builders` in categories.yaml' },
      aiNative: { type: 'boolean', description: 'Builders: whether a model makes the site' },
      hosting: { ...text, description: 'Closed builders: the hosting rule that a high verdict proves' },
      role: { type: 'string', enum: ['cdn'], description: 'Hosting: stands in front of an origin' },
      implies: { ...slugs, description: 'What is there as well; this one is the more specific' },
      requires: { ...slugs, description: 'Dropped unless each of these stands at medium' },
      excludes: { ...slugs, description: 'Of two, the lower level goes' },
      rank: { type: 'integer', description: 'Site types: larger wins a tie' },
      fallback: { ...flag, description: 'Site types: holds when no other does' },
      thin: { ...flag, description: 'Site types: may be given to a page of fewer than 20 visible words' },
      detect: { type: 'array', minItems: 1, items: { $ref: '#/definitions/clause' }, description: 'Any of these' },
      source: { ...oneOrMore(url), description: 'Where the evidence stands' },
      verified: { type: 'string', format: 'date', description: 'When it was read', title: 'a date, YYYY-MM-DD' },
    },
    definitions: { clause: clauseSchema(detectors) },
  }
}

function clauseSchema(detectors: readonly Place[]): JsonSchema {
  const clauses = { type: 'array', minItems: 1, items: { $ref: '#/definitions/clause' } }
  const places = detectors.map((detector) => {
    const { says, pattern } = wordOf(detector)
    const type = detector.word === 'value' ? ['string', 'integer'] : 'string'
    const item = { type, minLength: 1, ...(pattern && { pattern, title: says }) }
    return [detector.key, oneOrMore(item, `${detector.about}. ${says[0].toUpperCase()}${says.slice(1)}`)]
  })
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(places),
      is: oneOrMore(text, 'The whole value'),
      has: oneOrMore(text, 'A part of the value'),
      under: oneOrMore(text, 'A locator, for values that are URLs or hosts'),
      match: { ...text, description: 'A regular expression, for what the others cannot say' },
      version: { ...positive, description: 'The capture group of `match` that is the version' },
      from: { type: 'string', enum: ['own', 'other'], description: "Whether the URL is the page's own site" },
      attr: { ...text, description: 'The attribute of the element to test, instead of its text' },
      case: { type: 'string', enum: ['exact'], description: 'Case matters, in word and tests' },
      atLeast: { ...positive, description: 'How large the hit must be; with `of`, how many clauses must hold' },
      weight: { type: 'string', enum: ['strong', 'medium', 'weak'] },
      all: clauses,
      any: clauses,
      of: clauses,
      not: { $ref: '#/definitions/clause' },
    },
  }
}

const pair = { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2, title: 'a pair: [name, value]' }

/** The schema of a test file. */
export const testSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Siteprint rule test',
  type: 'object',
  additionalProperties: false,
  required: ['hits', 'misses'],
  properties: {
    hits: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['page', 'confidence'],
        properties: {
          page: { $ref: '#/definitions/page' },
          confidence: { type: 'string', enum: ['high', 'medium', 'low'], description: "The rule's own level" },
          also: { ...slugs, description: 'Other rules that rightly fire here' },
          hosting: { type: ['string', 'null'], description: 'The hosting of the verdict; null for none' },
          siteType: { type: ['string', 'null'], description: 'The site type of the verdict; null for none' },
          technologies: { type: 'array', items: text, description: 'Names that are among the technologies' },
          versions: { type: 'object', additionalProperties: text },
        },
      },
    },
    misses: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['page'],
        properties: { page: { $ref: '#/definitions/page' }, also: slugs },
      },
    },
  },
  definitions: {
    page: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        url,
        status: { type: 'integer', minimum: 100, maximum: 599 },
        headers: {
          type: ['object', 'array'],
          additionalProperties: { type: ['string', 'array'], items: { type: 'string' } },
          items: pair,
        },
        html: text,
        dns: { type: 'object', additionalProperties: { type: 'array', items: text } },
        tls: only({ issuer: text, names: { type: 'array', items: text } }),
        robots: text,
        favicon: { type: 'integer' },
      },
    },
  },
}

/** The schema of categories.yaml. */
export const categoriesSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['builders', 'technologies'],
  properties: {
    builders: {
      type: 'object',
      additionalProperties: only({ revision1: text, standsBack: { type: 'boolean' } }),
    },
    technologies: { type: 'object', additionalProperties: text },
  },
}
