import { createHash } from 'node:crypto'

/**
 * The form in which the token of a session is stored. The cookie of the browser contains the token itself, so neither the
 * database nor a copy of it opens a session.
 */
export function hashSessionToken(token: string): string {
  return `${HASH_PREFIX}${createHash('sha256').update(token).digest('hex')}`
}

/** Distinguishes hashes from the tokens that earlier versions stored, which consist of letters and digits. */
export const HASH_PREFIX = 'sha256:'
