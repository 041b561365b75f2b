import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { isLoopback } from '../../config/parsers.ts'
import type { Metrics } from '../../service/metrics.ts'
import { buildHostFilter } from '../served-hosts.ts'
import { listenOrExplain } from './listen-or-explain.ts'
import { buildMetricsServer } from './metrics-server.ts'

/** Opens the server of the metrics. */
export async function openMetrics(
  metrics: Metrics,
  {
    host,
    port,
    allowedHosts,
    log,
    isReady,
  }: Pick<Config, 'host' | 'port' | 'allowedHosts'> & { readonly log: Logger; readonly isReady?: () => boolean },
): Promise<Server> {
  // Prometheus uses names and addresses of containers where the metrics are open to other machines.
  const findUnserved = buildHostFilter({ host, publicUrl: null, allowedHosts })
  const isServed = (raw: IncomingMessage): boolean =>
    !isLoopback(host) || findUnserved({ raw, originalUrl: raw.url ?? '' }) === null
  const server = buildMetricsServer(metrics, { isServed, isReady })
  await listenOrExplain({ METRICS_HOST: host, METRICS_PORT: port }, () => once(server.listen(port, host), 'listening'))
  log.info({ port: (server.address() as AddressInfo).port }, 'metrics server started')
  return server
}
