import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { loadDetectors } from '../../plugins/load.ts'
import { loadConfig } from '../config/config.ts'
import type { Detector } from '../engine/page/detector.ts'
import { FOUND, indexPlaces } from '../engine/rule/clause.ts'
import { buildRulesetFile, computeFingerprint } from '../rules/built.ts'
import { buildConformance } from '../rules/conformance.ts'
import { testSchema } from '../rules/data-schemas.ts'
import { checkMisses } from '../rules/far-miss.ts'
import type { Finding } from '../rules/findings.ts'
import { checkLength, readFixtures } from '../rules/fixtures.ts'
import { checkGenericWords } from '../rules/generic-words.ts'
import { type CheckedRules, checkDates, checkFolders, throwOnErrors } from '../rules/load.ts'
import { buildRuleset, builtFile, openRuleset, ownFolder } from '../rules/open-ruleset.ts'
import { buildRuleSchema, CLAUSE_KEYS } from '../rules/schema.ts'
import { checkFiles } from './check-files.ts'
import { type CommandIo, defineCommand, EXIT, readTimeout, UsageError } from './command.ts'
import { explainRule } from './explain-rule.ts'
import { fitRules } from './fit-rules.ts'
import { fixRules } from './fix-rules.ts'
import { readFormat } from './format-findings.ts'
import { rename } from './rename-verb.ts'
import { formatCount, reportFindings } from './report-findings.ts'
import { CATALOGUE_VERBS } from './rule-catalogue.ts'
import type { RuleWork } from './rule-work.ts'
import { testRules } from './test-rules.ts'
import { dispatchVerb, type Given, textOption, type Verb } from './verbs.ts'

const HELP = `
Checks, tests, explains, lists, renames, fits and builds fingerprint rules: those of the project and those of RULES_DIRS.

  npm run -s rules -- lint [folder…]    Checks rule and test files. Prints each finding as file:line:column  level  sentence  code.
                                        Folders that are given are checked together with the rules of the project.
                                        --format json, github or sarif prints findings for other programs. --fix first corrects
                                        the order of keys and slugs, quotes and needless weights; it never changes a meaning.
  npm run -s rules -- test [slug…]      Runs the tests of all rules, or of the given ones, against all rules, and checks that the
                                        hits of each rule show all of its clauses and words. The rules must not fire on the
                                        ordinary pages of test/pages unless these list them.
  npm run -s rules -- build             Writes to dist/: the built ruleset of the project's rules, its conformance cases, and the
                                        schemas for editors, with the places of DETECTORS.
  npm run -s rules -- explain <slug> --html page.html [--url U] [--headers h.json]
                                        Shows clause by clause why a rule does or does not fire on a page. --url and --headers
                                        are those of scan.
  npm run -s rules -- list [--kind K] [--category C] [--json]
                                        Lists rules: kind, slug, name, category and date, or one JSON object per line.
  npm run -s rules -- search <text>     Finds words, names, slugs and sources that contain the text. For a host or a URL, also
                                        locators that cover it. Prints each match as file:line:column.
  npm run -s rules -- show <slug>       Describes a rule in words: clauses with their points, relations, sources, tests.
  npm run -s rules -- stats             Counts rules by kind and category, clauses and test pages.
  npm run -s rules -- fit --pages FILE… [--check] [--held-out]
                                        Fits the points of the site types to labelled pages (JSON Lines, also .gz, with siteType)
                                        and writes them into the rules. Prints what a cross-validation by site finds. --check
                                        only compares the points with those of a new fit. --held-out fits without a fifth of the
                                        sites, prints what the points find there, and writes nothing.
  npm run -s rules -- rename <kind>/<slug> <new slug>
                                        Renames the files of a rule, and its slug in all other rules and tests.

  --strict            lint, test: warnings count as errors.
  --timeout seconds   lint: time limit for judging all patterns, 60 by default; verdicts are cached in node_modules/.cache/siteprint.
                      test, explain: time limit per page, 10 by default.

Settings (environment): RULES_DIRS, further folders with rules; DETECTORS, further modules with detectors.
Exit code: 0 success, 1 findings, 2 wrong usage or failure.
`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const VERBS: Readonly<Record<string, Verb<CommandIo, RuleWork>>> = {
  lint: { args: ['folder…'], options: { strict: flag, format: text, fix: flag, timeout: text }, prepare: lint },
  test: { args: ['slug…'], options: { strict: flag, timeout: text }, prepare: test },
  build: { args: [], options: {}, prepare: build },
  explain: { args: ['slug'], options: { html: text, url: text, headers: text, timeout: text }, prepare: explain },
  fit: { args: ['file…'], options: { pages: text, check: flag, 'held-out': flag }, prepare: fit },
  ...CATALOGUE_VERBS,
  rename: { args: ['kind/slug', 'new slug'], options: {}, prepare: rename },
}

