import { closestMatch } from 'leven'
import { SetupError } from '../../errors.ts'

/** Options that operators write. Others of the driver work as well, but cannot be suggested. */
const OPTIONS = [
  ...['appName', 'authMechanism', 'authMechanismProperties', 'authSource', 'compressors', 'connectTimeoutMS'],
  ...['directConnection', 'heartbeatFrequencyMS', 'journal', 'loadBalanced', 'localThresholdMS', 'maxConnecting'],
  ...['maxIdleTimeMS', 'maxPoolSize', 'maxStalenessSeconds', 'minPoolSize', 'readConcernLevel', 'readPreference'],
  ...['readPreferenceTags', 'replicaSet', 'retryReads', 'retryWrites', 'serverSelectionTimeoutMS', 'socketTimeoutMS'],
  ...['srvMaxHosts', 'srvServiceName', 'ssl', 'tls', 'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames'],
  ...['tlsCAFile', 'tlsCertificateKeyFile', 'tlsCertificateKeyFilePassword', 'tlsInsecure', 'w', 'waitQueueTimeoutMS'],
  ...['wtimeoutMS', 'zlibCompressionLevel'],
]

/**
 * Explains why the driver (7.9) refuses a connection string. Its messages may quote the URL, and with it the password: only
 * names that are in the list above are shown.
 */
export function urlFault(url: string, error: unknown): SetupError {
  const [, authority = '', rest = ''] = /^[^/]+\/\/([^/?#]*)(.*)$/s.exec(url) ?? []
  const userinfo = authority.slice(0, Math.max(0, authority.lastIndexOf('@')))
  if (/^[^:]*:.*[:@[\]]|^:/.test(userinfo) || /[@#]/.test(rest) || !canDecode(userinfo))
    return new SetupError(
      'MONGODB_URL has a user or password that cannot be read: write special characters of the password as %XX, such as p%40ss for p@ss',
    )
  const message = error instanceof Error ? error.message : ''
  if (url.startsWith('mongodb+srv:') && /service names|port number/.test(message))
    return new SetupError('MONGODB_URL begins with mongodb+srv://, which takes one host and no port: remove the others')
  const query = rest.replace(/^[^?]*/, '')
  return new SetupError(
    optionFault(message, [...new URLSearchParams(query).keys()]) ??
      'MONGODB_URL is not a connection string of MongoDB: write mongodb://user:password@host:27017/siteprint',
  )
}

/** @param names of the options in the URL; @returns null when the driver's message is not about an option */
function optionFault(message: string, names: readonly string[]): string | null {
  const [, unknown] = /^options? (\S+) (?:is|are) not supported$/.exec(message) ?? []
  if (unknown !== undefined) {
    const meant = closestMatch(
      unknown.toLowerCase(),
      OPTIONS.map((name) => name.toLowerCase()),
      { maxDistance: 2 },
    )
    const suggestion = OPTIONS.find((name) => name.toLowerCase() === meant)
    const action = suggestion === undefined ? 'check the names after "?"' : `did you mean "${suggestion}"?`
    return `MONGODB_URL has an option that MongoDB's driver does not know: ${action}`
  }
  // "Invalid read preference mode" is about readPreference.
  const words = message.replaceAll(' ', '').toLowerCase()
  const written = names.map((name) => name.toLowerCase())
  const named = OPTIONS.map((name) => name.toLowerCase()).find(
    (name) => name.length > 1 && written.includes(name) && words.includes(name),
  )
  const option = OPTIONS.find((name) => name.toLowerCase() === named)
  if (option !== undefined) return `MONGODB_URL has a value for the option "${option}" that does not fit: correct it`
  return names.length > 0 ? 'MONGODB_URL has an option that MongoDB\'s driver refuses: check what follows "?"' : null
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== null
  } catch {
    return false
  }
}
