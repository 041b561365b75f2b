import { type DataOf, defineMapping, defineObject, defineSchema } from '../yaml/typed-schema.ts'

const slug = { type: 'string', pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' }
const text = defineSchema<string>({ type: 'string', minLength: 1 })
const day = defineSchema<string>({ type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', title: 'a day: 2026-11-27' })

/** A day; true if it has passed and is not known; false if none is set. */
const dayOrFlag = (description: string) =>
  defineSchema<string | boolean>({
    anyOf: [day, { type: 'boolean' }],
    title: 'a day (2026-11-27), true (it has passed) or false (none is set)',
    description,
  })

const cycle = defineObject(
  { cycle: text, released: day, ends: dayOrFlag('The last day with security fixes') },
  { activeEnds: dayOrFlag('The last day with other fixes'), latest: text },
)

const product = defineObject(
  {
    product: defineSchema<string>({ ...text, description: 'Name of the product in the source' }),
    cpe: defineSchema<string | null>({
      type: ['string', 'null'],
      pattern: '^cpe:2\\.3:[aoh]:(?:[a-z0-9._-]|\\\\[!-/:-@\\[-`{-~])+:(?:[a-z0-9._-]|\\\\[!-/:-@\\[-`{-~])+$',
      description: 'The CPE 2.3 name up to the product',
    }),
    npm: defineSchema<string | null>({ type: ['string', 'null'], description: 'Name of the npm package' }),
    cycles: defineSchema<readonly DataOf<typeof cycle>[]>({ type: 'array', items: cycle, minItems: 1 }),
  },
  {
    packaged: defineSchema<boolean>({ type: 'boolean', const: true, description: 'Distributions patch old versions' }),
  },
)

/** The schema of rules/lifecycles.json. */
export const lifecyclesSchema = defineObject(
  {
    source: text,
    commit: defineSchema<string>({ type: 'string', pattern: '^[0-9a-f]{7,40}$' }),
    date: defineSchema<string>({ ...day, description: 'Day of the commit' }),
    distributions: defineSchema<readonly string[]>({
      type: 'array',
      items: slug,
      uniqueItems: true,
      description: 'Slugs of the operating systems that patch old versions of what they package',
    }),
    products: defineMapping(product, { propertyNames: slug }),
  },
  {},
)

/** Content of rules/lifecycles.json: slug of a rule → its releases. */
export type Lifecycles = DataOf<typeof lifecyclesSchema>
/** A product and its release cycles, the newest first. */
export type Product = DataOf<typeof product>
/** A release cycle. Its name is the beginning of the versions that belong to it. */
export type Cycle = DataOf<typeof cycle>
