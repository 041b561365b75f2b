// Adapter of Siteprint, with the rules of the project and of RULES_DIRS. Responds to pages as docs/benchmark.md describes.
import { createInterface } from 'node:readline'
import { detectors } from '../../../plugins/index.ts'
import { readPageLine } from '../../../src/cli/scan/batch-lines.ts'
import { Ruleset } from '../../../src/engine/lookup/ruleset.ts'
import type { CompiledRule } from '../../../src/engine/rule/types.ts'
import { buildPage, detect, loadRuleset, type Verdict } from '../../../src/index.ts'

const loaded = await loadRuleset()
const ruleset = process.argv.includes('--twice') ? loadTwice(loaded) : loaded
write({ version: ruleset.version.slice(0, 12), rules: loaded.rules.length, canDouble: true })
for await (const text of createInterface({ input: process.stdin })) {
  const { id, input } = readPageLine(JSON.parse(text))
  const started = performance.now()
  const verdict = detect(ruleset, buildPage(input))
  const ms = performance.now() - started
  write({ id, names: listNames(verdict), versions: verdict.versions, ms })
}

function write(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

function listNames({ builder, technologies, hosting }: Verdict): string[] {
  return [...new Set([builder, ...technologies, hosting])].filter((name) => name !== null)
}

/** Each builder, technology and hosting provider once more under another slug and name, with the same words. */
function loadTwice({ rules, categories, version }: Ruleset): Ruleset {
  const copies = rules
    .filter(({ kind }) => kind !== 'site-type')
    .map((rule): CompiledRule => ({ ...rule, slug: `${rule.slug}-copy`, name: `${rule.name} (copy)` }))
  return Ruleset.of({ rules: [...rules, ...copies], categories, version: `${version}:twice` }, detectors)
}
