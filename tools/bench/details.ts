import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../../src/rules/built.ts'
import { median } from '../statistics/quantile.ts'
import { loadInTurns, type ServerUnderTest, startService, startWithServers, writeSettings } from './http.ts'

interface DetailsTimes {
  /** Processor time of the service for a cached scan, in microseconds: medians. */
  readonly plainUs: number
  readonly detailsUs: number
  /** Median over the rounds of the time with details by that without. */
  readonly detailsByPlain: number
  /** Sizes of the responses in bytes. */
  readonly plainBytes: number
  readonly detailsBytes: number
}

/**
 * Measures the processor time of a service for a cached scan with `include=details` and without, alternating in one process: with the
 * embedded stores, and with Redis and MongoDB if tools/services.sh has started them. The page is that of the README, which has 14
 * technologies. Needs Linux.
 * @param rounds number of measured rounds, after ten that are not counted
 */
export async function measureDetails(
  rounds: number,
): Promise<Readonly<Record<'embedded' | 'servers', DetailsTimes | null>>> {
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-bench-'))
  const examples = join(projectFolder(), 'examples')
  const headers = JSON.parse(readFileSync(join(examples, 'headers.json'), 'utf8')) as Record<string, string>
  const html = readFileSync(join(examples, 'page.html'))
  const site = createServer((_, response) => response.writeHead(200, headers).end(html))
  await once(site.listen(0, '127.0.0.1'), 'listening')
  const page = `127.0.0.1:${(site.address() as AddressInfo).port}`
  try {
    const env = { ...writeSettings(folder), SCAN_ALLOW: page }
    const embedded = await measureService(await startService({ ...env, DATA_DIR: join(folder, 'data') }, page), rounds)
    const servers = await startWithServers(env, page)
    return { embedded, servers: servers && (await measureService(servers, rounds)) }
  } finally {
    site.closeAllConnections()
    site.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureService(service: ServerUnderTest, rounds: number): Promise<DetailsTimes> {
  const urls = [service.url, `${service.url}&include=details`] as const
  try {
    const pairs = await loadInTurns(service, rounds, urls)
    const [plainBytes, detailsBytes] = await Promise.all(urls.map((url) => readSize(service, url)))
    return {
      plainUs: Math.round(median(pairs.map(([plain]) => plain))),
      detailsUs: Math.round(median(pairs.map(([, details]) => details))),
      detailsByPlain: Math.round(median(pairs.map(([plain, details]) => details / plain)) * 1000) / 1000,
      plainBytes,
      detailsBytes,
    }
  } finally {
    service.end()
  }
}

async function readSize({ key }: ServerUnderTest, url: string): Promise<number> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  return (await response.arrayBuffer()).byteLength
}
