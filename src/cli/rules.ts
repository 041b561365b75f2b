import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadDetectors } from '../../plugins/load.ts'
import { buildEditorSchemas } from '../authoring/editor-schemas.ts'
import { loadConfig } from '../config/config.ts'
import { FOUND } from '../engine/rule/clause.ts'
import { builtFile, describeOrigin, ownFolder, writeBuilt } from '../rules/built.ts'
import { buildConformance } from '../rules/conformance.ts'
import { computeVersion } from '../rules/fingerprint.ts'
import { readFixtures } from '../rules/fixtures.ts'
import { deriveFixtures } from '../rules/load/derived-fixtures.ts'
import { checkFolders, throwOnErrors } from '../rules/load/load.ts'
import { buildRuleset, packChecked } from '../rules/load/open-ruleset.ts'
import { exportRuleset } from '../rules/ruleset-json.ts'
import { CLAUSE_KEYS } from '../rules/schema.ts'
import { type CommandIo, defineCommand, EXIT, readTimeout, UsageError } from './command/command.ts'
import { dispatchVerb, type Given, readListOption, readTextOption, type Verb } from './command/verbs.ts'
import { diffRules } from './rules/diff-rules.ts'
import { explain } from './rules/explain-rule.ts'
import { findGaps } from './rules/find-gaps.ts'
import { fitRules } from './rules/fit-rules.ts'
import { importOrCheck } from './rules/import-rules.ts'
import { initRules } from './rules/init-rules.ts'
import { lint } from './rules/lint-rules.ts'
import { writeNewRule } from './rules/new-rule.ts'
import { PAGE_OPTIONS } from './rules/read-page.ts'
import { rename } from './rules/rename-verb.ts'
import { readReportOptions } from './rules/report-findings.ts'
import { CATALOGUE_VERBS } from './rules/rule-catalogue.ts'
import { listRuleFolders, type RuleWork, requireCheckout } from './rules/rule-work.ts'
import { testRules } from './rules/test-rules.ts'
import { watchRules } from './rules/watch-rules.ts'

