import type { Readable, Writable } from 'node:stream'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { hideSecrets } from '../../keys/key.ts'
import { formatHint } from '../../yaml/hint.ts'
import { formatError } from './format-error.ts'
import { formatVerbHelp } from './verb-help.ts'

/** Wrong use of a command; `message` says what to change. */
export class UsageError extends Error {}

/** Exit codes of every command: success, success with findings or failed items, failure. */
export const EXIT = { ok: 0, findings: 1, failed: 2 } as const

/** The environment and the streams of a command, so that a test can run it in its own process. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard input; empty when absent, and then a command cannot ask. */
  readonly stdin?: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly hasColors?: (count: number, env: object) => boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  /** The command of the package; absent in npm scripts of a checkout. */
  readonly program?: string
}

/** A command: takes its arguments and returns the exit code. Never rejects. */
export type Main = (args: string[], io: CommandIo) => Promise<number>

/**
 * Builds the `main` of a command: prints the help for `--help` and `-h`, and reports what `run` throws on stderr.
 * @param help the text of `--help`
 * @param run returns the exit code
 * @param verbs `--help` after one of these prints only the part that is about it
 */
export function defineCommand(
  help: string,
  run: (args: string[], io: CommandIo) => Promise<number> | number,
  verbs: readonly string[] = [],
): Main {
  return async (args, io) => {
    const say = (text: string): string => nameProgram(text, io.program)
    if (args.includes('--help') || args.includes('-h')) {
      const verb = args.find((arg) => verbs.includes(arg))
      io.stdout.write(say(`${verb === undefined ? help.trim() : formatVerbHelp(help, verb)}\n`))
      return EXIT.ok
    }
    try {
      return await run(args, io)
    } catch (error) {
      const text = isUsageError(error) ? `${error.message}\nRun with --help for usage.` : formatError(error)
      io.stderr.write(say(`${hideSecrets(text)}\n`))
      return EXIT.failed
    }
  }
}

/** Whether the standard output is a terminal that shows colours, which NO_COLOR turns off. */
export function showsColors({ stdout, env }: CommandIo): boolean {
  return stdout.hasColors?.(16, env) ?? false
}

/** Replaces npm scripts and npx in a text by the command of the package. */
export function nameProgram(text: string, program: string | undefined): string {
  return program === undefined
    ? text
    : text.replaceAll(/npm run -s (\w+)(?: --)?|npx siteprint (\w+)/g, `${program} $1$2`)
}

/**
 * Parses arguments. An option that is given twice is an error, because the first value would be ignored silently.
 * @param allowed options to suggest instead of an unknown one
 * @throws UsageError for an unknown option, and for one that is given twice and is not a list; what `parseArgs` throws
 */
export function readArgs<T extends ParseArgsConfig>(
  config: T,
  allowed = Object.keys(config.options ?? {}),
): ReturnType<typeof parseArgs<T>> {
  const seen = new Set<string>()
  for (const token of readTokens(config, allowed)) {
    if (token.kind !== 'option' || config.options?.[token.name]?.multiple) continue
    if (seen.size === seen.add(token.name).size) throw new UsageError(`--${token.name} is given twice: give it once`)
  }
  return parseArgs(config)
}

/** @throws UsageError for an unknown option, with the one that was probably meant */
function readTokens(config: ParseArgsConfig, allowed: readonly string[]) {
  try {
    return parseArgs({ ...config, tokens: true }).tokens
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const [, option] = /^Unknown option '([^']*)'/.exec(message) ?? []
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || option === undefined) throw error
    const hint = formatHint(
      option,
      allowed.map((name) => `--${name}`),
    )
    throw new UsageError(`Unknown option '${option}'${hint || `: ${formatOptions(allowed)}`}`)
  }
}

/** Formats the options that a command takes, for a sentence about one that it does not take. */
export function formatOptions(names: readonly string[]): string {
  return names.length === 0 ? 'it takes no options' : `use ${names.map((name) => `--${name}`).join(', ')}`
}

/**
 * Reads the seconds of `--timeout`, in milliseconds.
 * @throws UsageError for anything but a number of seconds
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

/** Writes text and waits while the stream is full, so that a long output takes constant memory. */
export async function writeText(stream: Writable, text: string): Promise<void> {
  if (!stream.write(text)) await new Promise((resolve) => stream.once('drain', resolve))
}

function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  return error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
}
