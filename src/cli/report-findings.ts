import { type Finding, formatFinding, sortFindings } from '../yaml/finding.ts'
import { EXIT } from './command.ts'

/** A count with its noun. */
export function several(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Prints findings, and how many there are. @returns the exit code */
export function report(findings: readonly Finding[], summary: string): number {
  for (const one of sortFindings(findings)) process.stdout.write(`${formatFinding(one)}\n`)
  process.stderr.write(
    `${summary}: ${findings.length === 0 ? 'nothing to complain of' : several(findings.length, 'finding')}\n`,
  )
  return findings.length > 0 ? EXIT.findings : EXIT.fine
}
