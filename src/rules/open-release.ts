import { readFileSync } from 'node:fs'
import { Ruleset } from '../engine/lookup/ruleset.ts'
import type { Detector } from '../engine/page/detector.ts'
import { SetupError } from '../errors.ts'
import { type BuiltRuleset, findProblem } from './built.ts'
import { checkHead, type ReleaseSource, readPart } from './release-file.ts'

/**
 * Opens the ruleset of a released file. Signature, format and content are checked each time, so that the file need not be trusted.
 * @throws SetupError that names the file and says why it is refused
 */
export function openRelease({ file, publicKey }: ReleaseSource, detectors: readonly Detector[]): Ruleset {
  try {
    const bytes = readFileSync(file)
    const head = checkHead(bytes, publicKey)
    const built = readPart(bytes, head, 'ruleset') as Partial<BuiltRuleset> | null
    const problem = findProblem(built ?? {})
    if (problem !== null) throw new SetupError(problem)
    const { rules = [], categories } = built as BuiltRuleset
    return new Ruleset({ rules, categories, detectors, version: head.manifest.version })
  } catch (error) {
    throw new SetupError(`${file}: ${describeError(error)}`)
  }
}

/** The constructor of a ruleset throws other errors, for example for a place that no detector reads. */
function describeError(error: unknown): string {
  if (error instanceof SetupError) return error.message
  const message = error instanceof Error ? error.message : String(error)
  return `this version of Siteprint cannot load the ruleset (${message})`
}
