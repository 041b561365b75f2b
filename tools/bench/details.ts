import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../../src/rules/built.ts'
import { median } from '../statistics/quantile.ts'
import { load, type ServerUnderTest, startService, startWithServers, writeSettings } from './http.ts'

/** Short, so that other work on the machine disturbs both kinds alike. */
const SECONDS = 1

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
 * @param rounds number of measured rounds, after two that are not counted
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
  const urls = [service.url, `${service.url}&include=details`]
  const times: [number[], number[]] = [[], []]
  try {
    for (let round = -2; round < rounds; round++)
      // Every second round begins with the other kind.
      for (const kind of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const us = await measureCpu(service, urls[kind])
        if (round >= 0) times[kind].push(us)
      }
    const [plainBytes, detailsBytes] = await Promise.all(urls.map((url) => readSize(service, url)))
    const [plain, details] = times
    const ratios = details.map((us, i) => us / plain[i])
    return {
      plainUs: Math.round(median(plain)),
      detailsUs: Math.round(median(details)),
      detailsByPlain: Math.round(median(ratios) * 1000) / 1000,
      plainBytes,
      detailsBytes,
    }
  } finally {
    service.end()
  }
}

/** Measures the processor time of the service for a request, in microseconds. */
async function measureCpu({ pid, key }: ServerUnderTest, url: string): Promise<number> {
  const before = readCpu(pid)
  const { requests } = await load(url, key, SECONDS)
  return (readCpu(pid) - before) / requests
}

/** Reads the processor time of all threads of a process, in microseconds. */
function readCpu(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const times = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ', 1)[0]),
  )
  return times.reduce((sum, ns) => sum + ns, 0) / 1000
}

async function readSize({ key }: ServerUnderTest, url: string): Promise<number> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  return (await response.arrayBuffer()).byteLength
}
