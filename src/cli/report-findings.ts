import { type Finding, sortFindings } from '../yaml/finding.ts'
import { type CommandIo, EXIT } from './command.ts'
import { readFormat } from './format-findings.ts'

/** Formats a count with its noun. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Prints findings on stdout, as text by default, and their number on stderr. @returns the exit code */
export function reportFindings(
  findings: readonly Finding[],
  summary: string,
  { stdout, stderr }: CommandIo,
  format = readFormat(),
): number {
  stdout.write(format(sortFindings(findings)))
  const result = findings.length === 0 ? 'no problems found' : formatCount(findings.length, 'finding')
  stderr.write(`${summary}: ${result}\n`)
  return findings.length > 0 ? EXIT.findings : EXIT.ok
}
