import { join } from 'node:path'
import { inject } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import type { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { openRuleset } from '../../src/rules/load/open-ruleset.ts'

let ruleset: Ruleset | undefined

/**
 * Returns the rules of the project as `loadRuleset()` does, but from the file that `global-setup.ts` has built from the same
 * YAML, which takes a tenth of the time. The test files of a worker share it.
 */
export function openOwnRuleset(): Ruleset {
  ruleset ??= openRuleset({ detectors, built: join(inject('builtProject'), 'dist', 'ruleset.bin') })
  return ruleset
}
