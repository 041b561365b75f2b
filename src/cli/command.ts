import { type ParseArgsConfig, parseArgs } from 'node:util'
import { explain } from './format-error.ts'

/** Bad use of a command; `message` says what to do. */
export class UsageError extends Error {}

/** Exit codes of every command. */
export const EXIT = { fine: 0, findings: 1, failed: 2 } as const

/**
 * Runs a command: its number is the exit code, what it throws is told on stderr in a sentence, with exit code 2.
 * @param help what `--help` prints
 */
export async function runCommand(help: string, run: (args: string[]) => Promise<number> | number): Promise<void> {
  const args = process.argv.slice(2)
  // A reader that has seen enough (`| head`) is no fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.fine)
    process.stderr.write(`nothing could be written to standard output: ${error.message}\n`)
    process.exit(EXIT.failed)
  })
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${help.trim()}\n`)
    return
  }
  try {
    process.exitCode = await run(args)
  } catch (error) {
    process.stderr.write(`${tell(error)}\n`)
    process.exitCode = EXIT.failed
  }
}

/**
 * What the words of a command line say. Of two values for one option, the first would be lost without a word.
 * @throws UsageError for an option that is given twice and is no list; what `parseArgs` throws
 */
export function readArgs<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  const seen = new Set<string>()
  for (const token of parseArgs({ ...(config as ParseArgsConfig), tokens: true }).tokens) {
    if (token.kind !== 'option' || config.options?.[token.name]?.multiple) continue
    if (seen.size === seen.add(token.name).size) throw new UsageError(`--${token.name} is given twice: give it once`)
  }
  return parseArgs(config)
}

/**
 * Reads the seconds of `--timeout`, in milliseconds.
 * @throws UsageError for what is not a number of seconds
 */
export function readTimeout(text: string): number {
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= 86_400))
    throw new UsageError(`--timeout must be a number of seconds, at most 86400, not "${text}"`)
  return seconds * 1000
}

/** @throws UsageError when a page cannot come from this address */
export function checkAddress(url: string | undefined): void {
  if (url === undefined || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) return
  throw new UsageError(`--url must be an absolute http or https URL, not "${url}"`)
}

function tell(error: unknown): string {
  if (error instanceof UsageError || isArgumentError(error))
    return `${(error as Error).message}\nAsk --help for how it is used.`
  return explain(error)
}

function isArgumentError(error: unknown): boolean {
  return error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
}
