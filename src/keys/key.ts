import { createHmac } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { customAlphabet } from 'nanoid'
import type { Key, KeySecret } from './types.ts'

/** What every secret begins with: people and secret scanners know a key of ours by it. */
export const PREFIX = 'spk_live_'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHAPE = new RegExp(`^(${PREFIX}[0-9A-Za-z]{32})([0-9A-Za-z]{6})$`)
const randomText = customAlphabet(BASE62)

/**
 * A new secret: the prefix, 32 random characters (190 bits of the system's cryptographic source), and a checksum of both,
 * so that a typo is refused without a look-up.
 */
export function makeSecret(): string {
  const body = PREFIX + randomText(32)
  return body + checksumOf(body)
}

/** Whether a text has the shape and the checksum of a secret; not whether a key has it. */
export function isWellFormed(secret: string): boolean {
  const [, body, checksum] = SHAPE.exec(secret) ?? []
  return body !== undefined && checksumOf(body) === checksum
}

/** CRC-32 of a text as 6 digits of base 62, zeros in front: 62⁶ is above 2³². */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < 6; i++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** What is kept of a secret: HMAC-SHA-256 under the pepper, 64 hexadecimal digits. */
export function hashSecret(secret: string, pepper: string): string {
  return createHmac('sha256', pepper).update(secret).digest('hex')
}

/** A new secret, and what a store keeps of it. */
export function buildSecret({ pepper }: { readonly pepper: string }): {
  readonly kept: KeySecret
  readonly secret: string
} {
  const secret = makeSecret()
  return { kept: { hash: hashSecret(secret, pepper), lastFour: secret.slice(-4), expiresAt: null }, secret }
}

/** What a new key is made of. */
export interface KeyParts {
  readonly name: string
  readonly email: string
  /** Name of a plan. */
  readonly plan: string
  /** The revision it is pinned to; null for the service's. */
  readonly revision: 1 | 2 | null
  readonly now: Date
  readonly pepper: string
}

/** A new key and its secret, which nothing keeps: its holder sees it once. The id is `key_` and 16 characters of base 62. */
export function buildKey({ now, pepper, ...parts }: KeyParts): { readonly key: Key; readonly secret: string } {
  const { kept, secret } = buildSecret({ pepper })
  return { key: { id: `key_${randomText(16)}`, ...parts, createdAt: now, revokedAt: null, secrets: [kept] }, secret }
}

/**
 * Whether a key may be used with the secret of this hash: the key is not revoked, and that secret has not ended.
 * @param now the clock, in milliseconds since 1970
 */
export function isUsable(key: Key, hash: string, now: number): boolean {
  if (key.revokedAt !== null) return false
  const secret = key.secrets.find((one) => one.hash === hash)
  return secret !== undefined && (secret.expiresAt === null || now < secret.expiresAt.getTime())
}
