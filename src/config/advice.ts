import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../rules/cache-files.ts'
import { readEnvironment } from './config.ts'
import { isPortalOn } from './is-portal-on.ts'
import { findMisspelledNames } from './misspelled-names.ts'
import { isLoopback } from './parsers.ts'
import type { Environment } from './reader.ts'
import type { Setting } from './setting.ts'
import { type Config, SETTINGS } from './settings.ts'
import { describeWeakness } from './weak-secret.ts'

/** Advice on settings with which a server starts although something is probably wrong. It never contains a value. */
export interface Advice {
  /** `risk` if secrets or data could become known; such settings should not be used in production. */
  readonly level: 'risk' | 'warning'
  /** The name of the variable, a colon, and a sentence without a full stop. */
  readonly text: string
}

interface AdviceContext {
  readonly config: Config
  readonly isSet: (setting: Pick<Setting<unknown>, 'name'>) => boolean
  readonly isPortalServed: boolean
  /** Whether other machines can connect to the server itself. */
  readonly isReachable: boolean
}

/** Returns the sentence that applies; null if there is none. */
type AdviceRule = readonly [setting: keyof typeof SETTINGS, find: (context: AdviceContext) => string | null]

const NO_EFFECT = 'has no effect, because the portal is off'
const ALLOWED_HOSTS = SETTINGS.allowedHosts.name
const METRICS_PORT = SETTINGS.metricsPort.name
const PUBLIC_URL = SETTINGS.publicUrl.name
const RULES_URL = SETTINGS.rulesUrl.name
const SMTP_URL = SETTINGS.smtpUrl.name

const when = (isGiven: boolean, sentence: string): string | null => (isGiven ? sentence : null)

/** Rules of settings that depend on each other. */
const WARNINGS: readonly AdviceRule[] = [
  [
    'host',
    ({ config, isReachable }) =>
      when(
        isReachable && config.publicUrl === null && config.allowedHosts.length === 0 && config.trustProxy === null,
        `other machines can connect, but only localhost and the addresses of this machine are served; for names set ${PUBLIC_URL} or ${ALLOWED_HOSTS}`,
      ),
  ],
  [
    'publicUrl',
    ({ config, isPortalServed }) =>
      when(
        isPortalServed && config.publicUrl?.startsWith('http:') === true && !namesThisMachine(config.publicUrl),
        'begins with http, so passwords, cookies and keys are sent unencrypted; put a proxy with TLS in front, and write https',
      ),
  ],
  [
    'publicUrl',
    ({ config, isSet }) =>
      when(
        config.publicUrl !== null &&
          namesThisMachine(config.publicUrl) &&
          (config.trustProxy !== null || isSet(SETTINGS.smtpUrl)),
        'names this machine only, so links work nowhere else; write the URL that people use',
      ),
  ],
  [
    'metricsHost',
    ({ config, isSet }) =>
      when(isSet(SETTINGS.metricsHost) && config.metricsPort === null, `has no effect without ${METRICS_PORT}`),
  ],
  [
    'cacheDir',
    ({ config }) =>
      when(
        config.ruleFolders.length > 0 && !canWrite(config.cacheDir),
        'cannot be written, so the rules of RULES_DIRS are compiled at each start; write a folder of this user',
      ),
  ],
  [
    'redisUrl',
    ({ config }) =>
      when(
        config.mongodbUrl !== null && config.redisUrl === null,
        'is not set; each node counts rate limits and caches results on its own',
      ),
  ],
  [
    'scanAllow',
    ({ config }) =>
      when(config.scanAllow.length > 0, 'opens addresses that are not public; remove it outside of development'),
  ],
  [
    'scanPorts',
    ({ config: { scanPorts } }) =>
      when(
        !scanPorts.includes(80) && !scanPorts.includes(443),
        'contains neither 80 nor 443, so ordinary sites cannot be scanned',
      ),
  ],
  [
    'trustProxy',
    ({ config }) =>
      when(
        config.trustProxy !== null && config.publicUrl === null && config.allowedHosts.length === 0,
        `without ${PUBLIC_URL} and ${ALLOWED_HOSTS}, requests that name another host than localhost or an address of this machine get 421; set ${PUBLIC_URL}`,
      ),
  ],
  [
    'trustProxy',
    ({ config, isSet }) =>
      when(
        config.publicUrl?.startsWith('https:') === true && !isSet(SETTINGS.trustProxy),
        `is not set, although ${PUBLIC_URL} begins with https, which needs a proxy in front; write the number of proxies, or 0 if they report no addresses`,
      ),
  ],
  [
    'signUp',
    ({ config, isSet, isPortalServed }) =>
      when(!isPortalServed && isSet(SETTINGS.signUp) && config.signUp !== 'off', NO_EFFECT),
  ],
  [
    'signUp',
    ({ config, isPortalServed, isReachable }) =>
      when(
        isPortalServed && config.signUp !== 'off' && isReachable && config.publicUrl === null,
        `without ${PUBLIC_URL}, cookies are not Secure and links begin with http://localhost; set ${PUBLIC_URL} to the URL that people use`,
      ),
  ],
  [
    'signUp',
    ({ config, isPortalServed, isReachable }) =>
      when(
        isPortalServed && config.signUp === 'open' && config.smtpUrl === null && (isReachable || isPublic(config)),
        `with open and without ${SMTP_URL}, people sign up with addresses that are not confirmed; set ${SMTP_URL}, or write invite`,
      ),
  ],
  [
    'authSecret',
    ({ config, isPortalServed }) =>
      when(
        config.portal !== 'off' && !isPortalServed,
        'is not set, so the portal is off; set it to the same secret on every node, or set PORTAL=off',
      ),
  ],
  [
    'authSecret',
    ({ config }) =>
      when(
        config.authSecret !== null && config.authSecret === config.keyPepper,
        'is the same as KEY_PEPPER; write another secret',
      ),
  ],
  ['adminEmails', ({ config, isPortalServed }) => when(!isPortalServed && config.adminEmails.length > 0, NO_EFFECT)],
  ['smtpUrl', ({ config, isPortalServed }) => when(!isPortalServed && config.smtpUrl !== null, NO_EFFECT)],
  [
    'rulesPublicKey',
    ({ config, isSet }) =>
      when(isSet(SETTINGS.rulesPublicKey) && config.rulesUrl === null, `has no effect without ${RULES_URL}`),
  ],
  [
    'mailFrom',
    ({ config }) => when(config.mailFrom !== null && config.smtpUrl === null, `has no effect without ${SMTP_URL}`),
  ],
]

