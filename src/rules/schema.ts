import type { Place } from '../engine/rule/place.ts'
import { PAGE_STATES } from '../engine/rule/types.ts'
import type { JsonSchema } from '../yaml/typed-schema.ts'
import { findWordForm } from './word-forms.ts'

/** Keys of a clause that are not places. */
export const GROUPS = ['all', 'any', 'not', 'of'] as const
export const TESTS = ['is', 'has', 'under', 'match', 'version', 'versionText', 'from', 'attr', 'case'] as const
export const CLAUSE_KEYS: readonly string[] = [...GROUPS, ...TESTS, 'atLeast', 'weight', 'points', 'fitted']

/** Form of every slug. */
export const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Form of what a rule requires: a slug, or a category. */
const REQUIRED = /^(?:category:)?[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Text that is not empty. */
export const text = { type: 'string', minLength: 1 }
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
  title: 'a name: one line of text, without surrounding space',
}
const slug = {
  type: 'string',
  pattern: SLUG.source,
  title: 'a slug: lower-case letters, digits, hyphens',
}
export const slugs = oneOrMore(slug)
const flag = { type: 'boolean', const: true }
const positive = { type: 'integer', minimum: 1 }
const tenths = { type: 'integer', minimum: -200, maximum: 200 }
export const url = { type: 'string', pattern: '^https?://[^\\s]+$', title: 'an http or https URL' }

const RULE_SCHEMA_HEAD = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Siteprint rule',
  type: 'object',
  additionalProperties: false,
  required: ['name', 'detect'],
}

/** Keys of site types. */
const typeKeys = {
  prior: {
    ...tenths,
    description:
      'Site types: the score of a page on which no clause holds, in tenths of log-odds; written by `rules fit`',
  },
  fitted: {
    type: 'boolean',
    const: false,
    description: 'Site types: prior and points are written by hand, and `rules fit` does not change them',
  },
  thin: { ...flag, description: 'Site types: also applies to a page with fewer than 20 visible words' },
  unnamed: { ...flag, description: 'Site types: stands for pages of no type; if it wins, the site type is null' },
}

/** Keys of responses. */
const RESPONSE_PROPERTIES = {
  state: {
    type: 'string',
    enum: PAGE_STATES.filter((state) => state !== 'site'),
    description: 'Responses, and site types of pages that are no site: what came back instead of the site',
  },
  by: { ...slug, description: 'Responses: slug of the rule of the product or provider whose page it is' },
  byName: {
    ...name,
    description: 'Responses: the name of the product or provider whose page it is, if no rule has this name',
  },
  ofSite: { ...flag, description: 'Responses: a page of the site itself, whose code tells the builder' },
}

/** Relations to other rules. */
const RELATIONS = {
  implies: {
    ...slugs,
    description: 'Slugs of rules that also apply whenever this one does; this one is more specific',
  },
  usual: {
    ...slugs,
    description: 'Slugs of `implies` that usually apply, but not always: they reach medium at most',
  },
  requires: {
    ...oneOrMore({ ...slug, pattern: REQUIRED.source, title: `${slug.title}; or category: and a category` }),
    description: 'The rule counts only if each of these, or some rule of a category, reaches medium',
  },
  excludes: { ...slugs, description: 'Cannot occur together; the rule with the lower level is dropped' },
}

/**
 * Builds the schema of a rule file from what the detectors declare. A clause has one flat schema, because with a choice of
 * schemas Ajv would report every branch for a single error.
 */
export function buildRuleSchema(detectors: readonly Place[]): JsonSchema {
  return {
    ...RULE_SCHEMA_HEAD,
    properties: {
      name: { ...name, description: 'Display name' },
      website: url,
      about: {
        type: 'string',
        minLength: 10,
        maxLength: 120,
        pattern: '^[^\\s\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*\\.$',
        title: 'one sentence of at most 120 characters, which ends with a full stop',
        description: 'What it is, in one sentence for people who do not know it',
      },
      description: text,
      category: { ...text, description: 'Builders: a key of `builders` in categories.yaml' },
      aiNative: { type: 'boolean', description: 'Builders: whether a model makes the site' },
      hosting: { ...text, description: 'Closed builders: the hosting rule that a high verdict proves' },
      ...RESPONSE_PROPERTIES,
      imported: {
        ...flag,
        description: 'Made by `rules import`: tests, sources and a date are optional, and lint only advises',
      },
      role: { type: 'string', enum: ['cdn'], description: 'Hosting: runs in front of an origin server' },
      ...RELATIONS,
      ...typeKeys,
      detect: {
        type: 'array',
        minItems: 1,
        items: { $ref: '#/definitions/clause' },
        description: 'Clauses, any of which counts',
      },
      source: { ...oneOrMore(url), description: 'URL or URLs that document the evidence' },
      verified: {
        type: 'string',
        format: 'date',
        description: 'Day on which the source was read',
        title: 'a day that exists, YYYY-MM-DD',
      },
    },
    definitions: { clause: clauseSchema(detectors) },
  }
}

/** The tests of a clause. */
const testProperties = {
  is: oneOrMore(text, 'The whole value'),
  has: oneOrMore(text, 'A part of the value'),
  under: oneOrMore(text, 'A locator that covers the value, which must be a URL or a host'),
  match: { ...text, description: 'A regular expression, for what the other tests cannot express' },
  version: {
    type: ['integer', 'boolean'],
    minimum: 1,
    not: { const: true },
    description:
      'Number of the capture group of `match` that contains the version; false if the version that the place brings is not that of the product',
  },
  versionText: {
    ...text,
    description:
      'The version as a text: \\1 is group 1 of `match`, and \\1?a:b is a if the group matched something, else b',
  },
  from: { type: 'string', enum: ['own', 'other'], description: "Whether the URL belongs to the page's own site" },
  attr: { ...text, description: 'The attribute of the element to test, instead of its text' },
  case: { type: 'string', enum: ['exact'], description: 'Compares case in the word and in the tests' },
}

function clauseSchema(detectors: readonly Place[]): JsonSchema {
  const clauses = { type: 'array', minItems: 1, items: { $ref: '#/definitions/clause' } }
  const places = detectors.map((detector) => {
    const { says, pattern } = findWordForm(detector)
    const type = detector.word === 'value' ? ['string', 'integer'] : 'string'
    const item = { type, minLength: 1, ...(pattern && { pattern, title: says }) }
    return [detector.key, oneOrMore(item, `${detector.about}. ${says[0].toUpperCase()}${says.slice(1)}`)]
  })
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(places),
      ...testProperties,
      atLeast: { ...positive, description: 'Minimum size of the hit; with `of`, the number of clauses that must hold' },
      weight: {
        type: 'string',
        enum: ['strong', 'medium', 'weak'],
        description: 'Weight of the clause; by default the highest that its place allows',
      },
      points: {
        type: 'object',
        minProperties: 1,
        propertyNames: slug,
        additionalProperties: tenths,
        description: 'Site types: tenths of log-odds that the clause gives to each type; written by `rules fit`',
      },
      fitted: {
        type: 'boolean',
        const: false,
        description: 'Site types: the points of this clause are written by hand, and `rules fit` does not change them',
      },
      all: { ...clauses, description: 'All of these clauses hold' },
      any: { ...clauses, description: 'At least one of these clauses holds' },
      of: { ...clauses, description: 'At least `atLeast` of these clauses hold' },
      not: { description: 'The clause does not hold', allOf: [{ $ref: '#/definitions/clause' }] },
    },
  }
}
