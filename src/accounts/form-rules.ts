import { AccountError } from './accounts.ts'

const MAX_NAME_LENGTH = 100
/** The longest address that SMTP can deliver to (RFC 5321). */
const MAX_EMAIL_LENGTH = 254

/** Reads the name of a person: trimmed, on one line. @throws AccountError */
export function readPersonName(text: string): string {
  const name = text.length > 4 * MAX_NAME_LENGTH ? '' : text.trim().normalize('NFC')
  const isGood = name !== '' && [...name].length <= MAX_NAME_LENGTH && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)
  if (!isGood) throw new AccountError('invalid_name')
  return name
}

/** Reads an e-mail address, in lower case. @throws AccountError */
export function readEmailAddress(text: string): string {
  const email = parseEmailAddress(text)
  if (email === null) throw new AccountError('invalid_email')
  return email
}

/**
 * Reads an e-mail address, in lower case; null if it is not one. Quoted local parts and address literals are rejected, because
 * commas, brackets and quotation marks have a meaning in the header of an e-mail.
 */
export function parseEmailAddress(text: string): string | null {
  const email = text.length > 2 * MAX_EMAIL_LENGTH ? '' : text.trim().normalize('NFC').toLowerCase()
  const [, local = '', domain = ''] = /^([^\s@\p{C}"(),:;<>[\\\]]+)@([\p{L}\p{M}\p{N}.-]+)$/u.exec(email) ?? []
  const labels = domain.split('.')
  const isGood =
    email.length <= MAX_EMAIL_LENGTH &&
    local.length <= 64 &&
    !/^\.|\.\.|\.$/.test(local) &&
    labels.length > 1 &&
    labels.every((label) => label !== '' && label.length <= 63 && !/^-|-$/.test(label))
  return isGood ? email : null
}
