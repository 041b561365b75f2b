import { closestMatch } from 'leven'
import { SetupError } from '../../errors.ts'

/** Common options, for suggestions. Other options of the driver work too. */
const OPTIONS = [
  'appName',
  'authMechanism',
  'authMechanismProperties',
  'authSource',
  'compressors',
  'connectTimeoutMS',
  'directConnection',
  'heartbeatFrequencyMS',
  'journal',
  'loadBalanced',
  'localThresholdMS',
  'maxConnecting',
  'maxIdleTimeMS',
  'maxPoolSize',
  'maxStalenessSeconds',
  'minPoolSize',
  'readConcernLevel',
  'readPreference',
  'readPreferenceTags',
  'replicaSet',
  'retryReads',
  'retryWrites',
  'serverSelectionTimeoutMS',
  'socketTimeoutMS',
  'srvMaxHosts',
  'srvServiceName',
  'ssl',
  'tls',
  'tlsAllowInvalidCertificates',
  'tlsAllowInvalidHostnames',
  'tlsCAFile',
  'tlsCertificateKeyFile',
  'tlsCertificateKeyFilePassword',
  'tlsInsecure',
  'w',
  'waitQueueTimeoutMS',
  'wtimeoutMS',
  'zlibCompressionLevel',
]

/**
 * Explains why the driver (7.9) rejects a connection string. Its own messages may quote the URL including the password, so only
 * option names from the list above are shown.
 */
export function buildUrlError(url: string, error: unknown): SetupError {
  const [, authority = '', rest = ''] = /^[^/]+\/\/([^/?#]*)(.*)$/s.exec(url) ?? []
  const userinfo = authority.slice(0, Math.max(0, authority.lastIndexOf('@')))
  if (/^[^:]*:.*[:@[\]]|^:/.test(userinfo) || /[@#]/.test(rest) || !canDecode(userinfo))
    return new SetupError(
      'MONGODB_URL contains a user or password that cannot be parsed: write special characters of the password as %XX, such as p%40ss for p@ss',
    )
  const message = error instanceof Error ? error.message : ''
  if (url.startsWith('mongodb+srv:') && /service names|port number/.test(message))
    return new SetupError(
      'MONGODB_URL begins with mongodb+srv://, which takes one host name and no port: remove the rest',
    )
  const query = rest.replace(/^[^?]*/, '')
  return new SetupError(
    findOptionError(message, [...new URLSearchParams(query).keys()]) ??
      'MONGODB_URL is not a MongoDB connection string: write mongodb://user:password@host:27017/siteprint',
  )
}

/** @param names the names of the options in the URL. @returns null if the driver's message is not about an option */
function findOptionError(message: string, names: readonly string[]): string | null {
  const [, unknown] = /^options? (\S+) (?:is|are) not supported$/.exec(message) ?? []
  if (unknown !== undefined) {
    const meant = closestMatch(
      unknown.toLowerCase(),
      OPTIONS.map((name) => name.toLowerCase()),
      { maxDistance: 2 },
    )
    const suggestion = OPTIONS.find((name) => name.toLowerCase() === meant)
    const action = suggestion === undefined ? 'check the names after "?"' : `did you mean "${suggestion}"?`
    return `MONGODB_URL contains an option that the MongoDB driver does not support: ${action}`
  }
  // For example, "Invalid read preference mode" refers to readPreference.
  const squeezed = message.replaceAll(' ', '').toLowerCase()
  const written = names.map((name) => name.toLowerCase())
  const named = OPTIONS.map((name) => name.toLowerCase()).find(
    (name) => name.length > 1 && written.includes(name) && squeezed.includes(name),
  )
  const option = OPTIONS.find((name) => name.toLowerCase() === named)
  if (option !== undefined) return `MONGODB_URL contains an invalid value of the option "${option}": correct it`
  return names.length > 0
    ? 'MONGODB_URL contains an option that the MongoDB driver rejects: check the part after "?"'
    : null
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== null
  } catch {
    return false
  }
}
