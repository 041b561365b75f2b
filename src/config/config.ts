import { SetupError } from '../errors.ts'
import { ConfigReader } from './reader.ts'
import { SETTINGS, type Setting } from './settings.ts'

type Settings = typeof SETTINGS

/** The values of all settings. `settings.ts` documents each. */
export type Config = {
  readonly [Field in keyof Settings]: Settings[Field] extends Setting<infer Value> ? Value : never
}

/**
 * Reads the settings. No other module reads the environment. An empty or blank setting counts as not set.
 * @throws SetupError that lists every invalid setting, without its value
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const reader = new ConfigReader(env)
  const values: Record<string, unknown> = {}
  for (const [field, setting] of Object.entries<Setting<unknown>>(SETTINGS))
    values[field] = setting.read(reader, setting.name) ?? findDefault(setting, values as Config)
  const config = values as Config
  checkCombinations(config, reader)
  const names = Object.values(SETTINGS).map(({ name }) => name)
  const problems = [...reader.problems].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
  if (problems.length > 0) throw new SetupError(problems.map(({ name, sentence }) => `${name}: ${sentence}`).join('\n'))
  return Object.freeze(config)
}

function findDefault(setting: Setting<unknown>, earlier: Config): unknown {
  return typeof setting.default === 'function' ? setting.default(earlier) : setting.default
}

/** Checks settings that depend on each other. */
function checkCombinations({ port, metricsPort }: Config, reader: ConfigReader): void {
  if (metricsPort !== 0 && metricsPort === port)
    reader.report(SETTINGS.metricsPort.name, `write a port other than that of ${SETTINGS.port.name}`)
  if (reader.text(SETTINGS.mongodbUrl.name) !== null && reader.text(SETTINGS.keyPepper.name) === null)
    reader.report(
      SETTINGS.keyPepper.name,
      `is required with ${SETTINGS.mongodbUrl.name}: write at least 32 characters, the same on every node`,
    )
}
