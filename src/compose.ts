import { lookup } from 'node:dns/promises'
import type { Server } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Accounts } from './accounts/accounts.ts'
import { recordAudit } from './accounts/audit.ts'
import { startAuditRetention } from './accounts/audit-retention.ts'
import { DeferredAccounts } from './accounts/deferred-accounts.ts'
import { type App, buildApp } from './app.ts'
import type { BatchRunner } from './batches/batch-service.ts'
import { openServiceRenderer, type ServiceRenderer } from './compose-renderer.ts'
import type { Config } from './config/config.ts'
import { isPortalOn } from './config/is-portal-on.ts'
import { findServiceUrl } from './config/settings.ts'
import { withFallback } from './coordination/fallback.ts'
import { openMemory } from './coordination/memory.ts'
import type { SharedState } from './coordination/types.ts'
import { normalizeHost } from './fetch/address.ts'
import { buildPolicy, type Policy } from './fetch/policy.ts'
import { listenOrExplain } from './http/server/listen-or-explain.ts'
import { openMetrics } from './http/server/open-metrics.ts'
import { buildKey } from './keys/key.ts'
import { FIRST_PLAN } from './keys/plans.ts'
import { openNetworks } from './networks/open-networks.ts'
import { CurrentRules } from './scan/current-rules.ts'
import { Scanner } from './scan/scanner.ts'
import { logRedisState, logStoreState } from './service/log-state.ts'
import { Metrics } from './service/metrics.ts'
import { MAX_SCANS_PER_HOST } from './service/scan-limiter.ts'
import { loadAuthSecret, openStore } from './store/open/open-store.ts'
import type { Store } from './store/types.ts'
import type { UpdatedScanner } from './updates/open-scanner.ts'

/** Size of the result cache of a process without Redis. */
const CACHE_BYTES = 128 * 1024 * 1024
/** Time between failing readiness and closing the port, in which load balancers detect it. */
const DRAIN_MS = 1000

export interface Service {
  /** Text to print after the start: the address and, if the start created the first key, that key. */
  readonly greeting: string
  /** Reads the file of plans again and applies it to the next request. An invalid file changes nothing and is logged. */
  reloadPlans(): Promise<void>
  /** Completes the pending requests, then closes everything. */
  close(): Promise<void>
}

/** What a process is opened with. */
export interface ServiceOptions {
  readonly config: Config
  readonly log: Logger
  readonly version: string
}

/** The opened dependencies of the service. */
export interface Backends {
  readonly metrics: Metrics
  readonly policy: Policy
  readonly scanner: Scanner
  /** The browser; null without `CHROMIUM` and `BROWSER_URL`. */
  readonly renderer: ServiceRenderer | null
  readonly store: Awaited<ReturnType<typeof openStore>>['store']
  readonly pepper: string
  readonly oldPepper: string | null
  readonly firstPepper: string
  readonly shared: SharedState
  /** The accounts of the portal; null if it is off. */
  readonly accounts: Accounts | null
  readonly rules: CurrentRules
  /** Starts to keep the rules fresh; null without `RULES_URL`. */
  readonly startUpdates: UpdatedScanner['startUpdates'] | null
}

