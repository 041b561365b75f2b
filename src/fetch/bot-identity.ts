import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { SignerSync } from 'http-message-sig'

/** With what a scan proves who it is (Web Bot Auth). A plain value apart from the key, so it can be sent to a thread. */
export interface BotIdentity {
  /** An Ed25519 private key. Node clones it for a thread, and neither JSON nor the console shows its content. */
  readonly key: KeyObject
  /** The origin, such as `https://siteprint.example`, below which the public key is published. */
  readonly directoryOrigin: string
}

/** The public half of a key, in the form in which a directory publishes it (RFC 8037, section 2). */
export interface PublicJwk {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  /** The thumbprint of the key, by which signatures name it (RFC 8037, appendix A.3). */
  readonly kid: string
  readonly use: 'sig'
}

/** Where verifiers look for the keys of an origin (draft-ietf-webbotauth-httpsig-protocol, "Well-Known URI"). */
export const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory'

/** Number of bytes of a nonce, as the example of the draft has it. */
const NONCE_BYTES = 64

/**
 * Reads an Ed25519 private key from PEM, or from a JSON Web Key with `d`.
 * @returns null for any other text, such as a public key or one that is encrypted
 */
export function parseBotKey(text: string): KeyObject | null {
  try {
    const key = text.trimStart().startsWith('{')
      ? createPrivateKey({ key: JSON.parse(text), format: 'jwk' })
      : createPrivateKey(text)
    return key.asymmetricKeyType === 'ed25519' ? key : null
  } catch {
    return null
  }
}

/**
 * Reads where the public key is published: an https origin, or the URL of the directory below it.
 * @returns the origin; null for any other text
 */
export function parseDirectoryUrl(text: string): string | null {
  if (!/^https:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return null
  const { origin, href } = new URL(text)
  return [`${origin}/`, `${origin}${DIRECTORY_PATH}`].includes(href) ? origin : null
}

/** Derives the public half of a private key. */
export function derivePublicJwk(key: KeyObject): PublicJwk {
  const x = createPublicKey(key).export({ format: 'jwk' }).x ?? ''
  // The members in this order and without white space are the text that RFC 7638 hashes.
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig' }
}

/** The signer that `http-message-sig` calls. */
export function buildSigner(key: KeyObject): SignerSync {
  return { algorithm: 'ed25519', sign: (data) => sign(null, data, key) }
}

/**
 * Builds the parameters of a signature (RFC 9421, section 2.3).
 * @param now milliseconds since 1970
 */
export function buildParameters(
  keyid: string,
  { now, seconds, tag }: { readonly now: number; readonly seconds: number; readonly tag: string },
): Readonly<Record<'created' | 'expires', number> & Record<'keyid' | 'alg' | 'nonce' | 'tag', string>> {
  const created = Math.floor(now / 1000)
  const nonce = randomBytes(NONCE_BYTES).toString('base64')
  return { created, expires: created + seconds, keyid, alg: 'ed25519', nonce, tag }
}
