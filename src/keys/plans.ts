import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv, type ErrorObject } from 'ajv'
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import { SetupError } from '../errors.ts'

/** What a key may ask for. */
export interface Plan {
  readonly name: string
  /** Requests in a minute. */
  readonly perMinute: number
  /** Requests in a month (UTC): those that are charged. */
  readonly perMonth: number
}

/** The plan of the key that a first start makes. */
export const FIRST_PLAN = 'free'

const ownFile = join(import.meta.dirname, 'plans.yaml')
const NAME = '^[a-z][a-z0-9-]*$'
const LIMITS = 'perMinute and perMonth'
// A thousand million: MongoDB counts it exactly, and nobody needs more.
const most = 1_000_000_000
const checkPlans = new Ajv({ allErrors: true, verbose: true }).compile({
  type: 'object',
  required: [FIRST_PLAN],
  propertyNames: { pattern: NAME },
  additionalProperties: {
    type: 'object',
    additionalProperties: false,
    required: ['perMinute', 'perMonth'],
    properties: {
      perMinute: { type: 'integer', minimum: 1, maximum: most },
      perMonth: { type: 'integer', minimum: 0, maximum: most },
    },
  },
})

/**
 * Reads the plans, in the order of the file: name → plan.
 * @param file YAML laid out as src/keys/plans.yaml, which is read when absent
 * @throws SetupError with every fault: file, line and what to write
 */
export function loadPlans(file: string = ownFile): ReadonlyMap<string, Plan> {
  const path = resolve(file)
  const lines = new LineCounter()
  const document = parseDocument(readText(path), { prettyErrors: false, logLevel: 'error', lineCounter: lines })
  const lineOf = (offset: number): number => Math.max(lines.linePos(offset).line, 1)
  refuse(
    path,
    [...document.errors, ...document.warnings].map(({ pos, message }) => [lineOf(pos[0]), message] as const),
  )
  const data = dataOf(document, path)
  if (!checkPlans(data)) {
    const errors = (checkPlans.errors ?? []).filter(({ keyword }) => keyword !== 'propertyNames')
    refuse(
      path,
      errors.map((error) => [lineOf(placeOf(document, error)), sentenceOf(error)] as const),
    )
  }
  const limits = Object.entries(data as Record<string, Omit<Plan, 'name'>>)
  return new Map(limits.map(([name, { perMinute, perMonth }]) => [name, Object.freeze({ name, perMinute, perMonth })]))
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    throw new SetupError(`${path}: the plans cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** Aliases of nothing, and those that multiply, are faults that only reading them out shows. */
function dataOf(document: Document, path: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    throw new SetupError(`${path}: this is no YAML: ${(error as Error).message}`)
  }
}

/** @throws SetupError when there are faults, in the order of their lines */
function refuse(path: string, faults: readonly (readonly [line: number, sentence: string])[]): void {
  const told = [...faults].sort(([a], [b]) => a - b).map(([line, sentence]) => `${path}:${line}: ${sentence}`)
  if (told.length > 0) throw new SetupError([...new Set(told)].join('\n'))
}

/** Offset in the file of what an error is about: an unknown key itself, else the value. */
function placeOf({ contents }: Document, { instancePath, params, propertyName }: ErrorObject): number {
  const key = params.additionalProperty ?? propertyName
  const steps = [...instancePath.split('/').slice(1).map(unescapePointer), ...(key === undefined ? [] : [String(key)])]
  let node: unknown = contents
  let at = 0
  for (const step of steps) {
    const pair = isMap(node) && node.items.find((item) => isScalar(item.key) && String(item.key.value) === step)
    if (!pair) break
    at = (isNode(pair.key) && pair.key.range?.[0]) || at
    node = pair.value
  }
  return at
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

function sentenceOf({ keyword, instancePath, params, propertyName }: ErrorObject): string {
  const [plan, key] = instancePath.split('/').slice(1).map(unescapePointer)
  if (propertyName !== undefined)
    return `"${propertyName}" is no name of a plan: lower-case letters, digits and hyphens, a letter first`
  if (keyword === 'additionalProperties') return `a plan has ${LIMITS}, not "${params.additionalProperty}"`
  if (plan === undefined && keyword === 'required') return `a plan "${FIRST_PLAN}" must be there: the first key has it`
  if (keyword === 'required') return `the plan "${plan}" lacks ${params.missingProperty}`
  if (key !== undefined) return `${key} must be a whole number from ${key === 'perMonth' ? 0 : 1} to ${most}`
  return plan === undefined ? `the file must map names of plans to ${LIMITS}` : `the plan "${plan}" must have ${LIMITS}`
}

/**
 * The plan of a key. A plan that is no longer in the file must not shut its keys out, nor give them more than they had: they get
 * the plan of the lowest quota.
 * @param plans at least one
 */
export function planOf(plans: ReadonlyMap<string, Plan>, name: string): Plan {
  const lowest = (a: Plan, b: Plan): Plan =>
    b.perMonth < a.perMonth || (b.perMonth === a.perMonth && b.perMinute < a.perMinute) ? b : a
  return plans.get(name) ?? [...plans.values()].reduce(lowest)
}
