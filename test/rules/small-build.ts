import { join } from 'node:path'
import { detectors } from '../../plugins/index.ts'
import { packRuleset } from '../../src/engine/lookup/ruleset.ts'
import type { CompiledRule } from '../../src/engine/rule/types.ts'
import { describeOrigin, writeBuilt } from '../../src/rules/built.ts'
import { computeFingerprint } from '../../src/rules/fingerprint.ts'
import { openRuleset } from '../../src/rules/load/open-ruleset.ts'
import { builder, CATEGORIES, TEST, writeFolder } from '../support/rule-folder.ts'

/**
 * Writes a small rule folder and its built file. The builder has another name in the built file, which shows which one was read.
 * @param change changes the rule in the built file
 */
export function buildSmall(
  rule = builder(),
  change: (compiled: CompiledRule) => CompiledRule = (compiled) => compiled,
): { own: string; built: string } {
  const root = writeFolder({
    'rules/categories.yaml': CATEGORIES,
    'rules/builders/acme.yaml': rule,
    'rules/builders/acme.test.yaml': TEST,
  })
  const [own, built] = [join(root, 'rules'), join(root, 'ruleset.bin')]
  const { rules, categories } = openRuleset({ own, detectors, built: 'there-is-none.bin' })
  const changed = rules.map((compiled) => change({ ...compiled, name: 'From the build' }))
  const version = computeFingerprint([own], detectors)
  writeBuilt(built, packRuleset({ version, categories, rules: changed }, detectors), {
    ...describeOrigin(own),
    date: '',
  })
  return { own, built }
}
