import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { withFallback } from './coordination/fallback.ts'
import { openMemory } from './coordination/memory.ts'
import { openRedis } from './coordination/redis/redis.ts'
import type { SharedState } from './coordination/types.ts'
import { SetupError } from './errors.ts'
import { normalizeHost } from './fetch/address.ts'
import { buildPolicy, type Policy } from './fetch/policy.ts'
import { buildHost } from './http/app.ts'
import { Metrics } from './http/metrics.ts'
import { buildMetricsServer } from './http/server/metrics-server.ts'
import { buildKey } from './keys/key.ts'
import { FIRST_PLAN } from './keys/plans.ts'
import { SCANS_OF_A_HOST } from './scan/scan-limiter.ts'
import { Scanner } from './scan/scanner.ts'
import { openStore } from './store/open.ts'
import type { Store } from './store/types.ts'

/** Bytes of results that a process without Redis keeps. */
const CACHE_BYTES = 128 * 1024 * 1024
/** Between failing readiness and closing the door: who sends requests here has to notice. */
const DRAIN_MS = 1000

export interface Service {
  /** Where it listens, and the first key, where one was made just now. */
  readonly greeting: string
  /** Answers what is under way, then ends. */
  close(): Promise<void>
}

interface ServiceOptions {
  readonly config: Config
  readonly log: Logger
  readonly version: string
}

/**
 * Starts the service: stores, rules, host, metrics.
 * @throws SetupError and what loading rules throws: nothing is left open then but the process itself
 */
export async function openService({ config, log, version }: ServiceOptions): Promise<Service> {
  const metrics = new Metrics()
  const policy = { ...buildPolicy(config, version), own: ownAddresses(config) }
  const gate = { visitors: SCANS_OF_A_HOST, pauseMs: 0, stopsClock: false }
  const rulesOf = { folders: config.ruleFolders, detectors: config.detectorModules }
  const scanner = new Scanner({ ...rulesOf, policy, fetchThread: { gate } })
  const { store, pepper } = await openStore(config, {
    role: 'server',
    observe: metrics.observe('keys'),
    onChange: logStoreState(log, config.mongodbUrl === null ? 'the embedded store' : 'MongoDB'),
  })
  // A store that can be opened but not written, on a full disk for one, is reported at once, not at the first charge.
  await store.ping().catch(() => {})
  const shared = await openShared(config, { log, metrics })
  const rules = await scanner.ready()
  const host = await buildHost({
    settings: config,
    store,
    shared,
    pepper,
    scan: (url, client) => scanner.scan(url, { client }),
    workers: () => scanner.queue,
    policy,
    rules,
    clock: Date.now,
    log,
    metrics,
    version,
  })
  const address = await listening({ HOST: config.host, PORT: config.port }, async () => {
    // Of a name with two addresses Fastify would open a second server, which knows nothing of how this one answers and ends.
    const { address } = await lookup(config.host)
    return await host.app.listen({ host: address, port: config.port })
  })
  const metricsServer =
    config.metricsPort === null
      ? null
      : await openMetrics(metrics, { host: config.metricsHost, port: config.metricsPort, log })
  const secret = config.mongodbUrl === null ? await makeFirstKey(store, pepper) : null
  log.info(
    {
      version,
      ruleset: rules.version,
      node: process.version,
      keys: config.mongodbUrl === null ? 'SQLite' : 'MongoDB',
      shared: config.redisUrl === null ? 'memory' : 'Redis',
      address,
    },
    'started',
  )
  return {
    greeting: greet(address, secret),
    close: async () => {
      host.drain()
      await wait(DRAIN_MS)
      await host.close()
      metricsServer?.close()
      metricsServer?.closeAllConnections()
      await Promise.all([scanner.close(), shared.close()])
      await store.close()
    },
  }
}

async function openShared(config: Config, { log, metrics }: { log: Logger; metrics: Metrics }): Promise<SharedState> {
  const memory = openMemory({ maxBytes: CACHE_BYTES })
  if (config.redisUrl === null) return memory
  const tell = tellOf(log, 'Redis', 'until it does, this node counts for itself and keeps no results')
  const redis = await openRedis({
    url: config.redisUrl,
    onError: ({ message }) => log.debug({ why: message }, 'Redis'),
  })
  return withFallback(redis, memory, { observe: metrics.observe('shared'), onChange: tell })
}

