import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { loadDetectors } from '../../plugins/load.ts'
import { loadConfig } from '../config/config.ts'
import type { Detector } from '../engine/page/detector.ts'
import { FOUND } from '../engine/rule/clause.ts'
import { buildRulesetFile, computeFingerprint } from '../rules/built.ts'
import { buildConformance } from '../rules/conformance.ts'
import { testSchema } from '../rules/data-schemas.ts'
import { checkMisses } from '../rules/far-miss.ts'
import { readFixtures } from '../rules/fixtures.ts'
import { checkFolders, throwOnErrors } from '../rules/load.ts'
import { buildRuleset, builtFile, openRuleset, ownFolder } from '../rules/open-ruleset.ts'
import { buildRuleSchema, CLAUSE_KEYS } from '../rules/schema.ts'
import { checkFiles } from './check-files.ts'
import { type CommandIo, defineCommand, EXIT, readTimeout, UsageError } from './command.ts'
import { explainRule } from './explain-rule.ts'
import { formatCount, reportFindings } from './report-findings.ts'
import { testRules } from './test-rules.ts'
import { dispatchVerb, type Given, textOption, type Verb } from './verbs.ts'

const HELP = `
Checks, tests, explains and builds fingerprint rules: those of the project and those of RULES_DIRS.

  npm run -s rules -- lint [folder…]    Checks rule and test files. Prints each finding as file:line:column  level  sentence  code.
                                        Folders that are given are checked together with the rules of the project.
  npm run -s rules -- test [slug…]      Runs the tests of all rules, or of the given ones, against all rules, and checks that the
                                        hits of each rule show all of its clauses and words.
  npm run -s rules -- build             Writes to dist/: the built ruleset of the project's rules, its conformance cases, and the
                                        schemas for editors, with the places of DETECTORS.
  npm run -s rules -- explain <slug> --html page.html [--url U] [--headers h.json]
                                        Shows clause by clause why a rule does or does not fire on a page. --url and --headers
                                        are those of scan.

  --strict            lint, test: warnings count as errors.
  --timeout seconds   lint: time limit for judging all patterns, 60 by default; verdicts are cached in node_modules/.cache/siteprint.
                      test, explain: time limit per page, 10 by default.

Settings (environment): RULES_DIRS, further folders with rules; DETECTORS, further modules with detectors.
Exit code: 0 success, 1 findings, 2 wrong usage or failure.
`

/** Rule folders and detectors, loaded once the arguments are valid. */
interface Loaded {
  /** The project's own folder first. */
  readonly folders: readonly string[]
  readonly detectors: readonly Detector[]
  /** Modules of the detectors from `DETECTORS`. */
  readonly detectorModules: readonly string[]
}

type Work = (loaded: Loaded) => Promise<number> | number

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const VERBS: Readonly<Record<string, Verb<CommandIo, Work>>> = {
  lint: { args: ['folder…'], options: { strict: flag, timeout: text }, prepare: lint },
  test: { args: ['slug…'], options: { strict: flag, timeout: text }, prepare: test },
  build: { args: [], options: {}, prepare: build },
  explain: { args: ['slug'], options: { html: text, url: text, headers: text, timeout: text }, prepare: explain },
}

export const main = defineCommand(HELP, async (args, io) => {
  const work = dispatchVerb(VERBS, args, io)
  const { ruleFolders, detectorModules } = loadConfig(io.env)
  const detectors = await loadDetectors(detectorModules, [...CLAUSE_KEYS, FOUND.key])
  return await work({ folders: [ownFolder, ...ruleFolders], detectors, detectorModules })
})

function lint(given: Given, io: CommandIo): Work {
  const timeoutMs = readTimeout(textOption(given, 'timeout') ?? '60')
  const named = given.args.map(requireFolder)
  return ({ folders, detectors }) => {
    const all = [...new Set([...folders, ...named])]
    const { rules, findings, unjudged } = checkFolders({ folders: all, detectors, timeoutMs })
    const tests = rules.flatMap(({ found, source }) => {
      const { fixtures, findings } = readFixtures(found)
      return [...findings, ...checkMisses(source, fixtures)]
    })
    const code = reportFindings(
      [...findings, ...tests],
      formatCount(rules.length, 'rule'),
      io,
      given.values.strict === true,
    )
    if (unjudged === 0) return code
    const limit = formatCount(timeoutMs / 1000, 'second')
    io.stderr.write(
      `${formatCount(unjudged, 'pattern')} not judged within ${limit}: run lint again to continue, or allow more time with --timeout\n`,
    )
    return EXIT.findings
  }
}

function requireFolder(name: string): string {
  const folder = resolve(name)
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new UsageError(`there is no folder "${name}"`)
  return folder
}

function test(given: Given, io: CommandIo): Work {
  const timeoutMs = readTimeout(textOption(given, 'timeout') ?? '10')
  return (loaded) => testRules({ ...loaded, timeoutMs, strict: given.values.strict === true }, given.args, io)
}

function explain(given: Given, io: CommandIo): Work {
  const timeoutMs = readTimeout(textOption(given, 'timeout') ?? '10')
  const [html, url, headers] = ['html', 'url', 'headers'].map((name) => textOption(given, name))
  if (html === undefined) throw new UsageError('explain needs --html FILE')
  return async ({ folders: [, ...folders], detectors, detectorModules }) => {
    await checkFiles({ html, headers })
    const options = { html, url, headers, folders, detectors: detectorModules, timeoutMs }
    return explainRule(openRuleset({ folders, detectors }), given.args[0], options, io)
  }
}

/** Builds the project's own rules with its own detectors: what a start without RULES_DIRS and DETECTORS loads. */
function build(_: Given, { stderr }: CommandIo): Work {
  return async ({ detectors: all }) => {
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
    stderr.write(`Built ${rules.length} rules, version ${version}\n`)
    return EXIT.ok
  }
}
