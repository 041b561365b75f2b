import { createInterface } from 'node:readline'
import { type CommandIo, UsageError } from './command.ts'

/**
 * Asks a question that only "yes" confirms.
 * @throws UsageError without a terminal, where only `--yes` confirms
 */
export async function confirm(
  { stdin, stderr }: Pick<CommandIo, 'stdin' | 'stderr'>,
  question: string,
): Promise<boolean> {
  if (stdin?.isTTY !== true) throw new UsageError('there is no terminal to ask for confirmation: confirm it with --yes')
  stderr.write(`${question} Type "yes" to confirm: `)
  for await (const answer of createInterface({ input: stdin })) return answer.trim().toLowerCase() === 'yes'
  return false
}
