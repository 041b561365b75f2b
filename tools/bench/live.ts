import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import { parseAllowed } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { Scanner } from '../../src/scan/scanner.ts'
import { median } from '../statistics/quantile.ts'
import { generatePages } from './generated-pages.ts'

const PAGE_BYTES = 180_000

/** Measures the overhead of a scan of a local page over a bare request for it: medians in milliseconds, alternating. */
export async function measureLiveScan(rounds: number): Promise<Record<'bareMs' | 'scanMs' | 'overheadMs', number>> {
  const html = buildLargePage(PAGE_BYTES)
  const server = createServer(({ url }, answer) => {
    if (url === '/') answer.setHeader('content-type', 'text/html').end(html)
    else answer.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const allowed = parseAllowed(address)
  const scanner = new Scanner({ policy: { ...DEFAULT_POLICY, allow: allowed ? [allowed] : [] } })
  const bare: number[] = []
  const scans: number[] = []
  try {
    for (let round = -100; round < rounds; round++) {
      const bareMs = await measureTime(async () => (await request(`http://${address}/`)).body.arrayBuffer())
      const scanMs = await measureTime(() => scanner.scan(`http://${address}/`))
      if (round < 0) continue // The first rounds are warm-ups.
      bare.push(bareMs)
      scans.push(scanMs)
    }
  } finally {
    await scanner.close()
    server.closeAllConnections()
    server.close()
  }
  const [bareMs, scanMs] = [bare, scans].map(median)
  return { bareMs: round2(bareMs), scanMs: round2(scanMs), overheadMs: round2(scanMs - bareMs) }
}

async function measureTime(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await run()
  return performance.now() - started
}

/** Builds a page of a given size from generated ones. */
function buildLargePage(bytes: number): string {
  const parts = generatePages(50).map(({ html }) => String(html))
  let page = ''
  for (let i = 0; page.length < bytes; i = (i + 1) % parts.length) page += parts[i]
  return page.slice(0, bytes)
}

function round2(value: number): number {
  return Math.round(value * 100) / 100
}
