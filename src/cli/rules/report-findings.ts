import { existsSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type FileFinding, sortFindings } from '../../yaml/finding.ts'
import { type CommandIo, EXIT, nameProgram, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { type Given, readTextOption } from '../command/verbs.ts'
import { readFormat } from './format-findings.ts'

export interface ReportOptions {
  /** Whether warnings are errors. */
  readonly strict?: boolean
  /** Text by default. */
  readonly format?: (findings: readonly FileFinding[]) => string
  /** A file to which the findings are written as SARIF, too. */
  readonly sarif?: string | undefined
}

/**
 * Reads the options of verbs that report findings.
 * @throws UsageError for an unknown format, and for a file in a folder that does not exist
 */
export function readReportOptions(given: Given): ReportOptions {
  const sarif = readTextOption(given, 'sarif')
  if (sarif !== undefined && !existsSync(dirname(resolve(sarif))))
    throw new UsageError(`--sarif: there is no folder "${dirname(sarif)}": create it first`)
  const format = readFormat(readTextOption(given, 'format'))
  return { strict: given.values.strict === true, format, sarif }
}

/**
 * Prints findings on stdout and their number on stderr.
 * @returns the exit code: errors fail a command, warnings do not
 */
export function reportFindings(
  findings: readonly FileFinding[],
  summary: string,
  { stdout, stderr, program }: CommandIo,
  { strict = false, format = readFormat(), sarif }: ReportOptions = {},
): number {
  const reported = findings.map((one): FileFinding => {
    const sentence = nameProgram(one.sentence, program)
    return { ...one, sentence, ...(strict && { level: 'error' }) }
  })
  const sorted = sortFindings(reported)
  stdout.write(format(sorted))
  if (sarif !== undefined) writeFileSync(sarif, readFormat('sarif')(sorted))
  const warnings = reported.filter(({ level }) => level === 'warning').length
  const counted =
    formatCount(reported.length, 'finding') + (warnings > 0 ? `, ${formatWarnings(warnings, reported)}` : '')
  stderr.write(`${summary}: ${reported.length === 0 ? 'no problems found' : counted}\n`)
  return warnings < reported.length ? EXIT.findings : EXIT.ok
}

function formatWarnings(warnings: number, { length }: readonly FileFinding[]): string {
  return warnings === length ? 'only warnings' : formatCount(warnings, 'warning')
}