/**
 * Starts the service: stores, rules, HTTP server, metrics.
 * @throws SetupError and the errors of loading rules. The caller must then exit: what is already open is not closed
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { config, log, version } = options
  const backends = await openBackends(options)
  const { metrics, store, pepper, rules } = backends
  const app = await openApp(options, backends)
  await backends.scanner.ready() // Workers load the rules while the application is built.
  const address = await listenOrExplain({ HOST: config.host, PORT: config.port }, async () => {
    // For a name with two addresses Fastify would open a second server without our error handlers and shutdown.
    const { address } = await lookup(config.host)
    return await app.fastify.listen({ host: address, port: config.port })
  })
  const metricsServer =
    config.metricsPort === null
      ? null
      : await openMetrics(metrics, { ...config, host: config.metricsHost, port: config.metricsPort, log })
  const endRetention = startAuditRetention({ store, days: config.auditDays, log })
  const secret = config.mongodbUrl === null ? await createFirstKey({ store, pepper, log }) : null
  const versions = { version, ruleset: rules.current.version, node: process.version }
  const keys = config.mongodbUrl === null ? 'SQLite' : 'MongoDB'
  const shared = config.redisUrl === null ? 'memory' : 'Redis'
  log.info({ ...versions, keys, shared, address }, 'started')
  const keeper = backends.startUpdates?.(rules)
  const portalUrl = backends.accounts === null ? null : (config.publicUrl ?? address)
  return {
    greeting: formatGreeting(address, { secret, portalUrl }),
    reloadPlans: () => reloadPlans(options, store),
    close: async () => {
      endRetention()
      await keeper?.close()
      await closeService(app, metricsServer, backends)
    },
  }
}

/** Opens stores, rules and scanner, which may still be loading the rules. */
export async function openBackends({ config, log, version }: ServiceOptions): Promise<Backends> {
  const metrics = new Metrics()
  const policy = { ...buildPolicy(config, version), own: findOwnAddresses(config) }
  const renderer = await openServiceRenderer(config, { policy, metrics, log })
  const { scanner, startUpdates } = await openScanner({ config, log, version }, { policy, metrics, renderer })
  const { store, ...peppers } = await openStore(config, {
    role: 'server',
    observe: metrics.observe('keys'),
    onChange: logStoreState(log, config.mongodbUrl === null ? 'the embedded store' : 'MongoDB'),
  })
  // Reports a store that can be opened but not written, for example on a full disk, at start and not at the first charge.
  await store.ping().catch(() => {})
  const shared = await openShared(config, { log, metrics })
  const accounts = openPortalAccounts(config, { store, shared, log })
  const rules = new CurrentRules(await scanner.describe())
  return { metrics, policy, scanner, renderer, store, ...peppers, shared, accounts, rules, startUpdates }
}

/** Opens the scanner, with the rules that were fetched last if `RULES_URL` is set. */
async function openScanner(
  { config, log, version: siteprint }: ServiceOptions,
  { policy, metrics, renderer }: Pick<Backends, 'policy' | 'metrics' | 'renderer'>,
): Promise<Pick<Backends, 'scanner' | 'startUpdates'>> {
  const { dataDir, cacheDir: cache, ruleFolders, detectorModules, rulesUrl: url, rulesPublicKey: publicKey } = config
  const options = {
    folders: ruleFolders,
    detectors: detectorModules,
    cache,
    policy,
    networks: await openNetworks(config.networksFile),
    ...(renderer && { renderer }),
    fetchThread: { hostLimits: { slotsPerHost: MAX_SCANS_PER_HOST, pauseMs: 0, pausesDeadline: false } },
  }
  if (url === null || publicKey === null) return { scanner: new Scanner(options), startUpdates: null }
  const { openUpdatedScanner } = await import('./updates/open-scanner.ts')
  const count = (outcome: string): void => metrics.rulesChecks.inc({ outcome })
  return openUpdatedScanner(options, { dataDir, url, publicKey, siteprint, log, count })
}

/** Prepares the accounts of the portal, unless it is off. */
function openPortalAccounts(
  config: Config,
  parts: Pick<Backends, 'store' | 'shared'> & { readonly log: Logger },
): Accounts | null {
  if (!isPortalOn(config)) return null
  const secret = loadAuthSecret(config)
  const { signUp, smtpUrl, mailFrom } = config
  return new DeferredAccounts({ signUp, canMail: smtpUrl !== null && mailFrom !== null }, async () => {
    const { openAccounts } = await import('./accounts/open.ts')
    return openAccounts({ ...config, ...parts, publicUrl: findServiceUrl(config), secret })
  })
}

/** Builds the HTTP application. Its `scan` is that of the scanner. */
function openApp({ config, log, version }: ServiceOptions, { scanner, ...backends }: Backends): Promise<App> {
  return buildApp({
    ...backends,
    settings: config,
    scan: (url, client, ruleset, { pages = 1, render = 'never' }) =>
      scanner.scan(url, { client, ruleset, pages, render }),
    workers: () => scanner.queue,
    ...chooseBatchRunner(config),
    clock: Date.now,
    log,
    version,
  })
}

