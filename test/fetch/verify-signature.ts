import { createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { component, type SignatureMessage, type VerificationPolicy, verifySignature } from 'http-message-sig'

/** The key of RFC 8037, appendix A, which everyone knows. */
export const KEY = createPrivateKey({
  key: {
    kty: 'OKP',
    crv: 'Ed25519',
    d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  },
  format: 'jwk',
})
/** Its thumbprint, from appendix A.3. */
export const KEY_ID = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** The components and parameters that a verifier of Web Bot Auth demands of a request. */
const REQUEST: Omit<VerificationPolicy, 'now'> = {
  algorithms: ['ed25519'],
  requiredComponents: ['@authority', component('signature-agent', { key: 'sig1' })],
  requiredParameters: ['created', 'expires', 'keyid', 'tag'],
  validate: ({ parameters }) => parameters.tag === 'web-bot-auth',
}
/** The same of the response with the keys. */
const DIRECTORY: Omit<VerificationPolicy, 'now'> = {
  ...REQUEST,
  requiredComponents: [component('@authority', { req: true }), 'content-digest'],
  validate: ({ parameters }) => parameters.tag === 'http-message-signatures-directory',
}

interface Trust {
  readonly key?: KeyObject
  /** Milliseconds since 1970. */
  readonly now?: number
}

/** Verifies the signature of a request to a URL. @returns 'valid', or the code of the error */
export function verifyRequest(targetUri: string, headers: Headers, trust: Trust = {}): Promise<string> {
  return verifyMessage({ kind: 'request', method: 'GET', targetUri, fields: listFields(headers) }, REQUEST, trust)
}

/** Verifies the signature of a directory that was requested at a URL. @returns 'valid', or the code of the error */
export function verifyDirectory(targetUri: string, headers: Headers, trust: Trust = {}): Promise<string> {
  const request = { kind: 'request', method: 'GET', targetUri, fields: [] } as const
  return verifyMessage({ kind: 'response', status: 200, fields: listFields(headers), request }, DIRECTORY, trust)
}

async function verifyMessage(
  message: SignatureMessage,
  policy: Omit<VerificationPolicy, 'now'>,
  { key = KEY, now = Date.now() }: Trust,
): Promise<string> {
  const publicKey = createPublicKey(key)
  try {
    await verifySignature(message, {
      policy: { ...policy, now: Math.floor(now / 1000) },
      resolveVerifier: () => ({
        algorithm: 'ed25519',
        verify: (data, signature) => verify(null, data, publicKey, signature),
      }),
    })
    return 'valid'
  } catch (error) {
    return (error as { readonly code?: string }).code ?? String(error)
  }
}

function listFields(headers: Headers): { name: string; value: string }[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: [value].flat().join(', ') }],
  )
}
