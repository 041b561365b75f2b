import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { servicesStatus } from '../services-status.ts'
import { generatedPages } from './generated-pages.ts'
import { median } from './quantile.ts'

const SECONDS = 3
const PINS = ['/usr/bin/taskset', '/bin/taskset']

type Env = Readonly<Record<string, string>>

/** A server under test. */
interface Rival {
  readonly url: string
  readonly key: string
  readonly rates: number[]
  end(): void
}

interface HttpReport {
  /** Requests a second, medians; null for what does not run here. */
  readonly perSecond: Readonly<Record<'bare' | 'embedded' | 'servers', number | null>>
  /** Shares of what the bare route reaches. */
  readonly shareOfBare: Readonly<Record<'embedded' | 'servers', number | null>>
}

/**
 * Cached scans (key, minute, quota, cache, log) of the service as it is started, with its own store (memory and SQLite) and
 * with Redis and MongoDB if tools/services.sh has them running, beside a bare route of Fastify that answers the same. Each
 * server has one core, the load another; they are asked in turn.
 */
export async function measureHttp(rounds: number): Promise<HttpReport> {
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-bench-'))
  const site = createServer((_, answer) =>
    answer.setHeader('content-type', 'text/html').end(String(generatedPages(1)[0].html)),
  )
  await once(site.listen(0, '127.0.0.1'), 'listening')
  const page = `127.0.0.1:${(site.address() as AddressInfo).port}`
  const rivals: Rival[] = []
  try {
    const env = { ...settingsIn(folder), SCAN_ALLOW: page }
    const embedded = await startService({ ...env, DATA_DIR: join(folder, 'data') }, page)
    rivals.push(embedded)
    const servers = await startWithServers(env, page)
    if (servers !== null) rivals.push(servers)
    const answer = await fetch(embedded.url, { headers: { authorization: `Bearer ${embedded.key}` } })
    const bare = await startServer(['http-bare.js', await answer.text()], {})
    rivals.push(bare)
    for (let round = -2; round < rounds; round++)
      for (const { url, key, rates } of rivals) {
        const rate = await loadOf(url, key)
        if (round >= 0) rates.push(rate) // The first two rounds warm up.
      }
    return reportOf({ bare, embedded, servers })
  } finally {
    for (const rival of rivals) rival.end()
    site.closeAllConnections()
    site.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function reportOf(rivals: Readonly<Record<'bare' | 'embedded' | 'servers', Rival | null>>): HttpReport {
  const rateOf = (rival: Rival | null): number | null => rival && median(rival.rates)
  const [bare, embedded, servers] = [rivals.bare, rivals.embedded, rivals.servers].map(rateOf)
  const share = (rate: number | null): number | null => rate && bare && Math.round((rate / bare) * 1000) / 1000
  return { perSecond: { bare, embedded, servers }, shareOfBare: { embedded: share(embedded), servers: share(servers) } }
}

function settingsIn(folder: string): Env {
  const plans = join(folder, 'plans.yaml')
  writeFileSync(plans, 'free: { perMinute: 1000000000, perMonth: 1000000000 }\n')
  return { PLANS_FILE: plans, PORT: '0', KEY_PEPPER: 'one pepper for all that is measured' }
}

/** The service, with the page in its cache. @param key one that is there already */
async function startService(env: Env, page: string, key?: string): Promise<Rival> {
  const started = await startServer(['../../src/main.js'], env)
  const rival = { ...started, key: key ?? started.key, url: `${started.url}/api/v1/scan?url=http://${page}/` }
  const { status } = await fetch(rival.url, { headers: { authorization: `Bearer ${rival.key}` } })
  if (status === 200) return rival
  rival.end()
  throw new Error(`the page to be cached was answered with ${status}`)
}

/** @returns null where they do not run */
async function startWithServers(env: Env, page: string): Promise<Rival | null> {
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

/** Starts a built server beside this one on the first core. */
async function startServer([file, ...args]: readonly string[], env: Env): Promise<Rival> {
  const [program, ...words] = pinned(0, [process.execPath, fileOf(file), ...args])
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
  return { url, key: /spk_live_\w+/.exec(text)?.[0] ?? 'none', rates: [], end: () => void child.kill('SIGKILL') }
}

/** Requests a second. */
async function loadOf(url: string, key: string): Promise<number> {
  const [program, ...words] = pinned(1, [process.execPath, fileOf('http-load.js'), url, key, String(SECONDS)])
  return Number((await promisify(execFile)(program, words)).stdout)
}

/** The words of a command that runs on one core, where the system can do that. */
function pinned(core: number, words: readonly string[]): readonly string[] {
  const taskset = PINS.find((file) => existsSync(file))
  const fits = taskset !== undefined && spawnSync(taskset, ['-c', String(core), 'true']).status === 0
  return fits ? [taskset, '-c', String(core), ...words] : words
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
