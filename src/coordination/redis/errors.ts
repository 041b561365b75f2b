/**
 * An error of the connection to Redis, with what an operator can do about it. Without the URL, which may hold a password.
 * @param error undefined while the first connection is still being made
 */
export function redisFault(error: Error | undefined, { isTls }: { readonly isTls: boolean }): Error {
  const { code = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException
  const advice = adviceOn(`${code} ${message}`, isTls)
  return new Error(`${message || 'no connection yet'}: ${advice}`, { cause: error })
}

function adviceOn(text: string, isTls: boolean): string {
  if (/WRONGPASS|NOAUTH|NOPERM|no password is set/.test(text)) return 'check the user and password of REDIS_URL'
  if (/certificate|_CERT|ALTNAME/i.test(text))
    return 'the certificate of the server is not trusted, name its authority with NODE_EXTRA_CA_CERTS, or check the host in REDIS_URL'
  if (/DB index/.test(text)) return 'check the number of the database in REDIS_URL'
  // A plain server waits for the end of what it takes for a command, or says something that is not TLS.
  if (isTls && /^ $|timeout|closed|disconnected|EPROTO|SSL|wrong version|ECONNRESET/i.test(text))
    return 'REDIS_URL begins with rediss://, check that the server speaks TLS on this port'
  if (/closed unexpectedly|ECONNRESET/.test(text))
    return 'REDIS_URL begins with redis://, write rediss:// if the server speaks TLS on this port'
  return 'check that it runs, that this machine may reach it, and REDIS_URL'
}
