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
  const settings = Object.entries<Setting<unknown>>(SETTINGS)
  for (const [, { isSecret, name }] of settings) if (isSecret) reader.loadFile(name)
  for (const [field, setting] of settings)
    values[field] = setting.read(reader, setting.name) ?? findDefault(setting, values as Config, reader)
  const config = values as Config
  checkCombinations(config, reader)
  const names = settings.flatMap(([, { name, isSecret }]) => (isSecret ? [name, `${name}_FILE`] : name))
  const problems = [...reader.problems].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
  if (problems.length > 0) throw new SetupError(problems.map(({ name, sentence }) => `${name}: ${sentence}`).join('\n'))
  return Object.freeze(config)
}

function findDefault(setting: Setting<unknown>, earlier: Config, reader: ConfigReader): unknown {
  if (typeof setting.default !== 'function') return setting.default
  return setting.default(earlier, (name: string) => reader.text(name) !== null)
}

/** Whether the portal is served. Nodes on MongoDB that are upgraded without new settings keep serving only the API. */
export function isPortalOn({
  portal,
  mongodbUrl,
  authSecret,
}: Pick<Config, 'portal' | 'mongodbUrl' | 'authSecret'>): boolean {
  return portal !== 'off' && (mongodbUrl === null || authSecret !== null)
}

/** Checks settings that depend on each other. */
function checkCombinations(config: Config, reader: ConfigReader): void {
  const { port, metricsPort, portal, publicUrl } = config
  const isSet = ({ name }: Pick<Setting<unknown>, 'name'>): boolean => reader.text(name) !== null
  const { keyPepper, keyPepperOld, mongodbUrl, authSecret, smtpUrl, mailFrom } = SETTINGS
  if (metricsPort !== 0 && metricsPort === port)
    reader.report(SETTINGS.metricsPort.name, `write a port other than that of ${SETTINGS.port.name}`)
  if (isSet(SETTINGS.publicUrl) && isPortalOn(config) && new URL(publicUrl).pathname !== '/')
    reader.report(
      SETTINGS.publicUrl.name,
      `write a URL without a path, because the portal needs a host name of its own, or ${SETTINGS.portal.name}=off`,
    )
  const required = `is required with ${mongodbUrl.name}: write at least 32 characters, the same on every node`
  if (isSet(keyPepperOld) && !isSet(keyPepper))
    reader.report(
      keyPepperOld.name,
      `is only for a change of the pepper: set ${keyPepper.name} to the new one, or remove it`,
    )
  else if (config.keyPepperOld !== null && config.keyPepperOld === config.keyPepper)
    reader.report(
      keyPepperOld.name,
      `is the same as ${keyPepper.name}: remove it, or set ${keyPepper.name} to the new one`,
    )
  if (isSet(mongodbUrl) && !isSet(keyPepper)) reader.report(keyPepper.name, required)
  if (portal === 'on' && isSet(mongodbUrl) && !isSet(authSecret))
    reader.report(authSecret.name, required.replace(':', ` and ${SETTINGS.portal.name}=on:`))
  if (isSet(smtpUrl) && !isSet(mailFrom))
    reader.report(mailFrom.name, `is required with ${smtpUrl.name}: write the sender of e-mails`)
}
