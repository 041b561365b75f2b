import { SetupError } from '../errors.ts'

/**
 * What is wrong with a connection string that the driver (7.9) refuses. Its own messages may quote the URL, and with it the
 * password: only names of options are taken from them.
 * @param url has a scheme and hosts
 */
export function urlFault(url: string, error: unknown): SetupError {
  const [, authority = '', rest = ''] = /^[^/]+\/\/([^/?#]*)(.*)$/s.exec(url) ?? []
  const userinfo = authority.slice(0, Math.max(0, authority.lastIndexOf('@')))
  if (/^[^:]*:.*[:@[\]]|^:/.test(userinfo) || /[@#]/.test(rest) || !canDecode(userinfo))
    return new SetupError(
      'MONGODB_URL has special characters in its user or password: write them as %XX, as in mongodb://user:p%40ss@host:27017/siteprint',
    )
  const message = error instanceof Error ? error.message.toLowerCase() : ''
  const names = [...new URLSearchParams(rest.replace(/^[^?]*/, '')).keys()].filter((name) => /^[a-z]+$/i.test(name))
  // "Invalid read preference mode" is about readPreference.
  const named = names.find((name) => message.replaceAll(' ', '').includes(name.toLowerCase()))
  if (named !== undefined && /^options? .*not supported$/.test(message))
    return new SetupError(
      `MONGODB_URL has the option "${named}", which MongoDB's driver does not know: correct its name, or remove it`,
    )
  if (named !== undefined)
    return new SetupError(
      `MONGODB_URL has a value for the option "${named}" that MongoDB's driver does not take: correct it`,
    )
  if (url.startsWith('mongodb+srv:') && /service names|port number/.test(message))
    return new SetupError('MONGODB_URL begins with mongodb+srv://, which takes one host and no port: remove the others')
  return new SetupError(
    'MONGODB_URL is not a connection string of MongoDB: write mongodb://user:password@host:27017/siteprint, and check the options after "?"',
  )
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== null
  } catch {
    return false
  }
}
