import type { ParseArgsConfig } from 'node:util'
import { formatChoice } from '../../yaml/hint.ts'
import { formatOptions, readArgs, UsageError } from './command.ts'

type VerbOptions = NonNullable<ParseArgsConfig['options']>

/** A verb of a command, such as `rotate` of `keys`. */
export interface Verb<Context, Work> {
  /** Names of its positional arguments: required, or optional in brackets; a last one that ends in `…` takes any number. */
  readonly args: readonly string[]
  readonly options: VerbOptions
  /** Validates the arguments before anything is opened, and returns the action. */
  readonly prepare: (given: Given, context: Context) => Work
}

/** The arguments after a verb. */
export interface Given {
  readonly args: readonly string[]
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
}

/** The text of an option; undefined when it was not given. */
export function readTextOption({ values }: Given, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** The values of an option that may be repeated. */
export function readListOption({ values }: Given, name: string): readonly string[] {
  const value = values[name]
  return Array.isArray(value) ? value : []
}

/**
 * Finds the verb that the arguments name, checks options and number of arguments, and prepares it.
 * @throws UsageError for an unknown verb, an option of another verb, a missing or surplus argument
 */
export function dispatchVerb<Context, Work>(
  verbs: Readonly<Record<string, Verb<Context, Work>>>,
  args: readonly string[],
  context: Context,
): Work {
  const options: VerbOptions = Object.assign({}, ...Object.values(verbs).map((verb) => verb.options))
  const meant = args.find((arg) => Object.hasOwn(verbs, arg))
  const allowed = Object.keys(meant === undefined ? options : verbs[meant].options)
  const { values, positionals } = readArgs({ args: [...args], allowPositionals: true, options }, allowed)
  const [name, ...rest] = positionals
  const names = Object.keys(verbs).join(', ')
  if (name === undefined) throw new UsageError(`missing verb: use one of ${names}`)
  if (!Object.hasOwn(verbs, name))
    throw new UsageError(`unknown verb "${name}"${formatChoice(name, Object.keys(verbs))}`)
  const verb = verbs[name]
  for (const option of Object.keys(values))
    if (!Object.hasOwn(verb.options, option))
      throw new UsageError(`--${option} cannot be used with ${name}: ${formatOptions(Object.keys(verb.options))}`)
  checkCount(name, verb.args, rest)
  return verb.prepare({ args: rest, values: values as Given['values'] }, context)
}

function checkCount(name: string, wanted: readonly string[], given: readonly string[]): void {
  const takesMany = wanted.at(-1)?.endsWith('…') ?? false
  const least = wanted.filter((arg) => !arg.startsWith('[') && !arg.endsWith('…')).length
  if (given.length >= least && (takesMany || given.length <= wanted.length)) return
  const usage =
    wanted.length === 0 ? 'no argument' : wanted.map((arg) => (arg.startsWith('[') ? arg : `<${arg}>`)).join(' ')
  throw new UsageError(`${name} takes ${usage}`)
}
