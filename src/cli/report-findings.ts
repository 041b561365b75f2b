import { type Finding, formatFinding, sortFindings } from '../yaml/finding.ts'
import { type CommandIo, EXIT } from './command.ts'

/** Formats a count with its noun. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/**
 * Prints findings on stdout and their number on stderr.
 * @param strict whether warnings are errors
 * @returns the exit code: errors fail a command, warnings do not
 */
export function reportFindings(
  findings: readonly Finding[],
  summary: string,
  { stdout, stderr }: CommandIo,
  strict = false,
): number {
  const reported = strict ? findings.map((one): Finding => ({ ...one, level: 'error' })) : findings
  for (const one of sortFindings(reported)) stdout.write(`${formatFinding(one)}\n`)
  const warnings = reported.filter(({ level }) => level === 'warning').length
  const counted =
    formatCount(reported.length, 'finding') + (warnings > 0 ? `, ${formatWarnings(warnings, reported)}` : '')
  stderr.write(`${summary}: ${reported.length === 0 ? 'no problems found' : counted}\n`)
  return warnings < reported.length ? EXIT.findings : EXIT.ok
}

function formatWarnings(warnings: number, { length }: readonly Finding[]): string {
  return warnings === length ? 'only warnings' : formatCount(warnings, 'warning')
}