export const main = defineCommand(HELP, async (args, io) => {
  const work = dispatchVerb(VERBS, args, io)
  const { ruleFolders, detectorModules } = loadConfig(io.env)
  const detectors = await loadDetectors(detectorModules, [...CLAUSE_KEYS, FOUND.key])
  return await work({ folders: [ownFolder, ...ruleFolders], detectors, detectorModules })
})

function lint(given: Given, io: CommandIo): RuleWork {
  const timeoutMs = readTimeout(textOption(given, 'timeout') ?? '60')
  const format = readFormat(textOption(given, 'format'))
  const named = given.args.map(requireFolder)
  return ({ folders, detectors }) => {
    const all = [...new Set([...folders, ...named])]
    const options = { folders: all, detectors, timeoutMs }
    const before = checkFolders(options)
    const fixed = given.values.fix ? fixRules(before) : []
    for (const file of fixed) io.stderr.write(`${file} fixed\n`)
    const checked = fixed.length > 0 ? checkFolders(options) : before
    const { rules, unjudged } = checked
    const summary = formatCount(rules.length, 'rule')
    const code = reportFindings(lintAll(checked, detectors), summary, io, {
      strict: given.values.strict === true,
      format,
    })
    if (unjudged === 0) return code
    const limit = formatCount(timeoutMs / 1000, 'second')
    io.stderr.write(
      `${formatCount(unjudged, 'pattern')} not judged within ${limit}: run lint again to continue, or allow more time with --timeout\n`,
    )
    return EXIT.findings
  }
}

/** Everything that lint reports: problems of the rules, of their dates, and of their test files. */
function lintAll(checked: CheckedRules, detectors: readonly Detector[]): Finding[] {
  const tests = checked.rules.map((rule) => ({ rule, ...readFixtures(rule.found) }))
  return [
    ...checked.findings,
    ...checkDates(checked, new Date()),
    ...tests.flatMap(({ rule, fixtures, findings }) => [
      ...findings,
      ...fixtures.flatMap(checkLength),
      ...checkMisses(rule.source, fixtures),
    ]),
    ...checkGenericWords(tests, indexPlaces(detectors)),
  ]
}

function requireFolder(name: string): string {
  const folder = resolve(name)
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new UsageError(`there is no folder "${name}"`)
  return folder
}

function test(given: Given, io: CommandIo): RuleWork {
  const timeoutMs = readTimeout(textOption(given, 'timeout') ?? '10')
  return (loaded) => testRules({ ...loaded, timeoutMs, strict: given.values.strict === true }, given.args, io)
}

function explain(given: Given, io: CommandIo): RuleWork {
  const timeoutMs = readTimeout(textOption(given, 'timeout') ?? '10')
  const [html, url, headers] = ['html', 'url', 'headers'].map((name) => textOption(given, name))
  if (html === undefined) throw new UsageError('explain needs --html FILE')
  return async ({ folders: [, ...folders], detectors, detectorModules }) => {
    await checkFiles({ html, headers })
    const options = { html, url, headers, folders, detectors: detectorModules, timeoutMs }
    return explainRule(openRuleset({ folders, detectors }), given.args[0], options, io)
  }
}

function fit({ args, values }: Given, io: CommandIo): RuleWork {
  if (typeof values.pages !== 'string') throw new UsageError('fit needs --pages FILE')
  const files = [values.pages, ...args]
  for (const file of files) if (!existsSync(file)) throw new UsageError(`--pages: there is no file "${file}"`)
  const options = { files, check: values.check === true, heldOut: values['held-out'] === true }
  return (loaded) => fitRules(loaded, options, io)
}

/** Builds the project's own rules with its own detectors: what a start without RULES_DIRS and DETECTORS loads. */
function build(_: Given, { stderr }: CommandIo): RuleWork {
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
