import { SetupError } from '../errors.ts'
import { checkCombinations } from './combinations.ts'
import type { Environment } from './reader.ts'
import { ConfigReader } from './reader.ts'
import type { Setting } from './setting.ts'
import { type Config, SETTINGS } from './settings.ts'

export type { Config } from './settings.ts'

/** The environment of the process. */
export function readEnvironment(): Environment {
  return process.env
}

/**
 * Reads the settings. No other module reads the environment. An empty or blank setting counts as not set.
 * @throws SetupError that lists every invalid setting, without its value
 */
export function loadConfig(env: Environment = readEnvironment()): Config {
  const reader = new ConfigReader(env)
  const values: Record<string, unknown> = {}
  const config = values as Config
  const settings = Object.entries<Setting<unknown>>(SETTINGS)
  for (const [, { isSecret, name }] of settings) if (isSecret) reader.loadFile(name)
  for (const [field, setting] of settings) {
    const value = setting.read(reader, setting.name)
    if (value === null && setting.isLazy) defineLazily(values, field, () => findDefault(setting, config, reader))
    else values[field] = value ?? findDefault(setting, values as Config, reader)
  }
  checkCombinations(config, reader)
  const names = settings.flatMap(([, { name, isSecret }]) => (isSecret ? [name, `${name}_FILE`] : name))
  const problems = [...reader.problems].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
  if (problems.length > 0) throw new SetupError(problems.map(({ name, sentence }) => `${name}: ${sentence}`).join('\n'))
  return Object.freeze(config)
}

/** Defines a property that is computed when it is first read. */
function defineLazily(object: object, name: string, compute: () => unknown): void {
  let known: { readonly value: unknown } | undefined
  Object.defineProperty(object, name, { enumerable: true, get: () => (known ??= { value: compute() }).value })
}

function findDefault(setting: Setting<unknown>, earlier: Config, reader: ConfigReader): unknown {
  if (typeof setting.default !== 'function') return setting.default
  return setting.default(earlier, (name: string) => reader.text(name) !== null)
}