const HELP = `
Proposes, checks, tests, explains, compares, lists, renames, fits and builds fingerprint rules: those of the project and those of RULES_DIRS.

  npm run -s rules -- init [folder] [--action OWNER/NAME[@REF]]
                                        Makes a folder of rules in another repository, by default the working folder: an example
                                        with its test, schemas for editors, README, and a workflow that checks the rules with the
                                        action of this repository of Siteprint. Existing files are never changed.
  npm run -s rules -- lint [rule or folder…]
                                        Checks rule and test files. Prints each finding as file:line:column  level  sentence  code.
                                        Folders that are given are checked together with the rules of the project. With rules, only
                                        findings of these rules and their tests are printed.
                                        --fix first corrects the order of keys and slugs, quotes and needless weights; it never
                                        changes a meaning.
  npm run -s rules -- test [rule or folder…]
                                        Runs the tests of all rules, or of the given ones, against all rules, and checks that the
                                        hits of each rule show all of its clauses and words. The rules must not fire on the
                                        ordinary pages of test/pages unless these list them.
  npm run -s rules -- dev [folder…]     Watches the rule folders. After each save, checks and tests the rules whose files changed.
  npm run -s rules -- build             Writes to dist/: the built ruleset of the project's rules, its conformance cases, and the
                                        schemas for editors, with the places of DETECTORS.
  npm run -s rules -- explain <rule> URL | --html page.html [--url U] [--headers h.json] | --har f.har | --hit N | --miss N
                                        Shows clause by clause why a rule does or does not fire on a page, and why it is or is
                                        not part of the result. --hit 2 is the second hit of its own test. Where a slug has
                                        several rules, write <kind>/<slug>. With --all, explains every rule that has points;
                                        a slug is then only needed for --hit and --miss.
  npm run -s rules -- new <kind>/<slug> URL | --html page.html [--url U] [--headers h.json] | --har f.har
                                        Proposes a rule and its test from what is unusual on a page, and writes both files.
                                        --category C is that of a builder or a technology (also technology/<category>/<slug>).
                                        --in FOLDER writes to another rule folder; the path of the new file, such as
                                        my-rules/builders/acme.yaml, says all of this at once. Existing files are never changed.
  npm run -s rules -- diff [<git ref>] [--pages FILE] [--format text|json|markdown]
                                        Compares the verdicts of the rules of a commit with those of the working tree: on all
                                        test pages, and on those of --pages (.jsonl, .warc, .har, .html; may be repeated).
                                        Without a ref: the merge base with main, or HEAD.
  npm run -s rules -- gaps --pages FILE… [--kind K,K] [--top N] [--format text|json] [--without slug,slug]
                                        Lists what occurs in pages (.jsonl, also results of scan; .warc, .har, .html) and no rule
                                        explains, by number of sites: names in meta generator and in sentences such as "made
                                        with", hosts of files and of pages, packages, headers, cookies, globals, and beginnings
                                        of class names and ids. --without ignores rules. --top is 60 by default.
                                        --new builder/acme --line 3 writes the draft of a rule for line 3, as new does;
                                        --category and --in are those of new.
  npm run -s rules -- import <folder or file>… --out FOLDER [--report FILE] [--prefix P] [--skip-known]
                                        Writes rules for fingerprints in the JSON format that Wappalyzer made common, and prints
                                        what could not be carried over; --report writes all of it as JSON. Load them with
                                        RULES_DIRS. The slug of a rule that is taken begins with P, by default imported-;
                                        --skip-known leaves such technologies out.
  npm run -s rules -- import [folder…] --check PAGES --against NAMES [--report FILE]
                                        Compares what imported rules name on pages (.jsonl, also .gz; .warc, .har, .html) with
                                        what another tool named there (lines with id and names), and explains each difference.
  npm run -s rules -- list [--kind K] [--category C] [--json]
                                        Lists rules: kind, slug, name, category and date, or one JSON object per line.
  npm run -s rules -- search <text>     Finds words, names, slugs and sources that contain the text. For a host or a URL, also
                                        locators that cover it. Prints each match as file:line:column.
  npm run -s rules -- show <rule>       Describes a rule in words: clauses with their points, relations, sources, tests.
  npm run -s rules -- stats             Counts rules by kind and category, clauses and test pages.
  npm run -s rules -- fit --pages FILE… [--check] [--held-out]
                                        Fits the points of the site types to labelled pages (JSON Lines, also .gz, with siteType)
                                        and writes them into the rules. Prints what a cross-validation by site finds. --check
                                        only compares the points with those of a new fit. --held-out fits without a fifth of the
                                        sites, prints what the points find there, and writes nothing.
  npm run -s rules -- rename <rule> <new slug>
                                        Renames the files of a rule, and its slug in all other rules and tests.

  --strict            lint, test: warnings count as errors.
  --format name       lint, test: json, github or sarif prints findings for other programs.
  --sarif FILE        lint, test: also writes the findings as SARIF.
  --timeout seconds   lint: time limit for judging all patterns, 60 by default.
                      test, explain: time limit per page, 10 by default.

A <rule> is its slug, its kind and slug, or the path of its file or test: acme, builder/acme, rules/builders/acme.yaml.
An installed package has the project's rules only compiled: its verbs read the folder \`rules\` of the working folder, or RULES_DIRS.
Settings (environment): RULES_DIRS, more folders with rules; DETECTORS, more modules with detectors; SCAN_ALLOW, SCAN_PORTS and
SCAN_DENY, which addresses explain and new may read.
CACHE_DIR is where lint and test keep what they know of files that do not change; it may be deleted at any time.
Exit code: 0 success, 1 findings, 2 wrong usage or failure.
`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const VERBS: Readonly<Record<string, Verb<CommandIo, RuleWork>>> = {
  init: { args: ['[folder]'], options: { action: text }, prepare: initRules },
  lint: {
    args: ['file…'],
    options: { strict: flag, format: text, sarif: text, fix: flag, timeout: text },
    prepare: lint,
  },
  test: {
    args: ['file…'],
    options: { strict: flag, format: text, sarif: text, timeout: text },
    prepare: test,
  },
  dev: { args: ['folder…'], options: {}, prepare: watchRules },
  build: { args: [], options: {}, prepare: build },
  explain: {
    args: ['[slug]', '[url]'],
    options: { ...PAGE_OPTIONS, hit: text, miss: text, all: flag, timeout: text },
    prepare: explain,
  },
  fit: {
    args: ['file…'],
    options: { pages: { type: 'string', multiple: true }, check: flag, 'held-out': flag },
    prepare: fit,
  },
  ...CATALOGUE_VERBS,
  new: { args: ['kind/slug', '[url]'], options: { ...PAGE_OPTIONS, category: text, in: text }, prepare: writeNewRule },
  diff: {
    args: ['[git-ref]'],
    options: { pages: { type: 'string', multiple: true }, format: text },
    prepare: diffRules,
  },
  gaps: {
    args: ['file…'],
    options: {
      pages: { type: 'string', multiple: true },
      kind: text,
      without: text,
      top: text,
      format: text,
      new: text,
      line: text,
      category: text,
      in: text,
    },
    prepare: findGaps,
  },
  import: {
    args: ['file…'],
    options: { out: text, report: text, prefix: text, 'skip-known': flag, check: text, against: text },
    prepare: importOrCheck,
  },
  rename: { args: ['rule', 'new slug'], options: {}, prepare: rename },
}

export const main = defineCommand(
  HELP,
  async (args, io) => {
    const work = dispatchVerb(VERBS, args, io)
    const config = loadConfig(io.env)
    const { ruleFolders, detectorModules } = config
    const detectors = await loadDetectors(detectorModules, [...CLAUSE_KEYS, FOUND.key])
    return await work({ folders: listRuleFolders(ruleFolders, args), detectors, detectorModules, config })
  },
  Object.keys(VERBS),
)

function test(given: Given, io: CommandIo): RuleWork {
  const timeoutMs = readTimeout(readTextOption(given, 'timeout') ?? '10')
  const report = readReportOptions(given)
  return (loaded) => testRules({ ...loaded, ...report, timeoutMs }, given.args, io)
}

function fit(given: Given, io: CommandIo): RuleWork {
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
function build(_: Given, { stderr }: CommandIo): RuleWork {
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
