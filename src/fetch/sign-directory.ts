import { createHash } from 'node:crypto'
import { component, createSignatureSync } from 'http-message-sig'
import { type BotIdentity, buildParameters, buildSigner, DIRECTORY_PATH, derivePublicJwk } from './bot-identity.ts'

/** The response that publishes the public key. */
export interface SignedDirectory {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The media type that the draft demands. */
const MEDIA_TYPE = 'application/http-message-signatures-directory+json'
const TAG = 'http-message-signatures-directory'
/** Seconds for which the response proves that its sender has the key. */
const VALID_SECONDS = 3600
/** Seconds for which the response may be cached: a key that is replaced remains in use for as long. */
const CACHED_SECONDS = 1800

/**
 * Builds the directory of keys and signs it as draft-ietf-webbotauth-httpsig-protocol-01 demands of a directory. The signature covers
 * the authority of the directory and not the one that a client names: otherwise another host could pass on the response as its own.
 * @param now milliseconds since 1970
 */
export function signDirectory({ key, directoryOrigin }: BotIdentity, now: number): SignedDirectory {
  const jwk = derivePublicJwk(key)
  const body = JSON.stringify({ keys: [jwk] })
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  const request = {
    kind: 'request',
    method: 'GET',
    targetUri: `${directoryOrigin}${DIRECTORY_PATH}`,
    fields: [],
  } as const
  const fields = [{ name: 'content-digest', value: digest }]
  const { signature, signatureInput } = createSignatureSync(
    { kind: 'response', status: 200, fields, request },
    {
      components: [component('@authority', { req: true }), 'content-digest'],
      parameters: buildParameters(jwk.kid, { now, seconds: VALID_SECONDS, tag: TAG }),
      signer: buildSigner(key),
    },
  )
  const headers = {
    'content-type': MEDIA_TYPE,
    'cache-control': `public, max-age=${CACHED_SECONDS}`,
    'content-digest': digest,
    'signature-input': signatureInput,
    signature,
  }
  return { headers, body }
}
