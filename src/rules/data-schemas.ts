import { type DataOf, defineEnum, defineMapping, defineObject, defineSchema } from '../yaml/typed-schema.ts'
import * as json from './schema.ts'

const text = defineSchema<string>(json.text)
const texts = defineSchema<readonly string[]>({ type: 'array', items: text })
const slugs = (description?: string) =>
  defineSchema<string | readonly string[]>({ ...json.slugs, ...(description && { description }) })
const nullableText = (description: string) => defineSchema<string | null>({ type: ['string', 'null'], description })

const pair = { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2, title: 'a pair: [name, value]' }

const bodies = (description: string) =>
  defineSchema<readonly { readonly url: string; readonly text: string }[]>({
    type: 'array',
    items: defineObject({ url: text, text }, {}),
    description,
  })

const pageSchema = defineObject(
  {},
  {
    url: defineSchema<string>(json.url),
    status: defineSchema<number>({ type: 'integer', minimum: 100, maximum: 599 }),
    headers: defineSchema<
      Readonly<Record<string, string | readonly string[]>> | readonly (readonly [name: string, value: string])[]
    >({
      type: ['object', 'array'],
      additionalProperties: { type: ['string', 'array'], items: { type: 'string' } },
      items: pair,
    }),
    html: text,
    dns: defineMapping(texts),
    tls: defineObject({}, { issuer: text, names: texts }),
    address: defineSchema<string>({
      type: 'string',
      pattern: '^[0-9a-fA-F:.]+$',
      title: 'an IPv4 or IPv6 address',
      description: 'The address that answered; its network is that of the table',
    }),
    robots: text,
    favicon: defineSchema<number>({ type: 'integer' }),
    scripts: bodies('Scripts that the page loads from its own site'),
    styles: bodies('Style sheets that the page links'),
    globals: defineSchema<Readonly<Record<string, string>>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Properties of `window` in a browser, by their path, with their text; empty for an object',
    }),
  },
  { minProperties: 1 },
)

const page = defineSchema<DataOf<typeof pageSchema>>({ $ref: '#/definitions/page' })

const hitSchema = defineObject(
  { page },
  {
    confidence: defineEnum(['high', 'medium', 'low'], {
      description: "The rule's own level; required except for site types",
    }),
    also: slugs('Slugs of other rules that fire on this page, too'),
    hosting: nullableText('Hosting in the verdict; null for none'),
    siteType: nullableText('Site type in the verdict; null for none'),
    technologies: defineSchema<readonly string[]>({
      type: 'array',
      items: text,
      description: 'Names that the technologies of the verdict contain',
    }),
    versions: defineMapping(text),
    words: defineSchema<boolean>({
      type: 'boolean',
      const: true,
      description: 'A bare list of tags, URLs, headers or records that shows many words of the rule at once',
    }),
  },
)
const missSchema = defineObject({ page }, { also: slugs() })

/** A page on which a rule must fire, and the verdict it must give. */
export type HitData = DataOf<typeof hitSchema>
/** A page on which a rule must not fire. */
export type MissData = DataOf<typeof missSchema>

const testFile = defineObject(
  {
    hits: defineSchema<readonly HitData[]>({ type: 'array', minItems: 1, items: hitSchema }),
    misses: defineSchema<readonly MissData[]>({ type: 'array', minItems: 1, items: missSchema }),
  },
  {},
)

/** Content of a test file. */
export type TestData = DataOf<typeof testFile>

/** The schema of a test file. */
export const testSchema = defineSchema<TestData>({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Siteprint rule test',
  ...testFile,
  definitions: { page: pageSchema },
})

const ordinaryPageSchema = defineObject(
  {
    about: defineSchema<string>({ ...json.text, description: 'Subject of the page, by which reports name it' }),
    page,
  },
  {
    also: slugs('Slugs of the rules that rightly fire on this page; no other rule may'),
    siteType: nullableText('Site type in the verdict; null for none'),
  },
)

/** A page on which no rule may fire except those that it lists. */
export type OrdinaryPageData = DataOf<typeof ordinaryPageSchema>

/** The schema of a file with ordinary pages. */
export const ordinaryPagesSchema = defineSchema<{ readonly pages: readonly OrdinaryPageData[] }>({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Siteprint ordinary pages',
  ...defineObject(
    { pages: defineSchema<readonly OrdinaryPageData[]>({ type: 'array', minItems: 1, items: ordinaryPageSchema }) },
    {},
  ),
  definitions: { page: pageSchema },
})

/** The schema of categories.yaml. */
export const categoriesSchema = defineObject(
  {
    builders: defineMapping(
      defineObject({}, { title: text, revision1: text, standsBack: defineSchema<boolean>({ type: 'boolean' }) }),
    ),
    technologies: defineMapping(text),
  },
  {
    siteTypes: defineObject(
      {
        threshold: defineSchema<number>({ type: 'integer' }),
        margin: defineSchema<number>({ type: 'integer', minimum: 0 }),
      },
      { margins: defineMapping(defineSchema<number>({ type: 'integer', minimum: 0 })) },
    ),
  },
)

/** Content of categories.yaml. */
export type CategoriesData = DataOf<typeof categoriesSchema>
