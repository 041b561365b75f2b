// The verbs of `rules` that authors use now and then. They need far more code than lint and test, so it is loaded on demand.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadDetectors } from '../../../plugins/load.ts'
import { buildEditorSchemas } from '../../authoring/editor-schemas.ts'
import { FOUND } from '../../engine/rule/clause.ts'
import { builtFile, describeOrigin, ownFolder, writeBuilt } from '../../rules/built.ts'
import { buildConformance } from '../../rules/conformance.ts'
import { computeVersion } from '../../rules/fingerprint.ts'
import { readFixtures } from '../../rules/fixtures.ts'
import { deriveFixtures } from '../../rules/load/derived-fixtures.ts'
import { checkFolders, throwOnErrors } from '../../rules/load/load.ts'
import { buildRuleset, packChecked } from '../../rules/load/open-ruleset.ts'
import { exportRuleset } from '../../rules/ruleset-json.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import { type Given, readListOption } from '../command/verbs.ts'
import { fitRules } from './fit-rules.ts'
import { type RuleWork, requireCheckout } from './rule-work.ts'

export { diffRules } from './diff-rules.ts'
export { explain } from './explain-rule.ts'
export { findGaps } from './find-gaps.ts'
export { importOrCheck } from './import-rules.ts'
export { initRules } from './init-rules.ts'
export { writeNewRule } from './new-rule.ts'
export { rename } from './rename-verb.ts'
export { list, search, show, stats } from './rule-catalogue.ts'

/** Fits the points of the site types. */
export function fit(given: Given, io: CommandIo): RuleWork {
  requireCheckout('fit')
  const { args, values } = given
  const pages = readListOption(given, 'pages')
  if (pages.length === 0) throw new UsageError('fit needs --pages FILE')
  const files = [...pages, ...args]
  for (const file of files) if (!existsSync(file)) throw new UsageError(`--pages: there is no file "${file}"`)
  const options = { files, check: values.check === true, heldOut: values['held-out'] === true }
  return (loaded) => fitRules(loaded, options, io)
}

/** Builds the project's own rules with its own detectors: what a start without RULES_DIRS and DETECTORS loads. */
export function build(_: Given, { stderr }: CommandIo): RuleWork {
  requireCheckout('build')
  return async ({ folders, detectors: all }) => {
    const detectors = await loadDetectors([], [])
    const origin = describeOrigin(ownFolder) // Before the files are read, so that a later change is noticed.
    const checked = checkFolders({ folders: [ownFolder], detectors })
    throwOnErrors(checked.findings)
    const version = computeVersion([origin.rules], detectors)
    const rules = checked.rules.flatMap(({ compiled }) => compiled ?? [])
    const folder = dirname(builtFile)
    mkdirSync(folder, { recursive: true })
    const write = (name: string, data: unknown, indent = 0): void =>
      writeFileSync(join(folder, name), `${JSON.stringify(data, null, indent)}\n`)
    const fixtures = checked.rules.flatMap((rule) => [
      ...readFixtures(rule.found).fixtures,
      ...deriveFixtures(rule, checked.places),
    ])
    const date = checked.rules.reduce(
      (last, { source }) => (source && source.verified > last ? source.verified : last),
      '',
    )
    writeBuilt(builtFile, packChecked(checked, detectors, version), { ...origin, date })
    write('ruleset.json', exportRuleset({ version, categories: checked.categories, rules }))
    write('conformance.json', buildConformance(buildRuleset(checked, detectors, version), fixtures))
    const isOwn = folders.length === 1 && all.length === detectors.length
    const listed = isOwn ? checked : checkFolders({ folders, detectors: all })
    const lists = { categories: listed.categories, rules: listed.rules.map((rule) => rule.found) }
    mkdirSync(join(folder, 'schemas'), { recursive: true })
    for (const [name, schema] of Object.entries(buildEditorSchemas([...all, FOUND], lists)))
      write(join('schemas', name), schema, 2)
    stderr.write(`Built ${rules.length} rules, version ${version}\n`)
    return EXIT.ok
  }
}
