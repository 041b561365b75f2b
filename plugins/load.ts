import { isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { resolve } from 'import-meta-resolve'
import type { Detector } from '../src/engine/page/detector.ts'
import type { Family, WordKind } from '../src/engine/rule/place.ts'
import { detectors as own } from './index.ts'

/** Why a module of detectors cannot be used; `message` says what to do. */
export class DetectorError extends Error {}

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
const WORDS: readonly WordKind[] = ['name', 'value', 'locator', 'literal', 'selector', 'path']

/** A module that awaits at its top what never comes would else end the process without a word, or keep it waiting. */
const LOAD_MS = 10_000

/**
 * Loads the modules an operator names, beside our own detectors. A module's default export is a detector or a list of them.
 * @param specifiers paths (from `folder`) or package names
 * @param reserved keys that no detector may take: those of a clause
 * @throws DetectorError with a line for each module that cannot be loaded or is no detector
 */
export async function loadDetectors(
  specifiers: readonly string[],
  reserved: readonly string[],
  folder = process.cwd(),
): Promise<readonly Detector[]> {
  const all: Detector[] = [...own]
  const faults: string[] = []
  const modules = await Promise.allSettled(specifiers.map((specifier) => load(specifier, folder)))
  for (const [i, module] of modules.entries()) {
    try {
      if (module.status === 'rejected') throw module.reason
      for (const detector of module.value) {
        check(detector)
        if (reserved.includes(detector.key))
          throw new DetectorError(`the key "${detector.key}" is reserved: it means something in a clause`)
        if (all.some(({ key }) => key === detector.key))
          throw new DetectorError(`there is a detector "${detector.key}" already`)
        all.push(detector)
      }
    } catch (error) {
      const sentence =
        error instanceof DetectorError ? error.message : `a detector cannot be read: ${formatReason(error)}`
      faults.push(`${specifiers[i]}: ${sentence}`)
    }
  }
  if (faults.length > 0) throw new DetectorError(faults.join('\n'))
  return all
}

async function load(specifier: string, folder: string): Promise<Detector[]> {
  let module: { default?: Detector | Detector[] }
  try {
    const isPath = specifier.startsWith('.') || isAbsolute(specifier)
    const from = pathToFileURL(join(folder, 'detectors.js')).href
    module = await inTime(
      import(
        isPath
          ? new URL(isAbsolute(specifier) ? pathToFileURL(specifier).href : specifier, from).href
          : resolve(specifier, from)
      ),
    )
  } catch (error) {
    throw new DetectorError(`the module could not be loaded: ${formatReason(error)}`)
  }
  if (module.default === undefined)
    throw new DetectorError('the module has no default export; export a detector or a list of them')
  if (Array.isArray(module.default) && module.default.length === 0)
    throw new DetectorError('there is no detector in its list')
  return [module.default].flat()
}

async function inTime<T>(loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`it was not ready in ${LOAD_MS / 1000} s; look for an await at its top that never ends`)
    timer = setTimeout(() => reject(error), LOAD_MS)
  })
  try {
    return await Promise.race([loading, late])
  } finally {
    clearTimeout(timer)
  }
}

function formatReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function check(detector: Partial<Detector> | null): void {
  const complain = (what: string): never => {
    throw new DetectorError(what)
  }
  if (typeof detector !== 'object' || detector === null) complain('a detector is an object')
  const { key, about, family, word, read, seen, names } = detector as Partial<Detector>
  if (typeof key !== 'string' || !/^[a-z][a-z0-9-]*$/.test(key))
    complain('a detector needs a `key` of lower-case letters, digits, hyphens')
  if (typeof about !== 'string' || about === '') complain(`detector "${key}" needs \`about\`, one sentence`)
  if (!FAMILIES.includes(family as Family))
    complain(`detector "${key}" needs a \`family\`: one of ${FAMILIES.join(', ')}`)
  if (!WORDS.includes(word as WordKind)) complain(`detector "${key}" needs a \`word\`: one of ${WORDS.join(', ')}`)
  if (typeof read !== 'function') complain(`detector "${key}" needs a function \`read(page, wanted)\``)
  if (seen !== undefined && typeof seen !== 'function') complain(`\`seen\` of detector "${key}" must be a function`)
  if (names !== undefined && !(Array.isArray(names) && names.every((name) => typeof name === 'string')))
    complain(`\`names\` of detector "${key}" must be a list of words`)
}
