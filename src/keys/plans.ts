import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { load } from 'js-yaml'
import { SetupError } from '../errors.ts'
import type { FileFinding } from '../yaml/finding.ts'
import { SchemaValidator } from '../yaml/schema-validator.ts'
import { SourceFile } from '../yaml/source-file.ts'
import { type DataOf, defineMapping, defineObject, defineSchema } from '../yaml/typed-schema.ts'
import type { Key } from './types.ts'

/** The plan of the key that a first start creates. */
export const FIRST_PLAN = 'free'

/** A billion: MongoDB counts it exactly, and no plan needs more. */
export const MAX_REQUESTS = 1_000_000_000

/** Pages of a site that one scan may read in any plan, and in a plan that does not say. */
export const MAX_PAGES = 5

const ownFile = join(import.meta.dirname, 'plans.yaml')

const wholeNumber = (minimum: number) =>
  defineSchema<number>({
    type: 'integer',
    minimum,
    maximum: MAX_REQUESTS,
    title: `a whole number from ${minimum} to ${MAX_REQUESTS}`,
  })

const planSchema = defineMapping(
  defineObject(
    {
      /** Requests per minute. */
      perMinute: wholeNumber(1),
      /** Charged requests per calendar month (UTC). */
      perMonth: wholeNumber(0),
    },
    {
      /** Keys that an account may have. */
      keys: wholeNumber(1),
      /** URLs that one batch may contain. */
      batchUrls: wholeNumber(0),
      /** Pages of a site that one scan may read. */
      pages: defineSchema<number>({
        type: 'integer',
        minimum: 1,
        maximum: MAX_PAGES,
        title: `a whole number from 1 to ${MAX_PAGES}`,
      }),
    },
    { title: 'a mapping with perMinute, perMonth and, optionally, keys, batchUrls and pages' },
  ),
  {
    title: 'a mapping from names of plans to perMinute, perMonth and, optionally, keys, batchUrls and pages',
    propertyNames: {
      pattern: '^[a-z][a-z0-9-]*$',
      title: 'a name of a plan: lower-case letters, digits and hyphens, beginning with a letter',
    },
  },
)

type PlanData = DataOf<typeof planSchema>

/** The limits of a key, and of the account that it may belong to. */
export type Plan = { readonly name: string } & Required<Omit<PlanData[string], 'batchUrls' | 'pages'>> &
  Pick<PlanData[string], 'batchUrls' | 'pages'>

/** URLs that a batch may contain in a plan that does not say. */
const DEFAULT_BATCH_URLS = 100
/** URLs that a batch may contain in any plan, so that creating it takes seconds and a list of its results stays readable. */
const MAX_BATCH_URLS = 50_000

const validator = new SchemaValidator(planSchema, { coerceTypes: false })

/**
 * The plans of a file, in its order: name → plan. Readers share the object, so that all of them see a reload
 * immediately.
 */
export class PlanTable extends Map<string, Plan> {
  readonly #path: string

  /** @param path an absolute path, so that a reload reads the same file */
  constructor(path: string) {
    super(readPlans(path))
    this.#path = path
  }

  /**
   * Reads the file again.
   * @returns the names of plans that were added, changed or removed
   * @throws SetupError with every problem of the file; the plans then stay as they are
   */
  reload(): readonly string[] {
    const before = new Map(this)
    const after = readPlans(this.#path)
    this.clear()
    for (const [name, plan] of after) this.set(name, plan)
    const names = new Set([...before.keys(), ...after.keys()])
    return [...names].filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)))
  }
}

/**
 * Reads the plans.
 * @param file YAML with the structure of src/keys/plans.yaml, which is read if the argument is absent
 * @throws SetupError with every problem: file, line and what to write
 */
export function loadPlans(file: string = ownFile): PlanTable {
  return new PlanTable(resolve(file))
}

function readPlans(path: string): ReadonlyMap<string, Plan> {
  const data = path === ownFile ? (load(readContent(path).toString()) as PlanData) : readChecked(path)
  if (!Object.hasOwn(data, FIRST_PLAN))
    throw new SetupError(`${path}:1: the plan "${FIRST_PLAN}" is missing: the first key gets it`)
  return new Map(
    Object.entries(data).map(([name, plan]) => [name, Object.freeze({ name, ...plan, keys: plan.keys ?? 1 })]),
  )
}

/** Reads the plans of an operator. Those of the service itself are checked by a test: the check takes a tenth of a start. */
function readChecked(path: string): PlanData {
  const source = new SourceFile(path, { content: readContent(path), schema: 'core' })
  throwOnFindings(source.findings)
  throwOnFindings(validator.check(source).map(({ finding }) => finding))
  return source.data as PlanData
}

function readContent(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new SetupError(`${path}: the plans cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** @throws SetupError with a line for each finding, sorted by line */
function throwOnFindings(findings: readonly FileFinding[]): void {
  const sorted = [...findings].sort((a, b) => a.line - b.line)
  // A plan that several aliases refer to is reported once for each of them.
  const lines = new Set(sorted.map(({ file, line, sentence }) => `${file}:${line}: ${sentence}`))
  if (lines.size > 0) throw new SetupError([...lines].join('\n'))
}

/**
 * Finds the plan of a key. If the file no longer contains it, the key gets the plan with the lowest quota: it must not stop
 * working, nor get more than before.
 * @param plans at least one
 */
export function findPlan(plans: ReadonlyMap<string, Plan>, name: string): Plan {
  const findLower = (a: Plan, b: Plan): Plan =>
    b.perMonth < a.perMonth || (b.perMonth === a.perMonth && b.perMinute < a.perMinute) ? b : a
  return plans.get(name) ?? [...plans.values()].reduce(findLower)
}

/** The limits of a key: its own, or those of its plan where it has none. */
export function findLimits(
  plans: ReadonlyMap<string, Plan>,
  key: Pick<Key, 'plan' | 'perMinute' | 'perMonth'>,
): Pick<Plan, 'perMinute' | 'perMonth'> {
  const plan = findPlan(plans, key.plan)
  return { perMinute: key.perMinute ?? plan.perMinute, perMonth: key.perMonth ?? plan.perMonth }
}

/** The number of URLs that a batch of a key may contain; 0 if its plan has no batches. */
export function findBatchLimit(plans: ReadonlyMap<string, Plan>, key: Pick<Key, 'plan'>): number {
  return Math.min(findPlan(plans, key.plan).batchUrls ?? DEFAULT_BATCH_URLS, MAX_BATCH_URLS)
}

/** The number of pages that one scan of a key may read; 1 if its plan allows only the page that is named. */
export function findPageLimit(plans: ReadonlyMap<string, Plan>, key: Pick<Key, 'plan'>): number {
  return findPlan(plans, key.plan).pages ?? MAX_PAGES
}
