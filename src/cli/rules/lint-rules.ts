import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { checkMisses } from '../../rules/far-miss.ts'
import type { Finding } from '../../rules/findings.ts'
import { checkLength, readFixtures } from '../../rules/fixtures.ts'
import { checkGenericWords } from '../../rules/generic-words.ts'
import { type CheckedRules, checkDates, checkFolders } from '../../rules/load.ts'
import { type CommandIo, EXIT, readTimeout, UsageError } from '../command.ts'
import { formatCount } from '../format-count.ts'
import { type Given, readTextOption } from '../verbs.ts'
import { fixRules } from './fix-rules.ts'
import { readFormat } from './format-findings.ts'
import { addFolders, isPath, readNamedFile } from './named-rules.ts'
import { reportFindings } from './report-findings.ts'
import type { RuleWork } from './rule-work.ts'

/** What lint reads, and which of its findings it reports. */
interface LintTarget {
  readonly folder: string
  /** Absolute path of a rule; null for everything in the folder. */
  readonly file: string | null
}

/** Checks rule and test files: all, or those that arguments name, always together with all other rules. */
export function lint(given: Given, io: CommandIo): RuleWork {
  const timeoutMs = readTimeout(readTextOption(given, 'timeout') ?? '60')
  const format = readFormat(readTextOption(given, 'format'))
  const targets = given.args.map(readTarget)
  const files = new Set(targets.flatMap(({ file }) => file ?? []))
  const named = targets.map(({ folder }) => folder)
  const isReported = buildFilter(targets)
  return ({ folders, detectors }) => {
    const options = { folders: addFolders(folders, named), detectors, timeoutMs, last: files }
    const before = checkFolders(options)
    const fixed = given.values.fix ? fixRules(before.rules.filter(({ found }) => isReported(found.file))) : []
    for (const file of fixed) io.stderr.write(`${file} fixed\n`)
    const checked = fixed.length > 0 ? checkFolders(options) : before
    const { rules, unjudged } = checked
    const findings = lintAll(checked).filter(({ file }) => isReported(file))
    const count = files.size === 0 ? rules.length : rules.filter(({ found }) => isReported(found.file)).length
    const code = reportFindings(findings, formatCount(count, 'rule'), io, {
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

/** @throws UsageError when there is neither such a folder nor such a rule */
function readTarget(name: string): LintTarget {
  const path = resolve(name)
  if (existsSync(path) && statSync(path).isDirectory()) return { folder: path, file: null }
  if (!existsSync(path) && !isPath(name)) throw new UsageError(`there is no folder or file "${name}"`)
  const { file, root } = readNamedFile(name)
  return { folder: root, file }
}

/** Files limit what is reported to themselves, their tests, and the folders that are also named; folders alone do not. */
function buildFilter(targets: readonly LintTarget[]): (file: string) => boolean {
  if (targets.every(({ file }) => file === null)) return () => true
  const files = new Set(targets.flatMap(({ file }) => (file === null ? [] : [file, toTest(file)])))
  const folders = targets.flatMap(({ folder, file }) => (file === null ? [`${folder}/`] : []))
  return (file) => {
    const path = resolve(file)
    return files.has(path) || folders.some((folder) => path.startsWith(folder))
  }
}

function toTest(file: string): string {
  return file.replace(/\.yaml$/, '.test.yaml')
}

/** Everything that lint reports: problems of the rules, of their dates, and of their test files. */
function lintAll(checked: CheckedRules): Finding[] {
  const tests = checked.rules.map((rule) => ({ rule, ...readFixtures(rule.found) }))
  return [
    ...checked.findings,
    ...checkDates(checked, new Date()),
    ...tests.flatMap(({ rule, fixtures, findings }) => [
      ...findings,
      ...fixtures.flatMap(checkLength),
      ...checkMisses(rule.source, fixtures, checked.places),
    ]),
    ...checkGenericWords(tests, checked.places),
  ]
}
