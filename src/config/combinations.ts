import { isPortalOn } from './is-portal-on.ts'
import type { ConfigReader } from './reader.ts'
import type { Setting } from './setting.ts'
import { type Config, SETTINGS } from './settings.ts'

/** Reports settings that cannot be used together, and those that another one requires. */
export function checkCombinations(config: Config, reader: ConfigReader): void {
  const { port, metricsPort, smtpUrl, mailFrom } = SETTINGS
  if (config.metricsPort !== 0 && config.metricsPort === config.port)
    reader.report(metricsPort.name, `write a port other than that of ${port.name}`)
  if (isSet(reader, smtpUrl) && !isSet(reader, mailFrom))
    reader.report(mailFrom.name, `is required with ${smtpUrl.name}: write the sender of e-mails`)
  if (isSet(reader, SETTINGS.chromium) && isSet(reader, SETTINGS.browserUrl))
    reader.report(SETTINGS.browserUrl.name, `cannot be used with ${SETTINGS.chromium.name}: remove one of them`)
  checkBot(reader)
  checkRules(config, reader)
  checkPublicUrl(config, reader)
  checkSecrets(config, reader)
}

const isSet = (reader: ConfigReader, { name }: Pick<Setting<unknown>, 'name'>): boolean => reader.text(name) !== null

function checkBot(reader: ConfigReader): void {
  const { botKey, botDirectory } = SETTINGS
  if (isSet(reader, botKey) && !isSet(reader, botDirectory))
    reader.report(
      botDirectory.name,
      `is required with ${botKey.name}: write the https URL of the host at which sites find the key, such as https://siteprint.example`,
    )
  if (isSet(reader, botDirectory) && !isSet(reader, botKey))
    reader.report(botKey.name, `is required with ${botDirectory.name}: make a key with "service bot-key"`)
}

function checkRules({ rulesPublicKey, ruleFolders }: Config, reader: ConfigReader): void {
  const { rulesUrl, rulesPublicKey: key, ruleFolders: folders } = SETTINGS
  if (!isSet(reader, rulesUrl)) return
  if (rulesPublicKey === null && !isSet(reader, key))
    reader.report(
      key.name,
      `is required with ${rulesUrl.name}, because this release has no key: write the public key of those who sign the rules`,
    )
  if (ruleFolders.length > 0)
    reader.report(
      rulesUrl.name,
      `cannot be used with ${folders.name}, whose rules are compiled together with the built-in ones: remove one of them`,
    )
}

/**
 * Without the public URL, a portal behind a proxy with TLS would send cookies that are not `Secure`, and e-mails would contain links
 * to the address that the server listens on.
 */
function checkPublicUrl(config: Config, reader: ConfigReader): void {
  const { publicUrl, portal, trustProxy, smtpUrl } = SETTINGS
  if (!isPortalOn(config)) return
  const others = [
    ...(config.trustProxy === null ? [] : [trustProxy.name]),
    ...(isSet(reader, smtpUrl) ? [smtpUrl.name] : []),
  ]
  if (!isSet(reader, publicUrl) && others.length > 0)
    reader.report(
      publicUrl.name,
      `is required for the portal with ${others.join(' and ')}: write the URL that people use, such as https://siteprint.example.com, or set ${portal.name}=off`,
    )
  if (config.publicUrl !== null && new URL(config.publicUrl).pathname !== '/')
    reader.report(
      publicUrl.name,
      `write a URL without a path, because the portal needs a host name of its own, or ${portal.name}=off`,
    )
}

function checkSecrets(config: Config, reader: ConfigReader): void {
  const { keyPepper, keyPepperOld, mongodbUrl, authSecret, portal } = SETTINGS
  const required = `is required with ${mongodbUrl.name}: write at least 32 characters, the same on every node`
  if (isSet(reader, keyPepperOld) && !isSet(reader, keyPepper))
    reader.report(
      keyPepperOld.name,
      `is only for a change of the pepper: set ${keyPepper.name} to the new one, or remove it`,
    )
  else if (config.keyPepperOld !== null && config.keyPepperOld === config.keyPepper)
    reader.report(
      keyPepperOld.name,
      `is the same as ${keyPepper.name}: remove it, or set ${keyPepper.name} to the new one`,
    )
  if (isSet(reader, mongodbUrl) && !isSet(reader, keyPepper)) reader.report(keyPepper.name, required)
  if (config.portal === 'on' && isSet(reader, mongodbUrl) && !isSet(reader, authSecret))
    reader.report(authSecret.name, required.replace(':', ` and ${portal.name}=on:`))
}
