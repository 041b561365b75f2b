import { createHash, randomBytes } from 'node:crypto'

/** Makes a token for a link: 256 random bits. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The hash under which an invitation is stored. */
export function hashInvite(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** The pages that links in e-mails and in the output of commands open, with the parameter that carries the token. */
const PAGES = {
  verify: '/verify?token=',
  reset: '/reset?token=',
  'log-in': '/login?link=',
  invite: '/signup?invite=',
} as const

/** @param publicUrl the public URL of the service, without a trailing slash */
export function buildLink(publicUrl: string, page: keyof typeof PAGES, token: string): string {
  return `${publicUrl}${PAGES[page]}${encodeURIComponent(token)}`
}
