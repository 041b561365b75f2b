import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { loadDetectors } from '../../plugins/load.ts'
import { loadConfig } from '../config/config.ts'
import type { Detector } from '../engine/page/detector.ts'
import { FOUND } from '../engine/rule/clause.ts'
import { buildRulesetFile, computeFingerprint } from '../rules/built.ts'
import { buildConformance } from '../rules/conformance.ts'
import { testSchema } from '../rules/data-schemas.ts'
import { readFixtures } from '../rules/fixtures.ts'
import { checkFolders, throwOnErrors } from '../rules/load.ts'
import { buildRuleset, builtFile, openRuleset, ownFolder } from '../rules/open-ruleset.ts'
import { buildRuleSchema, CLAUSE_KEYS } from '../rules/schema.ts'
import { checkFiles } from './check-files.ts'
import { EXIT, readArgs, readTimeout, runCommand, UsageError } from './command.ts'
import { explainRule } from './explain-rule.ts'
import { report, several } from './report-findings.ts'
import { testRules } from './test-rules.ts'

const HELP = `
Works on fingerprint rules: ours, and those of RULES_DIRS.

  npm run -s rules -- lint [folder…]    Checks rule and test files; every fault as file:line:column  level  sentence  code.
                                        With folders: those, together with ours.
  npm run -s rules -- test [slug…]      Runs every hit and miss (or those of some rules) against all rules.
  npm run -s rules -- build             Writes to dist/: the built ruleset of our rules, its conformance cases, and the editor's
                                        schemas with the places of DETECTORS.
  npm run -s rules -- explain <slug> --html page.html [--url U] [--headers h.json]
                                        Shows clause by clause why a rule does or does not fire on a page; --url and --headers
                                        as scan takes them.

  --timeout seconds   lint: for judging all patterns, 60 unless given; verdicts are cached in node_modules/.cache/siteprint.
                      test, explain: for one page, 10 unless given.

Settings (environment): RULES_DIRS, folders with rules beside ours; DETECTORS, modules with detectors beside ours.
Exit code: 0 fine, 1 findings, 2 bad use or nothing could be done.
`

const text = { type: 'string' } as const

await runCommand(HELP, async (args) => {
  const [verb, ...rest] = args
  const { values: options, positionals } = readArgs({
    args: rest,
    allowPositionals: true,
    options: { html: text, url: text, headers: text, timeout: text },
  })
  const { timeout, ...values } = options
  if (timeout !== undefined && verb === 'build') throw new UsageError('--timeout goes with lint, test and explain')
  const { ruleFolders, detectorModules } = loadConfig()
  const detectors = await loadDetectors(detectorModules, [...CLAUSE_KEYS, FOUND.key])
  const folders = [ownFolder, ...ruleFolders]
  if (verb !== 'explain' && Object.keys(values).length > 0)
    throw new UsageError('--html, --url and --headers go with explain')
  switch (verb) {
    case 'lint':
      return lint(
        [...new Set([...folders, ...positionals.map(requireFolder)])],
        detectors,
        readTimeout(timeout ?? '60'),
      )
    case 'test':
      return testRules({ folders, detectors, detectorModules }, positionals, readTimeout(timeout ?? '10'))
    case 'build':
      if (positionals.length > 0) throw new UsageError('build takes no argument')
      return build(detectors)
    case 'explain':
      await checkFiles(values)
      return explainRule(openRuleset({ folders: ruleFolders, detectors }), positionals, {
        ...values,
        folders: ruleFolders,
        detectors: detectorModules,
        timeoutMs: readTimeout(timeout ?? '10'),
      })
    default:
      throw new UsageError(
        verb === undefined
          ? 'say what to do: lint, test, build or explain'
          : `"${verb}" is none of lint, test, build, explain`,
      )
  }
})

function requireFolder(name: string): string {
  const folder = resolve(name)
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new UsageError(`there is no folder "${name}"`)
  return folder
}

function lint(folders: readonly string[], detectors: readonly Detector[], timeoutMs: number): number {
  const { rules, findings, unjudged } = checkFolders({ folders, detectors, timeoutMs })
  const tests = rules.flatMap(({ found }) => readFixtures(found).findings)
  const code = report([...findings, ...tests], several(rules.length, 'rule'))
  if (unjudged === 0) return code
  process.stderr.write(
    `${several(unjudged, 'pattern')} not judged within ${several(timeoutMs / 1000, 'second')}: run lint again, which goes on from here, or allow more with --timeout\n`,
  )
  return EXIT.findings
}

/** The built file is of our own rules, for our own detectors: what a start without further settings loads. */
async function build(all: readonly Detector[]): Promise<number> {
  const detectors = await loadDetectors([], [])
  const checked = checkFolders({ folders: [ownFolder], detectors })
  throwOnErrors(checked.findings)
  const ruleset = buildRuleset(checked, detectors, computeFingerprint([ownFolder], detectors))
  const { rules, categories, version } = ruleset
  const folder = dirname(builtFile)
  mkdirSync(folder, { recursive: true })
  const write = (name: string, data: unknown, indent = 0): void =>
    writeFileSync(join(folder, name), `${JSON.stringify(data, null, indent)}\n`)
  const fixtures = checked.rules.flatMap(({ found }) => readFixtures(found).fixtures)
  write(basename(builtFile), buildRulesetFile({ version, categories, rules }))
  write('conformance.json', buildConformance(ruleset, fixtures))
  write('schema.json', buildRuleSchema([...all, FOUND]), 2)
  write('test-schema.json', testSchema, 2)
  process.stderr.write(`${rules.length} rules built, version ${version}\n`)
  return EXIT.fine
}
