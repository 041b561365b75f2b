import { readFileSync } from 'node:fs'
import { Ruleset } from '../engine/lookup/ruleset.ts'
import type { Detector } from '../engine/page/detector.ts'
import { isSupportedLogic } from '../engine/rule/logic.ts'
import type { PortableRule } from '../engine/rule/portable-rule.ts'
import { SetupError } from '../errors.ts'
import { checkHead, type ReleaseSource, readPart } from './release-file.ts'
import { hasRulesetForm, importRuleset, type PortableRuleset } from './ruleset-json.ts'

/**
 * Opens the ruleset of a released file. Signature, format and content are checked each time, so that the file need not be trusted.
 * @throws SetupError that names the file and says why it is refused
 */
export function openRelease({ file, publicKey }: ReleaseSource, detectors: readonly Detector[]): Ruleset {
  try {
    const bytes = readFileSync(file)
    const head = checkHead(bytes, publicKey)
    const built = readPart(bytes, head, 'ruleset') as Partial<PortableRuleset> | null
    if (!hasRulesetForm(built)) throw new SetupError('the file is not a ruleset')
    const foreign = built.rules.find((rule) => !isWrittenByCompiler(rule))
    if (foreign !== undefined)
      throw new SetupError(`the rule "${foreign.slug}" contains an expression that the compiler does not write`)
    return Ruleset.of({ ...importRuleset(built), version: head.manifest.version }, detectors)
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

/** Whether everything in a rule that is evaluated has a form that our compiler writes: its expressions, and the points of site types. */
function isWrittenByCompiler({ clauses, typeClauses = [], prior = 0, logic }: PortableRule): boolean {
  const conditions = [...clauses, ...typeClauses].flatMap(({ holds, hits }) => [holds, hits])
  const siblings = clauses.flatMap(({ ownHost = 0, siblingCode = 0 }) => [ownHost, siblingCode])
  const points = typeClauses.flatMap((clause) => Object.values(clause.points))
  return (
    [logic, ...conditions, ...siblings].every((one) => isSupportedLogic(one)) &&
    [prior, ...points].every(Number.isFinite)
  )
}
