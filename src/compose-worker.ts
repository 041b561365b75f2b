import type { Server } from 'node:http'
import type { Logger } from 'pino'
import type { JobOutcome, QueueWorker } from './batches/queue/queue-worker.ts'
import { WebhookSender } from './batches/webhook.ts'
import { type Backends, openBackends, type Service, type ServiceOptions } from './compose.ts'
import type { Config } from './config/config.ts'
import { openConnection, type RunScript } from './coordination/redis/connection.ts'
import { SetupError } from './errors.ts'
import { buildSingleFlight } from './http/build-single-flight.ts'
import { openMetrics } from './http/server/open-metrics.ts'
import { ScanLimiter } from './service/scan-limiter.ts'

/**
 * Starts a worker: stores, rules, scanner and queue, without the API.
 * @throws SetupError and the errors of loading rules. The caller must then exit: what is already open is not closed
 */
export async function openWorker(options: ServiceOptions): Promise<Service> {
  const { config, log, version } = options
  const { redisUrl } = config
  if (redisUrl === null || config.mongodbUrl === null)
    throw new SetupError(
      'a worker needs REDIS_URL and MONGODB_URL, the same as the servers: without both, a server runs batches itself',
    )
  const backends = await openBackends({
    ...options,
    config: { ...config, plans: config.plans, portal: 'off', chromium: null, browserUrl: null },
  })
  const connection = await openConnection({ url: redisUrl })
  await backends.scanner.ready()
  const worker = await openQueue(options, backends, { redisUrl, run: connection.run })
  const metricsServer = await openWorkerMetrics(config, { backends, worker, log })
  log.info({ version, concurrency: config.workerConcurrency }, 'worker started')
  const keeper = backends.startUpdates?.(backends.rules)
  return {
    greeting: `Siteprint worker is running, with up to ${config.workerConcurrency} scans at a time.`,
    reloadPlans: async () => {
      log.info({ changed: config.plans.reload() }, 'plans reloaded')
    },
    close: async () => {
      await keeper?.close()
      await worker.close()
      metricsServer?.close()
      metricsServer?.closeAllConnections()
      await Promise.all([backends.scanner.close(), backends.shared.close(), connection.close()])
      await backends.store.close()
    },
  }
}

async function openQueue(
  { config, log }: ServiceOptions,
  backends: Backends,
  redis: { readonly redisUrl: string; readonly run: RunScript },
): Promise<QueueWorker> {
  const { scanner, metrics } = backends
  const { workerConcurrency } = config
  const scan: Parameters<typeof buildSingleFlight>[0]['scan'] = (target, client, ruleset) =>
    scanner.scan(target, { client, ruleset })
  const parts = { ...backends, settings: config, clock: Date.now, log, scan }
  // Every job of this worker may scan; the limit of scans is only for hosts that several URLs are redirected to.
  const singleFlight = buildSingleFlight(parts, new ScanLimiter({ running: workerConcurrency }))
  // Loaded here: BullMQ takes a tenth of a second.
  const [{ openQueueWorker }, { openRedisGate }] = await Promise.all([
    import('./batches/queue/queue-worker.ts'),
    import('./batches/queue/redis-gate.ts'),
  ])
  return openQueueWorker({
    ...parts,
    ...redis,
    singleFlight,
    gate: openRedisGate(redis.run),
    webhooks: new WebhookSender(parts),
    concurrency: workerConcurrency,
    countWaitingPages: () => scanner.queue.waiting,
    onJob: (outcome: JobOutcome) => metrics.batchJobs.inc({ outcome }),
  })
}

interface MetricsParts {
  readonly backends: Backends
  readonly worker: QueueWorker
  readonly log: Logger
}

/** Serves `/metrics` and `/ready` if `METRICS_PORT` is set. */
async function openWorkerMetrics(config: Config, { backends, worker, log }: MetricsParts): Promise<Server | null> {
  const { metrics, store, shared } = backends
  metrics.watchBatches({
    countJobs: worker.countJobs,
    findOldest: async () => (await store.batches.listOpenBatches())[0]?.createdAt ?? null,
  })
  if (config.metricsPort === null) return null
  const isReady = (): boolean => worker.isReady() && store.isUp && shared.isUp
  return openMetrics(metrics, { ...config, host: config.metricsHost, port: config.metricsPort, log, isReady })
}
