import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts that are closer than this break the pause of a second between two scans of a host: timers and network take some of it. */
const MIN_PAUSE_MS = 900

/** What the sites saw: requests for pages, without robots.txt and the favicon. */
interface Visits {
  readonly requests: number
  /** Requests that arrived while the same host was responding to another one. */
  readonly overlapping: number
  /** Requests that came less than 0.9 seconds after the previous one for the same host. */
  readonly early: number
}

/** A server on all loopback addresses, each of which is a host of its own. */
export interface LocalSites {
  /** The URL of a page. @param host 0 to 65,000 */
  page(host: number, path: string): string
  readonly visits: () => Visits
  readonly close: () => void
}

/** Opens the sites. @param pageKb size of each page; @param delayMs time until a page is sent */
export async function openLocalSites({
  pageKb,
  delayMs,
}: {
  readonly pageKb: number
  readonly delayMs: number
}): Promise<LocalSites> {
  const body = buildPage(pageKb)
  const hosts = new Map<string, { last: number; running: number }>()
  const counts = { requests: 0, overlapping: 0, early: 0 }
  const server = createServer(({ url = '', headers }, response) => {
    if (/^\/(?:robots\.txt|favicon\.ico)$/.test(url)) return void response.writeHead(404).end()
    const name = String(headers.host)
    const host = hosts.get(name) ?? { last: Number.NEGATIVE_INFINITY, running: 0 }
    const now = performance.now()
    counts.requests++
    if (host.running > 0) counts.overlapping++
    if (now - host.last < MIN_PAUSE_MS) counts.early++
    host.last = now
    host.running++
    hosts.set(name, host)
    response.once('close', () => host.running--)
    setTimeout(() => response.setHeader('content-type', 'text/html').end(body), delayMs)
  })
  await once(server.listen(0, '0.0.0.0'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    page: (host, path) => `http://127.1.${host >> 8}.${host & 255}:${port}${path}`,
    visits: () => ({ ...counts }),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Builds a page with the markup of an ordinary site. */
function buildPage(kilobytes: number): string {
  const head = '<!doctype html><title>Tide tables</title><meta name=generator content="WordPress 6.6.1">'
  const block = '<div class="wp-block-group"><p>High water at noon.</p><img src="/wp-content/uploads/tide.png"></div>\n'
  return head + block.repeat(Math.ceil((kilobytes * 1024) / block.length))
}
