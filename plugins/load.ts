import { isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { resolve } from 'import-meta-resolve'
import type { Detector } from '../src/engine/page/detector.ts'
import { SetupError } from '../src/errors.ts'
import { detectors as own } from './index.ts'

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
  if (specifiers.length === 0) return all
  const { readDetector } = await import('./detector-schema.ts') // Not loaded by a start without detectors from outside.
  const errors: string[] = []
  const modules = await Promise.allSettled(specifiers.map((specifier) => load(specifier, folder)))
  for (const [i, module] of modules.entries()) {
    try {
      if (module.status === 'rejected') throw module.reason
      for (const value of module.value) {
        const detector = readDetector(value)
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

async function load(specifier: string, folder: string): Promise<unknown[]> {
  let module: { default?: unknown }
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
