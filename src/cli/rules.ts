import { loadDetectors } from '../../plugins/load.ts'
import { loadConfig } from '../config/config.ts'
import { FOUND } from '../engine/rule/clause.ts'
import { CLAUSE_KEYS } from '../rules/schema.ts'
import { type CommandIo, defineCommand, readTimeout } from './command/command.ts'
import { dispatchVerb, type Given, readTextOption, type Verb } from './command/verbs.ts'
import { lint } from './rules/lint-rules.ts'
import { readReportOptions } from './rules/report-findings.ts'
import { listRuleFolders, type RuleWork } from './rules/rule-work.ts'
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
const texts = { type: 'string', multiple: true } as const
/** Options that name a saved page. */
const PAGE_OPTIONS = { html: text, url: text, headers: text, har: text } as const

type OtherVerbs = typeof import('./rules/other-verbs.ts')
type RuleVerb = Verb<CommandIo, RuleWork | Promise<RuleWork>>
type Prepare = (given: Given, io: CommandIo) => RuleWork

/** Prepares a verb whose code is loaded on demand. */
const load =
  (choose: (verbs: OtherVerbs) => Prepare): RuleVerb['prepare'] =>
  async (given, io) =>
    choose(await import('./rules/other-verbs.ts'))(given, io)

const VERBS: Readonly<Record<string, RuleVerb>> = {
  init: { args: ['[folder]'], options: { action: text }, prepare: load((verbs) => verbs.initRules) },
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
  build: { args: [], options: {}, prepare: load((verbs) => verbs.build) },
  explain: {
    args: ['[slug]', '[url]'],
    options: { ...PAGE_OPTIONS, hit: text, miss: text, all: flag, timeout: text },
    prepare: load((verbs) => verbs.explain),
  },
  fit: {
    args: ['file…'],
    options: { pages: texts, check: flag, 'held-out': flag },
    prepare: load((verbs) => verbs.fit),
  },
  list: {
    args: [],
    options: { kind: text, category: text, json: flag },
    prepare: load((verbs) => verbs.list),
  },
  search: { args: ['text'], options: {}, prepare: load((verbs) => verbs.search) },
  show: { args: ['slug'], options: {}, prepare: load((verbs) => verbs.show) },
  stats: { args: [], options: {}, prepare: load((verbs) => verbs.stats) },
  new: {
    args: ['kind/slug', '[url]'],
    options: { ...PAGE_OPTIONS, category: text, in: text },
    prepare: load((verbs) => verbs.writeNewRule),
  },
  diff: { args: ['[git-ref]'], options: { pages: texts, format: text }, prepare: load((verbs) => verbs.diffRules) },
  gaps: {
    args: ['file…'],
    options: {
      pages: texts,
      kind: text,
      without: text,
      top: text,
      format: text,
      new: text,
      line: text,
      category: text,
      in: text,
    },
    prepare: load((verbs) => verbs.findGaps),
  },
  import: {
    args: ['file…'],
    options: { out: text, report: text, prefix: text, 'skip-known': flag, check: text, against: text },
    prepare: load((verbs) => verbs.importOrCheck),
  },
  rename: { args: ['rule', 'new slug'], options: {}, prepare: load((verbs) => verbs.rename) },
}

export const main = defineCommand(
  HELP,
  async (args, io) => {
    const work = await dispatchVerb(VERBS, args, io)
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
