/**
 * An error of the connection to Redis with advice for the operator. Never contains the URL, which may include a password.
 * @param error undefined while the first connection is being established
 */
export function buildConnectionError(error: Error | undefined, { isTls }: { readonly isTls: boolean }): Error {
  const { code = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException
  const advice = findAdvice(`${code} ${message}`, isTls)
  return new Error(`${message || 'no connection yet'}: ${advice}`, { cause: error })
}

function findAdvice(text: string, isTls: boolean): string {
  if (/WRONGPASS|NOAUTH|NOPERM|no password is set/.test(text)) return 'check the user and password of REDIS_URL'
  if (/certificate|_CERT|ALTNAME/i.test(text))
    return 'the certificate of the server is not trusted; add its certificate authority with NODE_EXTRA_CA_CERTS, or check the host name in REDIS_URL'
  if (/DB index/.test(text)) return 'check the number of the database in REDIS_URL'
  // A server without TLS waits for the end of the supposed command, or sends a reply that is not TLS.
  if (isTls && /^ $|timeout|closed|disconnected|EPROTO|SSL|wrong version|ECONNRESET/i.test(text))
    return 'REDIS_URL begins with rediss://; check that the server supports TLS on this port'
  if (/closed unexpectedly|ECONNRESET/.test(text))
    return 'REDIS_URL begins with redis://; use rediss:// if the server expects TLS on this port'
  return 'check that Redis is running, that this machine can reach it, and that REDIS_URL is correct'
}
