import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Env } from '../create-operator.ts'
import { servicesStatus } from '../services-status.ts'
import { median } from '../statistics/quantile.ts'
import { generatePages } from './generated-pages.ts'

const SECONDS = 3
const PINS = ['/usr/bin/taskset', '/bin/taskset']

/** A server under test. */
export interface ServerUnderTest {
  readonly url: string
  readonly key: string
  /** Its process. */
  readonly pid: number
  readonly rates: number[]
  end(): void
}

interface HttpReport {
  /** Requests per second, medians; null if the servers are not running. */
  readonly perSecond: Readonly<Record<'bare' | 'embedded' | 'servers', number | null>>
  /** Rate divided by the rate of the bare route. */
  readonly shareOfBare: Readonly<Record<'embedded' | 'servers', number | null>>
}

/**
 * Measures cached scans (key, rate limit, quota, cache, log) of the real service: with its embedded stores (memory and
 * SQLite), and with Redis and MongoDB if tools/services.sh has started them. A bare Fastify route with the same response is
 * the reference. The servers share one core, the load generator has another, and they are measured alternately.
 */
export async function measureHttp(rounds: number): Promise<HttpReport> {
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-bench-'))
  const site = createServer((_, answer) =>
    answer.setHeader('content-type', 'text/html').end(String(generatePages(1)[0].html)),
  )
  await once(site.listen(0, '127.0.0.1'), 'listening')
  const page = `127.0.0.1:${(site.address() as AddressInfo).port}`
  const candidates: ServerUnderTest[] = []
  try {
    const env = { ...writeSettings(folder), SCAN_ALLOW: page }
    const embedded = await startService({ ...env, DATA_DIR: join(folder, 'data') }, page)
    candidates.push(embedded)
    const servers = await startWithServers(env, page)
    if (servers !== null) candidates.push(servers)
    const answer = await fetch(embedded.url, { headers: { authorization: `Bearer ${embedded.key}` } })
    const bare = await startServer(['http-bare.js', await answer.text()], {})
    candidates.push(bare)
    for (let round = -2; round < rounds; round++)
      for (const { url, key, rates } of candidates) {
        const rate = await measureRate(url, key)
        if (round >= 0) rates.push(rate) // The first two rounds are warm-ups.
      }
    return buildReport({ bare, embedded, servers })
  } finally {
    for (const candidate of candidates) candidate.end()
    site.closeAllConnections()
    site.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function buildReport(
  candidates: Readonly<Record<'bare' | 'embedded' | 'servers', ServerUnderTest | null>>,
): HttpReport {
  const findRate = (candidate: ServerUnderTest | null): number | null => candidate && median(candidate.rates)
  const [bare, embedded, servers] = [candidates.bare, candidates.embedded, candidates.servers].map(findRate)
  const share = (rate: number | null): number | null => rate && bare && Math.round((rate / bare) * 1000) / 1000
  return { perSecond: { bare, embedded, servers }, shareOfBare: { embedded: share(embedded), servers: share(servers) } }
}

/** Settings of services that are measured: no limits. */
export function writeSettings(folder: string): Env {
  const plans = join(folder, 'plans.yaml')
  writeFileSync(plans, 'free: { perMinute: 1000000000, perMonth: 1000000000 }\n')
  return { PLANS_FILE: plans, PORT: '0', KEY_PEPPER: 'one pepper for all that is measured' }
}

/** Starts the service and puts the page into its cache. @param key an existing key */
export async function startService(env: Env, page: string, key?: string): Promise<ServerUnderTest> {
  const started = await startServer(['../../src/main.js'], env)
  const candidate = { ...started, key: key ?? started.key, url: `${started.url}/api/v1/scan?url=http://${page}/` }
  const { status } = await fetch(candidate.url, { headers: { authorization: `Bearer ${candidate.key}` } })
  if (status === 200) return candidate
  candidate.end()
  throw new Error(`the scan that fills the cache failed with status ${status}`)
}

/** @returns null when Redis or MongoDB is not running */
export async function startWithServers(env: Env, page: string): Promise<ServerUnderTest | null> {
  const { REDIS_URL: redis, MONGODB_URL: mongo } = servicesStatus()
  if (redis === undefined || mongo === undefined) return null
  const servers = { ...env, REDIS_URL: redis, MONGODB_URL: `${mongo}/siteprint_bench` }
  const create = ['create', '--name', 'Bench', '--email', 'bench@a.example', '--plan', 'free']
  const { stdout: key } = await promisify(execFile)(
    process.execPath,
    [fileOf('../../src/cli/run.js'), 'keys', ...create],
    {
      env: servers,
    },
  )
  return await startService(servers, page, key.trim())
}

/** Starts a built server in a separate process on the first core. */
async function startServer([file, ...args]: readonly string[], env: Env): Promise<ServerUnderTest> {
  const [program, ...words] = pinToCore(0, [process.execPath, fileOf(file), ...args])
  const child: ChildProcess = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  while (!/listens on \S+ /.test(text)) {
    const [chunk] = (await Promise.race([
      once(child.stdout as NodeJS.ReadableStream, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${file} did not start`))),
    ])) as [Buffer]
    text += chunk
  }
  const [, url = ''] = /listens on (\S+) /.exec(text) ?? []
  const key = /spk_live_\w+/.exec(text)?.[0] ?? 'none'
  return { url, key, pid: Number(child.pid), rates: [], end: () => void child.kill('SIGKILL') }
}

/** Requests a URL as fast as it responds, from the second core. */
async function measureRate(url: string, key: string): Promise<number> {
  const [program, ...words] = pinToCore(1, [process.execPath, fileOf('http-load.js'), url, key, String(SECONDS)])
  return JSON.parse((await promisify(execFile)(program, words)).stdout).perSecond
}

/**
 * Requests two URLs of a service in turns, from the second core.
 * @returns the processor time of the service for a request of each, in microseconds, as one pair for each round
 */
export async function loadInTurns(
  { pid, key }: ServerUnderTest,
  rounds: number,
  urls: readonly [string, string],
): Promise<readonly (readonly [number, number])[]> {
  const words = [fileOf('paired-load.js'), String(pid), key, String(rounds), ...urls]
  const [program, ...rest] = pinToCore(1, [process.execPath, ...words])
  return JSON.parse((await promisify(execFile)(program, rest)).stdout)
}

/** Prefixes a command so that it runs on one core, if the system supports that. */
function pinToCore(core: number, command: readonly string[]): readonly string[] {
  const taskset = PINS.find((file) => existsSync(file))
  const fits = taskset !== undefined && spawnSync(taskset, ['-c', String(core), 'true']).status === 0
  return fits ? [taskset, '-c', String(core), ...command] : command
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
