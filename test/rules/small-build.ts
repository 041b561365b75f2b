import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { detectors } from '../../plugins/index.ts'
import { type BuiltRuleset, buildRulesetFile, computeFingerprint } from '../../src/rules/built.ts'
import { openRuleset } from '../../src/rules/open-ruleset.ts'
import { builder, CATEGORIES, TEST, writeFolder } from '../support/rule-folder.ts'

/** Writes the file that `rules build` would write for the rules in `own`. */
function buildOwn(own: string, change: (built: BuiltRuleset) => unknown = (built) => built): string {
  const { rules, categories } = openRuleset({ own, detectors, built: 'there-is-none.json' })
  const file = join(own, '..', 'ruleset.json')
  writeFileSync(
    file,
    JSON.stringify(change(buildRulesetFile({ version: computeFingerprint([own], detectors), categories, rules }))),
  )
  return file
}

/** Writes a small rule folder and its built file. The builder has another name in the built file, which shows which one was read. */
export function buildSmall(): { own: string; built: string } {
  const own = join(
    writeFolder({
      'rules/categories.yaml': CATEGORIES,
      'rules/builders/acme.yaml': builder(),
      'rules/builders/acme.test.yaml': TEST,
    }),
    'rules',
  )
  const built = buildOwn(own, ({ rules, ...rest }) => ({
    ...rest,
    rules: rules.map((rule) => ({ ...rule, name: 'From the build' })),
  }))
  return { own, built }
}
