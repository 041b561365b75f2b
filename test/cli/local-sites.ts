import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onFileEnd } from '../support/on-file-end.ts'

/** A web server in this process that responds on every address of the loopback network: scans of one address pause a second. */
export interface LocalSites {
  readonly server: Server
  /** Folder for the files of a scan. */
  readonly cwd: string
  /** `127.0.0.<number>:<port>` */
  address(number: number): string
  /** The requests so far. */
  readonly requests: { path: string; agent: string }[]
}

/** Starts the sites, which stop after the tests of this file. */
export async function startLocalSites(): Promise<LocalSites> {
  const cwd = mkdtempSync(join(tmpdir(), 'siteprint-live-'))
  const requests: { path: string; agent: string }[] = []
  const server = createServer(({ url = '', headers }, response) => {
    requests.push({ path: url, agent: String(headers['user-agent']) })
    if (url === '/hang') return
    if (url === '/to') response.writeHead(302, { location: `http://${address(1)}/landing` }).end()
    else if (url === '/moved') response.writeHead(302, { location: '/' }).end()
    else if (/^\/(?:robots\.txt|favicon\.ico)$/.test(url)) response.writeHead(404).end()
    else
      response
        .setHeader('content-type', 'text/html')
        .end('<title>Tide\n tables</title><meta name=generator content="WordPress 6.6.1"><p>One page')
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo
  const address = (number: number): string => `127.0.0.${number}:${port}`
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
    rmSync(cwd, { recursive: true })
  })
  return { server, cwd, address, requests }
}
