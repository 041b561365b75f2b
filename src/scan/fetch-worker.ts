import { parentPort, workerData } from 'node:worker_threads'
import { ScanError } from '../errors.ts'
import { parseAllowed } from '../fetch/address.ts'
import { fetchSite } from '../fetch/fetch.ts'
import { HostGate } from '../fetch/host-limiter.ts'
import { openResolver } from '../fetch/resolver.ts'
import type { FetchReply, FetchRequest, FetchSettings } from './fetch-thread.ts'
import { ownBytes } from './own-bytes.ts'

const { policy: plain, allow, evidence, gate: gateOptions } = workerData as FetchSettings
const opened = allow.map(parseAllowed).filter((entry) => entry !== null)
const options = {
  policy: { ...plain, allow: opened },
  evidence,
  resolver: openResolver(),
  gate: gateOptions === null ? undefined : new HostGate(gateOptions),
}
const running = new Map<number, AbortController>()

parentPort?.on('message', (request: FetchRequest) => {
  if (request.type === 'ping') parentPort?.postMessage({ type: 'pong' } satisfies FetchReply)
  else if (request.type === 'abort') running.get(request.id)?.abort()
  else scan(request)
})

async function scan({ id, text, wantedDns }: FetchRequest & { type: 'fetch' }): Promise<void> {
  const abort = new AbortController()
  running.set(id, abort)
  try {
    const site = await fetchSite(text, { ...options, wantedDns, signal: abort.signal })
    const html = ownBytes(site.html)
    reply({ type: 'site', id, site: { ...site, html } }, [html.buffer as ArrayBuffer])
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
