import { PageLimitError, SetupError } from '../../errors.ts'
import { RulesetError } from '../../rules/findings.ts'
import { formatFinding } from '../../yaml/finding.ts'

/** Formats an error for the terminal: a sentence for errors that the reader can correct, a stack for all others. */
export function formatError(error: unknown): string {
  if (error instanceof RulesetError)
    return [...error.findings.map(formatFinding), `${error.message}: nothing was loaded`].join('\n')
  const isExpected = [SetupError, PageLimitError].some((type) => error instanceof type)
  if (isExpected || isSystemError(error)) return (error as Error).message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
