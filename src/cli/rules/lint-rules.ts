import { existsSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { checkLifecycles } from '../../authoring/check-lifecycles.ts'
import { lintRules } from '../../authoring/lint.ts'
import type { Finding } from '../../rules/findings.ts'
import { checkFolders, type RuleFolders } from '../../rules/load/load.ts'
import { type CommandIo, EXIT, readTimeout, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { type Given, readTextOption } from '../command/verbs.ts'
import { fixRules } from './fix-rules.ts'
import { addFolders, findNamedRules, findRules, type RuleTargets, readTargets } from './named-rules.ts'
import { readReportOptions, reportFindings } from './report-findings.ts'
import { NO_RULES, openMemory, type RuleWork } from './rule-work.ts'

/** Checks rule and test files: all, or those that arguments name, always together with all other rules. */
export function lint(given: Given, io: CommandIo): RuleWork {
  const timeoutMs = readTimeout(readTextOption(given, 'timeout') ?? '60')
  const report = readReportOptions(given)
  const targets = readTargets(given.args)
  return (loaded) => {
    const folders = addFolders(loaded.folders, [...targets.folders, ...targets.files.map(({ root }) => root)])
    const files = listFiles(targets, folders)
    const isReported = buildFilter(files, targets.folders)
    const options = { folders, detectors: loaded.detectors, timeoutMs, last: files }
    const fixed = given.values.fix ? fixReported(options, isReported) : []
    for (const file of fixed) io.stderr.write(`${file} fixed\n`)
    const memory = openMemory(loaded, folders)
    const run = (): Linted => {
      const checked = checkFolders({ ...options, memory })
      const rules = checked.rules.filter(({ found }) => !found.isBuilt).map(({ found }) => found.file)
      return { rules, findings: lintRules(checked, memory), unjudged: checked.unjudged }
    }
    const today = new Date().toISOString().slice(0, 10)
    const { rules, findings, unjudged } =
      memory === undefined ? run() : memory.recallWhole('lint', [today, ...files], run)
    if (unjudged === 0) memory?.save()
    const count = files.size === 0 ? rules.length : rules.filter(isReported).length
    const all = [...findings, ...lintLifecycles(loaded.folders[0], rules)]
    const reported = all.filter(({ file }) => isReported(file))
    if (rules.length + reported.length === 0) throw new UsageError(NO_RULES)
    const code = reportFindings(reported, formatCount(count, 'rule'), io, report)
    if (unjudged === 0) return code
    const limit = formatCount(timeoutMs / 1000, 'second')
    io.stderr.write(
      `${formatCount(unjudged, 'pattern')} not judged within ${limit}: run lint again to continue, or allow more time with --timeout\n`,
    )
    return EXIT.findings
  }
}

/** Checks the lifecycles of the project's own folder. They are data of other products, so rules that are named leave them out. */
function lintLifecycles(folder: string, rules: readonly string[]): Finding[] {
  const file = join(relative('.', folder), 'lifecycles.json')
  return existsSync(file) ? checkLifecycles(file, new Set(rules.map((rule) => basename(rule, '.yaml')))) : []
}

/** What lint found, as a later run can keep it. */
interface Linted {
  /** Files of the rules. */
  readonly rules: readonly string[]
  readonly findings: readonly Finding[]
  readonly unjudged: number
}

/** Corrects the rules that are reported. @returns the files that changed */
function fixReported(options: RuleFolders, isReported: (file: string) => boolean): string[] {
  return fixRules(checkFolders(options).rules.filter(({ found }) => !found.isBuilt && isReported(found.file)))
}

/**
 * Lists the absolute paths of the rules that are named.
 * @throws UsageError when there is no rule of a name
 */
function listFiles({ files, names }: RuleTargets, folders: readonly string[]): ReadonlySet<string> {
  const named = names.length === 0 ? [] : findNamedRules(names, findRules(folders))
  return new Set([...files.map(({ file }) => file), ...named.map(({ found }) => resolve(found.file))])
}

/** Rules limit what is reported to themselves, their tests, and the folders that are also named; folders alone do not. */
function buildFilter(rules: ReadonlySet<string>, folders: readonly string[]): (file: string) => boolean {
  if (rules.size === 0) return () => true
  const files = new Set([...rules].flatMap((file) => [file, toTest(file)]))
  return (file) => {
    const path = resolve(file)
    return files.has(path) || folders.some((folder) => path.startsWith(`${folder}/`))
  }
}

function toTest(file: string): string {
  return file.replace(/\.yaml$/, '.test.yaml')
}