/** Whether a file can be written in a folder, which is created if it does not exist. */
function canWrite(folder: string): boolean {
  const file = join(folder, `probe-${process.pid}`)
  try {
    writeWhole(file, '')
    rmSync(file)
    return true
  } catch {
    return false
  }
}

const WRITE_ANOTHER = 'write another one, such as the output of `openssl rand -base64 32`'

/** Rules of secrets and of the data on the disk. */
const RISKS: readonly AdviceRule[] = [
  ['dataDir', ({ config }) => describeAccess(config)],
  [
    'keyPepper',
    ({ config: { keyPepper } }) => {
      const weakness = keyPepper === null ? null : describeWeakness(keyPepper)
      return when(
        weakness !== null,
        `${weakness}, so keys could be guessed from a stolen database; replace it with KEY_PEPPER_OLD`,
      )
    },
  ],
  [
    'authSecret',
    ({ config: { authSecret } }) => {
      const weakness = authSecret === null ? null : describeWeakness(authSecret)
      return when(weakness !== null, `${weakness}, so sessions could be forged; ${WRITE_ANOTHER}`)
    },
  ],
]

/**
 * Lists what is probably wrong with valid settings, and variables that are no settings but look like one.
 * @param env the environment that the settings were read from
 */
export function listAdvice(config: Config, env: Environment = readEnvironment()): readonly Advice[] {
  const isSet: AdviceContext['isSet'] = ({ name }) =>
    [name, `${name}_FILE`].some((one) => (env[one] ?? '').trim() !== '')
  const context = {
    config,
    isSet,
    isPortalServed: isPortalOn(config),
    isReachable: !isLoopback(config.host),
  }
  const apply = (rules: readonly AdviceRule[], level: Advice['level']): Advice[] =>
    rules.flatMap(([setting, find]) => {
      const sentence = find(context)
      return sentence === null ? [] : [{ level, text: `${SETTINGS[setting].name}: ${sentence}` }]
    })
  const misspelled = findMisspelledNames(env).map(({ name, sentence }) => `${name}: ${sentence}`)
  return [
    ...apply(RISKS, 'risk'),
    ...apply(WARNINGS, 'warning'),
    ...misspelled.map((text) => ({ level: 'warning' as const, text })),
  ]
}

/** Whether a URL works on this machine only. */
function namesThisMachine(url: string): boolean {
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''))
}

function isPublic({ publicUrl }: Config): boolean {
  return publicUrl !== null && !namesThisMachine(publicUrl)
}

/** Describes who can open the folder of the embedded store, if others than its owner can. */
function describeAccess({ dataDir, mongodbUrl }: Config): string | null {
  if (mongodbUrl !== null || process.platform === 'win32') return null
  const mode = statSync(dataDir, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o077) === 0) return null
  return `other users can open ${dataDir} (mode ${(mode & 0o777).toString(8).padStart(4, '0')}); run chmod 700 on it`
}
