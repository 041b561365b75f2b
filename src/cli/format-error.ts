import { DetectorError } from '../../plugins/load.ts'
import { PageLimitError, SetupError } from '../errors.ts'
import { BuiltFileError } from '../rules/built.ts'
import { formatFinding, RulesetError } from '../rules/findings.ts'

/** What an error says to whoever started the program: sentences for what somebody can set right, a stack for the rest. */
export function explain(error: unknown): string {
  if (error instanceof RulesetError)
    return [...error.findings.map(formatFinding), `${error.message}: nothing was loaded`].join('\n')
  const isTold = [SetupError, DetectorError, BuiltFileError, PageLimitError].some((Told) => error instanceof Told)
  if (isTold || isSystemError(error)) return (error as Error).message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
