import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AllowedAddress, parseAllowed } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { Scanner } from '../../src/scan/scanner.ts'
import { builtWorker } from '../detector/built-worker.ts'
import { KEY, verifyRequest } from '../fetch/verify-signature.ts'
import { builtProject } from '../support/built-project.ts'

const received: [url: string, headers: IncomingHttpHeaders][] = []
let server: Server
let scanner: Scanner
let origin: string
beforeAll(async () => {
  server = createServer((request, response) => {
    received.push([`http://${request.headers.host}${request.url}`, request.headers])
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>t</title><p>A page</p>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  const policy = {
    ...DEFAULT_POLICY,
    allow: [parseAllowed(`127.0.0.1:${port}`) as AllowedAddress],
    identity: { key: KEY, directoryOrigin: 'https://bot.example' },
  }
  const file = join(builtProject().folder, 'dist', 'src', 'scan', 'fetch-worker.js')
  const fetchThread = { file, hostLimits: { slotsPerHost: 2, pauseMs: 0, pausesDeadline: false } }
  scanner = new Scanner({ policy, evidence: ['robots', 'favicon'], worker: builtWorker(), fetchThread })
})
afterAll(async () => {
  await scanner.close()
  server.closeAllConnections()
  server.close()
})

test('the thread that fetches sites has the key, and signs the page and its side evidence', async () => {
  await scanner.scan(`${origin}/a?b`)
  expect(received.map(([url]) => url.slice(origin.length)).sort()).toEqual(['/a?b', '/favicon.ico', '/robots.txt'])
  for (const [url, headers] of received) expect([url, await verifyRequest(url, headers)]).toEqual([url, 'valid'])
})
