import { createServer, type Server } from 'node:http'
import type { Metrics } from '../metrics.ts'

/** Builds a server for `/metrics`. It has its own port because the metrics are for operators, not for API clients. */
export function buildMetricsServer({ registry }: Metrics): Server {
  return createServer(async (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    try {
      const text = await registry.metrics()
      response.writeHead(200, { 'content-type': registry.contentType }).end(text)
    } catch {
      response.writeHead(500).end()
    }
  })
}