/** Batches run in this process, in workers that share both stores with it, or not at all. */
function chooseBatchRunner({ redisUrl, mongodbUrl }: Config): { readonly batchRunner?: BatchRunner } {
  if (redisUrl === null && mongodbUrl === null) return {}
  const missing = redisUrl === null ? 'REDIS_URL is not set' : mongodbUrl === null ? 'MONGODB_URL is not set' : null
  // The leader of the workers looks for new batches several times a second.
  return { batchRunner: { unavailable: missing, wake: () => {} } }
}

async function reloadPlans({ config, log }: ServiceOptions, store: Store): Promise<void> {
  let changed: readonly string[]
  try {
    changed = config.plans.reload()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    log.error({ why }, 'the plans are not reloaded, because their file is invalid: the previous plans still apply')
    return
  }
  log.info({ changed }, 'plans reloaded')
  if (changed.length === 0) return
  await recordAudit(
    store,
    { at: new Date(), command: 'SIGHUP', action: 'plans_reloaded', detail: changed.join(', ') },
    log,
  )
}

async function closeService(
  app: App,
  metricsServer: Server | null,
  { scanner, renderer, shared, accounts, store }: Backends,
): Promise<void> {
  app.drain()
  await wait(DRAIN_MS)
  await app.close()
  metricsServer?.close()
  metricsServer?.closeAllConnections()
  await Promise.all([scanner.close(), renderer?.close(), shared.close(), accounts?.close()])
  await store.close()
}

async function openShared(config: Config, { log, metrics }: { log: Logger; metrics: Metrics }): Promise<SharedState> {
  const memory = openMemory({ maxBytes: CACHE_BYTES })
  if (config.redisUrl === null) return memory
  const { openRedis } = await import('./coordination/redis/redis.ts') // Its driver takes a sixth of the start time.
  const redis = await openRedis({
    url: config.redisUrl,
    onError: ({ message }) => log.debug({ why: message }, 'Redis error'),
  })
  return withFallback(redis, memory, { observe: metrics.observe('shared'), onChange: logRedisState(log) })
}

/** Creates a key at the first start of the embedded store, so that the service can be tried immediately. */
async function createFirstKey({
  store,
  pepper,
  log,
}: Pick<Backends, 'store' | 'pepper'> & { readonly log: Logger }): Promise<string | null> {
  if ((await store.keys.listKeys()).length > 0) return null
  const { key, secret } = buildKey({
    name: 'First key',
    email: 'nobody@example.com',
    plan: FIRST_PLAN,
    revision: null,
    now: new Date(),
    pepper,
  })
  await store.keys.createKey(key)
  const entry = { at: key.createdAt, command: 'start', action: 'key_created', key: key.id, detail: FIRST_PLAN } as const
  await recordAudit(store, entry, log)
  return secret
}

function formatGreeting(
  address: string,
  { secret, portalUrl }: { readonly secret: string | null; readonly portalUrl: string | null },
): string {
  const listening = `Siteprint listens on ${address} (docs: ${address}/docs).`
  const portal = portalUrl === null ? '' : `\nThe portal is at ${portalUrl}: open it in a browser.`
  if (secret === null) return listening + portal
  return `${listening}${portal}
Your first key, shown only once: ${secret}
Try it:
  curl -s -H 'Authorization: Bearer ${secret}' '${address}/api/v1/scan?url=https://example.org'`
}

/** Finds the service's own addresses: the ones that scans must not connect to. */
function findOwnAddresses(config: Config): Policy['own'] {
  const { host, port, allowedHosts } = config
  const { hostname, protocol, port: explicitPort } = new URL(findServiceUrl(config))
  const publicPort = Number(explicitPort) || (protocol === 'https:' ? 443 : 80)
  const addresses = [
    { host: normalizeHost(hostname), port: publicPort },
    { host: normalizeHost(host), port },
    ...allowedHosts.map((one) => ({ host: one, port: publicPort })),
  ]
  return addresses.flatMap((address) => (address.host === null ? [] : { host: address.host, port: address.port }))
}
