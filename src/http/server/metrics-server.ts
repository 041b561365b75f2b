import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Metrics } from '../../service/metrics.ts'

const NO_STORE = { 'cache-control': 'no-store' }

/**
 * Builds a server for `/metrics`. It has its own port because the metrics are for operators, not for API clients.
 * @param isServed whether the host that a request names is served
 */
export function buildMetricsServer({ registry }: Metrics, isServed: (request: IncomingMessage) => boolean): Server {
  return createServer(async (request, response) => {
    if (!isServed(request)) {
      response.writeHead(421, { ...NO_STORE, 'content-type': 'text/plain; charset=utf-8' }).end(UNSERVED)
      return
    }
    if (request.url?.split('?')[0] !== '/metrics') {
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
