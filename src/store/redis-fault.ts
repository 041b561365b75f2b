/**
 * An error of the connection to Redis, with what an operator can do about it. Without any of the URL, which may hold a
 * password.
 * @param error undefined while the first connection is still being made
 */
export function redisFault(error: Error | undefined, { isTls }: { readonly isTls: boolean }): Error {
  const { code = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException
  const advice = adviceOn(`${code} ${message}`, isTls)
  if (advice === null && error !== undefined) return error
  return new Error([message, advice ?? 'no connection yet'].filter(Boolean).join(': '), { cause: error })
}

function adviceOn(text: string, isTls: boolean): string | null {
  if (/WRONGPASS|invalid username-password|NOAUTH|no password is set|NOPERM/i.test(text))
    return 'check the user and password of REDIS_URL'
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_/.test(text))
    return 'the certificate of the server is not trusted, name its authority with NODE_EXTRA_CA_CERTS, or check the host in REDIS_URL'
  if (/invalid DB index|DB index is out of range/i.test(text)) return 'check the number of the database in REDIS_URL'
  // A plain server waits for the end of what it takes for a command, or says something that is not TLS.
  const isSilent = /^ $|timeout|closed unexpectedly|EPROTO|SSL|wrong version|ECONNRESET/i.test(text)
  if (isSilent && isTls) return 'REDIS_URL begins with rediss://, check that the server speaks TLS on this port'
  if (/closed unexpectedly|ECONNRESET/.test(text))
    return 'REDIS_URL begins with redis://, write rediss:// if the server speaks TLS on this port'
  return 'check that it runs, that this machine may reach it, and REDIS_URL'
}
