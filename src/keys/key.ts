import { createHmac } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { customAlphabet } from 'nanoid'
import type { Key, KeySecret } from './types.ts'

/** Prefix of every secret, by which people and secret scanners recognize it. */
export const SECRET_PREFIX = 'spk_live_'

/** The characters of ids and secrets. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_PATTERN = new RegExp(`^(${SECRET_PREFIX}[0-9A-Za-z]{32})([0-9A-Za-z]{6})$`)
/** Makes a random text of this length from the system's cryptographic source. */
export const makeRandomText = customAlphabet(BASE62)

/**
 * Makes a new secret: the prefix, 32 random characters (190 bits from the system's cryptographic source), and a checksum of
 * both, so that a typo is rejected without a lookup.
 */
export function makeSecret(): string {
  const body = SECRET_PREFIX + makeRandomText(32)
  return body + computeChecksum(body)
}

/** Whether a text has the form and the checksum of a secret. It does not say whether a key with that secret exists. */
export function isWellFormed(secret: string): boolean {
  const [, body, checksum] = SECRET_PATTERN.exec(secret) ?? []
  return body !== undefined && computeChecksum(body) === checksum
}

const SECRETS = new RegExp(`${SECRET_PREFIX}[0-9A-Za-z]+`, 'g')

/** Replaces all secrets in a text, even incomplete ones, by their prefix. */
export function hideSecrets(text: string): string {
  return text.replaceAll(SECRETS, `${SECRET_PREFIX}…`)
}

/** CRC-32 of a text as 6 digits of base 62, with leading zeros. 62⁶ is larger than 2³². */
function computeChecksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < 6; i++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Hash of a secret, as stored: HMAC-SHA-256 with the pepper as its key, 64 hexadecimal digits. */
export function hashSecret(secret: string, pepper: string): string {
  return createHmac('sha256', pepper).update(secret).digest('hex')
}

/** Fingerprint of a pepper, by which a store recognizes it: 64 hexadecimal digits. */
export function fingerprintPepper(pepper: string): string {
  return hashSecret('fingerprint of the pepper', pepper)
}

/** Number of digits of the id of a pepper. */
export const PEPPER_ID_LENGTH = 16

/** Id of a pepper, which is stored with each secret: the first digits of its fingerprint. */
export function identifyPepper(pepper: string): string {
  return fingerprintPepper(pepper).slice(0, PEPPER_ID_LENGTH)
}

/** Makes a new secret, and the part of it that is stored. */
export function buildSecret({ pepper }: { readonly pepper: string }): {
  readonly stored: KeySecret
  readonly secret: string
} {
  const secret = makeSecret()
  const hash = hashSecret(secret, pepper)
  return { stored: { hash, lastFour: secret.slice(-4), expiresAt: null, pepper: identifyPepper(pepper) }, secret }
}

/** The values of a new key. */
export interface KeyParts {
  readonly name: string
  readonly email: string
  /** Name of a plan. */
  readonly plan: string
  /** API revision that the key is pinned to; null for the default of the service. */
  readonly revision: 1 | 2 | null
  /** Id of the account that the key belongs to; absent for none. */
  readonly account?: string
  /** When the key expires; absent for never. */
  readonly expiresAt?: Date | null
  readonly now: Date
  readonly pepper: string
}

/** Builds a new key and its secret. The secret is not stored and is shown once. The id is `key_` and 16 characters of base 62. */
export function buildKey({ now, pepper, ...parts }: KeyParts): { readonly key: Key; readonly secret: string } {
  const { stored, secret } = buildSecret({ pepper })
  const id = `key_${makeRandomText(16)}`
  return {
    key: {
      id,
      ...parts,
      account: parts.account ?? null,
      counter: id,
      createdAt: now,
      revokedAt: null,
      suspendedAt: null,
      expiresAt: parts.expiresAt ?? null,
      perMinute: null,
      perMonth: null,
      secrets: [stored],
    },
    secret,
  }
}

/**
 * Whether a key may be used with the secret of this hash: the key is neither revoked nor suspended, and neither it nor the
 * secret has expired.
 * @param now milliseconds since 1970
 */
export function isUsable(key: Key, hash: string, now: number): boolean {
  if (key.revokedAt !== null || key.suspendedAt !== null || hasExpired(key, now)) return false
  const secret = key.secrets.find((one) => one.hash === hash)
  return secret !== undefined && (secret.expiresAt === null || now < secret.expiresAt.getTime())
}

/** Whether a key has expired. A secret that has expired does not matter here. @param now milliseconds since 1970 */
export function hasExpired({ expiresAt }: Pick<Key, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && now >= expiresAt.getTime()
}
