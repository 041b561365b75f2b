import { domainToASCII, domainToUnicode } from 'node:url'
import type { Account } from '../store/account-types.ts'
import type { AccountStore } from '../store/types.ts'
import { AccountError } from './accounts.ts'

const MAX_NAME_LENGTH = 100
/** The longest address that SMTP can deliver to (RFC 5321). */
const MAX_EMAIL_LENGTH = 254

/** Reads the name of a person: trimmed, see `isVisibleLine`. @throws AccountError */
export function readPersonName(text: string): string {
  const name = text.length > 4 * MAX_NAME_LENGTH ? '' : text.trim().normalize('NFC')
  if (!isVisibleLine(name, MAX_NAME_LENGTH)) throw new AccountError('invalid_name')
  return name
}

/**
 * Whether a text is a name that can be shown: one line, with a visible character, and without characters that change the
 * direction of what is shown after it.
 * @param maxLength in code points
 */
export function isVisibleLine(text: string, maxLength: number): boolean {
  return (
    text.length <= 2 * maxLength &&
    [...text].length <= maxLength &&
    /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{P}\p{S}]/u.test(text) &&
    !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text)
  )
}

/** Reads an e-mail address as `parseEmailAddress` does. @throws AccountError */
export function readEmailAddress(text: string): string {
  const email = parseEmailAddress(text)
  if (email === null) throw new AccountError('invalid_email')
  return email
}

/**
 * Reads an e-mail address, in lower case and with its domain in ASCII (`xn--…`), as browsers send it; null if it is not one.
 * Quoted local parts and address literals are rejected, because commas, brackets and quotation marks have a meaning in the
 * header of an e-mail.
 */
export function parseEmailAddress(text: string): string | null {
  const email = text.length > 2 * MAX_EMAIL_LENGTH ? '' : text.trim().normalize('NFC').toLowerCase()
  const [, local = '', name = ''] = /^([^\s@\p{C}"(),:;<>[\\\]]+)@([\p{L}\p{M}\p{N}.-]+)$/u.exec(email) ?? []
  const domain = isAscii(name) ? name : domainToASCII(name)
  const labels = domain.split('.')
  const isGood =
    local.length + 1 + domain.length <= MAX_EMAIL_LENGTH &&
    local.length <= 64 &&
    !/^\.|\.\.|\.$/.test(local) &&
    labels.length > 1 &&
    labels.every((label) => label !== '' && label.length <= 63 && !/^-|-$/.test(label))
  return isGood ? `${local}@${domain}` : null
}

/**
 * Lists the spellings under which the account of an address may be stored: that of `parseEmailAddress`, and the one with the domain
 * in Unicode, which earlier versions stored as it was entered. Most addresses have only one.
 */
export function listSpellings(text: string): readonly string[] {
  const email = parseEmailAddress(text)
  if (email === null) return [text]
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  if (!/(?:^|\.)xn--/.test(domain)) return [email]
  const unicode = `${email.slice(0, at)}@${domainToUnicode(domain).toLowerCase()}`
  return [...new Set([email, unicode])]
}

/** Finds an account by its address, in any spelling. */
export async function findByAddress(store: Pick<AccountStore, 'findAccount'>, text: string): Promise<Account | null> {
  const found = await Promise.all(listSpellings(text).map((email) => store.findAccount(email)))
  return found.find((account) => account !== null) ?? null
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}