/** Logs the first error of the store of keys, with its reason, and that a probe could write to the store again. */
function logStoreState(log: Logger, name: string): (isUp: boolean, why?: unknown) => void {
  return (isUp, why) => {
    if (isUp) log.info(`${name} can be written again`)
    else
      log.warn(
        { ...(why instanceof Error && { why: why.message }) },
        `${name} cannot be read or written: requests that need it get 503 until it can`,
      )
  }
}

/** Says in the log that a server is away, and that it is back. */
function tellOf(log: Logger, name: string, meaning: string): (isUp: boolean, why?: unknown) => void {
  return (isUp, why) => {
    if (isUp) log.info(`${name} answers again`)
    else log.warn({ ...(why instanceof Error && { why: why.message }) }, `${name} does not answer: ${meaning}`)
  }
}

/** Without keys nobody could try the service: the first start of the embedded store makes one. */
async function makeFirstKey(store: Store, pepper: string): Promise<string | null> {
  if ((await store.keys.listKeys()).length > 0) return null
  const named = { name: 'First key', email: 'nobody@example.com', plan: FIRST_PLAN, revision: null }
  const { key, secret } = buildKey({ ...named, now: new Date(), pepper })
  await store.keys.createKey(key)
  return secret
}

function greet(address: string, secret: string | null): string {
  const listening = `Siteprint listens on ${address} (docs: ${address}/docs).`
  if (secret === null) return listening
  return `${listening}
Your first key, shown this once: ${secret}
Try it:
  curl -s -H 'Authorization: Bearer ${secret}' '${address}/api/v1/scan?url=https://example.org'`
}

async function openMetrics(
  metrics: Metrics,
  { host, port, log }: Pick<Config, 'host' | 'port'> & { readonly log: Logger },
): Promise<Server> {
  const server = buildMetricsServer(metrics)
  await listening({ METRICS_HOST: host, METRICS_PORT: port }, () => once(server.listen(port, host), 'listening'))
  log.info({ port: (server.address() as AddressInfo).port }, 'metrics are served')
  return server
}

/**
 * @param settings the names of the two settings with their values: the address, then the port
 * @throws SetupError that names the setting at fault
 */
async function listening<T>(settings: Readonly<Record<string, string | number>>, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const [[hostName, host], [portName, port]] = Object.entries(settings)
    const { code = '', message } = error as NodeJS.ErrnoException
    const reason = LISTEN_REASONS[code]
    const name = reason?.isPort === true ? portName : hostName
    throw new SetupError(`${name}: cannot listen on ${host} port ${port}: ${reason?.sentence ?? message}`)
  }
}

const UNKNOWN_NAME = { sentence: 'this name has no address. Correct it, or write an address.', isPort: false }
const LISTEN_REASONS: Readonly<Record<string, { readonly sentence: string; readonly isPort: boolean }>> = {
  EADDRINUSE: { sentence: 'another program listens there. Stop it, or choose another port.', isPort: true },
  EACCES: { sentence: 'this user may not listen there. Choose a port above 1023.', isPort: true },
  EADDRNOTAVAIL: {
    sentence: 'this machine does not have that address. Use one of its own, or 0.0.0.0 for all.',
    isPort: false,
  },
  EAFNOSUPPORT: { sentence: 'this machine has no addresses of that family. Use an address of another.', isPort: false },
  EINVAL: {
    sentence: 'the address is not complete. A link-local one needs its interface, as in fe80::1%eth0.',
    isPort: false,
  },
  ENOTFOUND: UNKNOWN_NAME,
  EAI_AGAIN: UNKNOWN_NAME,
}

/** Where the service itself is reached, as scans write hosts. */
function ownAddresses({ host, port, publicUrl }: Config): Policy['own'] {
  const { hostname, protocol, port: written } = new URL(publicUrl)
  const publicPort = Number(written) || (protocol === 'https:' ? 443 : 80)
  const addresses = [
    { host: normalizeHost(hostname), port: publicPort },
    { host: normalizeHost(host), port },
  ]
  return addresses.flatMap((address) => (address.host === null ? [] : { host: address.host, port: address.port }))
}
