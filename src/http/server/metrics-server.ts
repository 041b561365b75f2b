import { createServer, type Server } from 'node:http'
import type { Metrics } from '../metrics.ts'

/** Serves `/metrics` on a port of its own: what operators read is not for callers. */
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
