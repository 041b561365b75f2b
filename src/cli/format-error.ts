import { PageLimitError, SetupError } from '../errors.ts'
import { RulesetError } from '../rules/findings.ts'
import { formatFinding } from '../yaml/finding.ts'

/** What an error says to whoever started the program: sentences for what somebody can set right, a stack for the rest. */
export function explain(error: unknown): string {
  if (error instanceof RulesetError)
    return [...error.findings.map(formatFinding), `${error.message}: nothing was loaded`].join('\n')
  const isTold = [SetupError, PageLimitError].some((Told) => error instanceof Told)
  if (isTold || isSystemError(error)) return (error as Error).message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
