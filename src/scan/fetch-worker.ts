import { parentPort, workerData } from 'node:worker_threads'
import { prepareTransfer } from '../detector/transferable-bytes.ts'
import { ScanError } from '../errors.ts'
import { parseAllowed } from '../fetch/address.ts'
import { fetchSite } from '../fetch/fetch.ts'
import { HostLimiter } from '../fetch/host-limiter.ts'
import { openResolver } from '../fetch/resolver.ts'
import { checkTarget, parseUrl } from '../fetch/target.ts'
import type { FetchReply, FetchRequest, FetchSettings } from './fetch-thread.ts'

const { policy: settings, allow, evidence, hostLimits } = workerData as FetchSettings
const policy = { ...settings, allow: allow.map(parseAllowed).filter((entry) => entry !== null) }
const options = {
  policy,
  evidence,
  resolver: openResolver(),
  hostLimiter: hostLimits === null ? undefined : new HostLimiter(hostLimits),
}
const running = new Map<number, AbortController>()

parentPort?.on('message', (request: FetchRequest) => {
  if (request.type === 'ping') parentPort?.postMessage({ type: 'pong' } satisfies FetchReply)
  else if (request.type === 'abort') running.get(request.id)?.abort()
  else fetchAndReply(request)
})

/** Fetches a site, and sends it or the error. */
async function fetchAndReply({ id, url, wantedDns, further }: FetchRequest & { type: 'fetch' }): Promise<void> {
  const abort = new AbortController()
  running.set(id, abort)
  try {
    // A URL object cannot be sent between threads, so a target travels as text and is parsed again here. Its check is
    // repeated because this thread opens the connections.
    const target = checkTarget(parseUrl(url), policy)
    const site = await fetchSite(target, { ...options, wantedDns, further, signal: abort.signal })
    const { page, transfer } = prepareTransfer(site)
    reply({ type: 'site', id, site: page }, transfer)
  } catch (error) {
    const { reason, cause } = error instanceof ScanError ? error : { reason: 'internal' as const, cause: error }
    reply({ type: 'error', id, reason, why: cause instanceof Error ? cause.message : String(cause ?? '') })
  } finally {
    running.delete(id)
  }
}

function reply(message: FetchReply, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}
