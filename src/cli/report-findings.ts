import { type Finding, formatFinding, sortFindings } from '../yaml/finding.ts'
import { type CommandIo, EXIT } from './command.ts'

/** Formats a count with its noun. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Prints findings on stdout and their number on stderr. @returns the exit code */
export function reportFindings(findings: readonly Finding[], summary: string, { stdout, stderr }: CommandIo): number {
  for (const one of sortFindings(findings)) stdout.write(`${formatFinding(one)}\n`)
  const result = findings.length === 0 ? 'no problems found' : formatCount(findings.length, 'finding')
  stderr.write(`${summary}: ${result}\n`)
  return findings.length > 0 ? EXIT.findings : EXIT.ok
}
