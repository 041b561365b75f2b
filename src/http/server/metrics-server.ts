import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Metrics } from '../../service/metrics.ts'

const NO_STORE = { 'cache-control': 'no-store' }

interface MetricsServerOptions {
  /** Whether the host that a request names is served. */
  readonly isServed: (request: IncomingMessage) => boolean
  /** Whether the process can work, for `/ready`; absent for a process that has an API of its own. */
  readonly isReady?: (() => boolean) | undefined
}

/** Builds a server for `/metrics`. It has its own port because the metrics are for operators, not for API clients. */
export function buildMetricsServer({ registry }: Metrics, { isServed, isReady }: MetricsServerOptions): Server {
  return createServer(async (request, response) => {
    if (!isServed(request)) {
      response.writeHead(421, { ...NO_STORE, 'content-type': 'text/plain; charset=utf-8' }).end(UNSERVED)
      return
    }
    const [path] = (request.url ?? '').split('?')
    if (path === '/ready' && isReady !== undefined) {
      response.writeHead(isReady() ? 200 : 503, NO_STORE).end()
      return
    }
    if (path !== '/metrics') {
      response.writeHead(404, NO_STORE).end()
      return
    }
    try {
      const text = await registry.metrics()
      response.writeHead(200, { ...NO_STORE, 'content-type': registry.contentType }).end(text)
    } catch {
      response.writeHead(500, NO_STORE).end()
    }
  })
}

const UNSERVED = 'The metrics are not served under this host name. Use localhost, or add the name to ALLOWED_HOSTS.\n'
