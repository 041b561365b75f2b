import { Agent, request } from 'undici'
import { CheckedConnector, openDial } from './connector.ts'
import type { Policy } from './policy.ts'
import { openResolver, type Resolver } from './resolver.ts'
import { parseTarget } from './target.ts'

interface PostOptions {
  readonly policy: Policy
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Time limit for the whole request. */
  readonly timeoutMs: number
  /** Tests supply their own. */
  readonly resolver?: Resolver
}

/**
 * Sends a message to a URL that a client has named. Addresses are checked as those of scans are; the certificate must be valid, and
 * redirects are not followed.
 * @returns the status of the response, whose body is not read
 * @throws ScanError, or the error of the connection
 */
export async function postChecked(
  url: string,
  { policy, headers, body, timeoutMs, resolver = openResolver() }: PostOptions,
): Promise<number> {
  const target = parseTarget(url, policy)
  const signal = AbortSignal.timeout(timeoutMs)
  // The message is signed for one receiver, so unlike a scan it goes to a host with a valid certificate only.
  const checks = { onPeer: () => {}, acceptsInvalidCertificate: () => false }
  const connector = new CheckedConnector({ policy, resolver, dial: openDial(), signal, ...checks })
  const dispatcher = new Agent({
    connect: connector.connect,
    connections: 1,
    maxHeaderSize: policy.maxHeaderBytes,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  })
  try {
    const options = { method: 'POST', headers: { 'user-agent': policy.userAgent, ...headers }, body } as const
    const response = await request(target.url, { ...options, dispatcher, signal })
    response.body.on('error', () => {}).destroy()
    return response.statusCode
  } finally {
    connector.close()
    await dispatcher.destroy()
  }
}
