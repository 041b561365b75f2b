import { type Finding, sortFindings } from '../../yaml/finding.ts'
import { type CommandIo, EXIT } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { readFormat } from './format-findings.ts'

interface ReportOptions {
  /** Whether warnings are errors. */
  readonly strict?: boolean
  /** Text by default. */
  readonly format?: (findings: readonly Finding[]) => string
}

/**
 * Prints findings on stdout and their number on stderr.
 * @returns the exit code: errors fail a command, warnings do not
 */
export function reportFindings(
  findings: readonly Finding[],
  summary: string,
  { stdout, stderr }: CommandIo,
  { strict = false, format = readFormat() }: ReportOptions = {},
): number {
  const reported = strict ? findings.map((one): Finding => ({ ...one, level: 'error' })) : findings
  stdout.write(format(sortFindings(reported)))
  const warnings = reported.filter(({ level }) => level === 'warning').length
  const counted =
    formatCount(reported.length, 'finding') + (warnings > 0 ? `, ${formatWarnings(warnings, reported)}` : '')
  stderr.write(`${summary}: ${reported.length === 0 ? 'no problems found' : counted}\n`)
  return warnings < reported.length ? EXIT.findings : EXIT.ok
}

function formatWarnings(warnings: number, { length }: readonly Finding[]): string {
  return warnings === length ? 'only warnings' : formatCount(warnings, 'warning')
}
