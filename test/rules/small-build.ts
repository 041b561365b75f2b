import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { detectors } from '../../plugins/index.ts'
import { type BuiltRuleset, buildFile, fingerprint } from '../../src/rules/built.ts'
import { openRuleset } from '../../src/rules/open-ruleset.ts'
import { builder, CATEGORIES, TEST, writeFolder } from '../support/rule-folder.ts'

/** Writes what `rules build` writes, of the rules in `own`. */
export function buildOwn(own: string, change: (built: BuiltRuleset) => unknown = (built) => built): string {
  const { rules, categories } = openRuleset({ own, detectors, built: 'there-is-none.json' })
  const file = join(own, '..', 'ruleset.json')
  writeFileSync(file, JSON.stringify(change(buildFile({ version: fingerprint([own], detectors), categories, rules }))))
  return file
}

/** A small rule folder of our own, and its built file, in which the builder has another name: whoever shows it has read that file. */
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
