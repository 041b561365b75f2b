import { isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { resolve } from 'import-meta-resolve'
import type { Detector } from '../src/engine/page/detector.ts'
import type { Family, Weight, WordKind } from '../src/engine/rule/place.ts'
import { SetupError } from '../src/errors.ts'
import { detectors as own } from './index.ts'

const FAMILIES: readonly Family[] = [
  'address',
  'response',
  'network',
  'declared',
  'loaded',
  'markup',
  'code',
  'side',
  'content',
]
const WEIGHTS: readonly Weight[] = ['strong', 'medium', 'weak']
const WORDS: readonly WordKind[] = ['name', 'value', 'locator', 'literal', 'selector', 'path']

/** Without a limit, a top-level await that never settles would hang the process, or end it without a message. */
const LOAD_TIMEOUT_MS = 10_000

/**
 * Loads detector modules in addition to the built-in detectors. A module's default export is a detector or a list of them.
 * @param specifiers paths (from `folder`) or package names
 * @param reserved keys that detectors cannot use, because they have a meaning in clauses
 * @throws SetupError with one line for each module that cannot be loaded or does not export detectors
 */
export async function loadDetectors(
  specifiers: readonly string[],
  reserved: readonly string[],
  folder = process.cwd(),
): Promise<readonly Detector[]> {
  const all: Detector[] = [...own]
  const errors: string[] = []
  const modules = await Promise.allSettled(specifiers.map((specifier) => load(specifier, folder)))
  for (const [i, module] of modules.entries()) {
    try {
      if (module.status === 'rejected') throw module.reason
      for (const detector of module.value) {
        checkDetector(detector)
        if (reserved.includes(detector.key))
          throw new SetupError(`the key "${detector.key}" is reserved for clauses; choose another key`)
        if (all.some(({ key }) => key === detector.key))
          throw new SetupError(`a detector with the key "${detector.key}" already exists; choose another key`)
        all.push(detector)
      }
    } catch (error) {
      const sentence =
        error instanceof SetupError ? error.message : `the detector could not be read: ${formatReason(error)}`
      errors.push(`${specifiers[i]}: ${sentence}`)
    }
  }
  if (errors.length > 0) throw new SetupError(errors.join('\n'))
  return all
}

async function load(specifier: string, folder: string): Promise<Detector[]> {
  let module: { default?: Detector | Detector[] }
  try {
    const isPath = specifier.startsWith('.') || isAbsolute(specifier)
    const from = pathToFileURL(join(folder, 'detectors.js')).href
    module = await loadWithTimeout(
      import(
        isPath
          ? new URL(isAbsolute(specifier) ? pathToFileURL(specifier).href : specifier, from).href
          : resolve(specifier, from)
      ),
    )
  } catch (error) {
    throw new SetupError(`the module could not be loaded: ${formatReason(error)}`)
  }
  if (module.default === undefined)
    throw new SetupError('the module has no default export; export a detector or a list of them')
  if (Array.isArray(module.default) && module.default.length === 0)
    throw new SetupError('the list of detectors is empty')
  return [module.default].flat()
}

async function loadWithTimeout<T>(loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    const error = new Error(
      `it did not load within ${LOAD_TIMEOUT_MS / 1000} s; check for a top-level await that never settles`,
    )
    timer = setTimeout(() => reject(error), LOAD_TIMEOUT_MS)
  })
  try {
    return await Promise.race([loading, timeout])
  } finally {
    clearTimeout(timer)
  }
}

function formatReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

type Check = readonly [member: string, isValid: (value: unknown) => boolean, requirement: string]

/** The members of a detector and what they must be, in the order in which they are checked. */
const CHECKS: readonly Check[] = [
  ['about', isText, 'one sentence'],
  ['family', (value) => FAMILIES.includes(value as Family), `one of ${FAMILIES.join(', ')}`],
  ['word', (value) => WORDS.includes(value as WordKind), `one of ${WORDS.join(', ')}`],
  ['read', isFunction, 'a function `read(page, wanted)`'],
  ['seen', (value) => value === undefined || isFunction(value), 'a function'],
  ['names', (value) => value === undefined || (Array.isArray(value) && value.every(isString)), 'a list of words'],
  [
    'wordForm',
    (value) => value === undefined || isWordForm(value),
    '{ says, pattern }: a phrase and a regular expression',
  ],
  [
    'hostingProof',
    (value) => value === undefined || isProof(value),
    'a number from 1, or an object of such numbers by name',
  ],
  [
    'maxWeight',
    (value) => value === undefined || isMaxWeight(value),
    'strong, medium or weak, or an object of these by name',
  ],
  ['isAmount', isOptionalBoolean, 'true or false'],
]

/** @throws SetupError naming the first member that is wrong */
function checkDetector(detector: unknown): asserts detector is Detector {
  if (!isObject(detector)) throw new SetupError('a detector must be an object')
  const { key } = detector
  if (typeof key !== 'string' || !/^[a-z][a-z0-9-]*$/.test(key))
    throw new SetupError('a detector needs a `key` of lower-case letters, digits and hyphens')
  for (const [member, isValid, requirement] of CHECKS)
    if (!isValid(detector[member])) throw new SetupError(`\`${member}\` of detector "${key}" must be ${requirement}`)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isText(value: unknown): value is string {
  return isString(value) && value !== ''
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function isOptionalBoolean(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean'
}

function isRank(value: unknown): boolean {
  return typeof value === 'number' && value >= 1
}

function isProof(value: unknown): boolean {
  return isRank(value) || (isObject(value) && Object.values(value).every(isRank))
}

function isMaxWeight(value: unknown): boolean {
  const isWeight = (one: unknown): boolean => WEIGHTS.includes(one as Weight)
  return isWeight(value) || (isObject(value) && Object.values(value).every(isWeight))
}

function isWordForm(value: unknown): boolean {
  if (!isObject(value) || !isText(value.says)) return false
  if (value.pattern === undefined) return true
  try {
    return isText(value.pattern) && new RegExp(value.pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}
