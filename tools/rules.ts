import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { loadDetectors } from '../plugins/load.ts'
import { loadConfig } from '../src/config.ts'
import { FOUND } from '../src/engine/clause.ts'
import type { Ruleset } from '../src/engine/ruleset.ts'
import type { Detector } from '../src/engine/types.ts'
import { buildPage, detect } from '../src/index.ts'
import { buildFile, fingerprint } from '../src/rules/built.ts'
import { buildConformance } from '../src/rules/conformance.ts'
import { type Finding, formatFinding, sortFindings } from '../src/rules/findings.ts'
import { type Fixture, readFixtures, runFixture } from '../src/rules/fixtures.ts'
import { checkFolders, refuseErrors } from '../src/rules/load.ts'
import { builtFile, compiledRuleset, openRuleset, ownFolder } from '../src/rules/open-ruleset.ts'
import { buildRuleSchema, CLAUSE_KEYS, testSchema } from '../src/rules/schema.ts'
import { checkFiles } from './check-files.ts'
import { EXIT, readArgs, readTimeout, runCommand, UsageError } from './command.ts'
import { explainRule } from './explain.ts'

const HELP = `
Works on fingerprint rules: ours, and those of RULES_DIRS.

  npm run -s rules -- lint [folder…] [--timeout seconds]
                                        Checks rule and test files; every fault as file:line:column  level  sentence  code.
                                        With folders: those, together with ours. --timeout (60 seconds unless given) bounds
                                        the time for judging patterns; verdicts are cached in node_modules/.cache.
  npm run -s rules -- test [slug…]      Runs every hit and miss (or those of some rules) against all rules.
  npm run -s rules -- build             Writes to dist/: the built ruleset of our rules, its conformance cases, and the editor's
                                        schemas with the places of DETECTORS.
  npm run -s rules -- explain <slug> --html page.html [--url U] [--headers h.json]
                                        Shows clause by clause why a rule does or does not fire on a page; --url and --headers
                                        as scan takes them.

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
  if (timeout !== undefined && verb !== 'lint') throw new UsageError('--timeout goes with lint')
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
      return test(folders, detectors, positionals)
    case 'build':
      if (positionals.length > 0) throw new UsageError('build takes no argument')
      return build(detectors)
    case 'explain':
      await checkFiles(values)
      return explainRule(openRuleset({ folders: ruleFolders, detectors }), positionals, values)
    default:
      throw new UsageError(
        verb === undefined
          ? 'say what to do: lint, test, build or explain'
          : `"${verb}" is none of lint, test, build, explain`,
      )
  }
})

function several(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function report(findings: readonly Finding[], summary: string): number {
  for (const one of sortFindings(findings)) process.stdout.write(`${formatFinding(one)}\n`)
  process.stderr.write(
    `${summary}: ${findings.length === 0 ? 'nothing to complain of' : several(findings.length, 'finding')}\n`,
  )
  return findings.length > 0 ? EXIT.findings : EXIT.fine
}

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

function test(folders: readonly string[], detectors: readonly Detector[], slugs: readonly string[]): number {
  const checked = checkFolders({ folders, detectors })
  refuseErrors(checked.findings)
  const ruleset = compiledRuleset(checked, detectors, fingerprint(folders, detectors))
  for (const slug of slugs)
    if (!checked.rules.some(({ found }) => found.slug === slug)) throw new UsageError(`there is no rule "${slug}"`)
  const rules = checked.rules.filter(({ found }) => slugs.length === 0 || slugs.includes(found.slug))
  const read = rules.map(({ found }) => readFixtures(found))
  const fixtures = read.flatMap((one) => one.fixtures)
  const findings = [
    ...read.flatMap((one) => one.findings),
    ...fixtures.flatMap((fixture) => runFixture(fixture, ruleset)),
  ]
  for (const warning of new Set(fixtures.flatMap((fixture) => warningsOf(fixture, ruleset))))
    process.stderr.write(`${warning}\n`)
  return report(findings, `${several(rules.length, 'rule')}, ${several(fixtures.length, 'page')}`)
}

/** Of the page of a fixture; one that cannot be built is told as a finding. */
function warningsOf({ input }: Fixture, ruleset: Ruleset): readonly string[] {
  try {
    return detect(ruleset, buildPage(input)).warnings
  } catch {
    return []
  }
}

/** The built file is of our own rules, for our own detectors: what a start without further settings loads. */
async function build(all: readonly Detector[]): Promise<number> {
  const detectors = await loadDetectors([], [])
  const checked = checkFolders({ folders: [ownFolder], detectors })
  refuseErrors(checked.findings)
  const ruleset = compiledRuleset(checked, detectors, fingerprint([ownFolder], detectors))
  const { rules, categories, version } = ruleset
  const folder = dirname(builtFile)
  mkdirSync(folder, { recursive: true })
  const write = (name: string, data: unknown, indent = 0): void =>
    writeFileSync(join(folder, name), `${JSON.stringify(data, null, indent)}\n`)
  const fixtures = checked.rules.flatMap(({ found }) => readFixtures(found).fixtures)
  write(basename(builtFile), buildFile({ version, categories, rules }))
  write('conformance.json', buildConformance(ruleset, fixtures))
  write('schema.json', buildRuleSchema([...all, FOUND]), 2)
  write('test-schema.json', testSchema, 2)
  process.stderr.write(`${rules.length} rules built, version ${version}\n`)
  return EXIT.fine
}
