import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onFileEnd } from '../support/on-file-end.ts'

/** A site to scan: a server on all loopback addresses. Each address counts as a separate host. */
export interface LocalSite {
  /** Returns the URL of a page on the host with this number (0 to 65,000). `/slow` responds after 1.5 seconds. */
  page(host: number, path?: string): string
  /** Number of requests per page, without robots.txt and the favicon: `address path` → count. */
  readonly visits: ReadonlyMap<string, number>
}

/** The value of SCAN_ALLOW. */
export const LOCAL_BLOCK = '127.0.0.0/8'
const SLOW_MS = 1500

/** Opens a site that is closed after the tests of this file. */
export async function openSite(): Promise<LocalSite> {
  const visits = new Map<string, number>()
  const server = createServer(({ url = '', headers: { host } }, answer) => {
    if (/^\/(?:robots\.txt|favicon\.ico)$/.test(url)) return void answer.writeHead(404).end()
    const page = `${host?.split(':')[0]} ${url}`
    visits.set(page, (visits.get(page) ?? 0) + 1)
    const send = (): unknown =>
      answer.setHeader('content-type', 'text/html').end('<meta name=generator content="WordPress 6.6.1"><p>One page')
    setTimeout(send, url.startsWith('/slow') ? SLOW_MS : 0)
  })
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo
  return { visits, page: (host, path = '/') => `http://127.1.${host >> 8}.${host & 255}:${port}${path}` }
}
