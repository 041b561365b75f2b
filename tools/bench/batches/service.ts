import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectFolder } from '../../../src/rules/built.ts'
import { findFreePort } from '../../browser/free-port.ts'
import { BenchClient } from './client.ts'
import { findBinaries, type KillableProcess, openMongo, openNode, openRedis } from './processes.ts'

const PLAN = 'bench: { perMinute: 1000000, perMonth: 10000000, keys: 1, batchUrls: 1000000 }\n'
const FREE = 'free: { perMinute: 10, perMonth: 100 }\n'
/** Signals that end the bench, and with it the processes it has started. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export interface BenchServiceOptions {
  readonly concurrency: number
  readonly nodes: number
  /** Workers with Redis and MongoDB; 0 for one server that runs batches itself. */
  readonly workers: number
}

/** A service with all its processes. */
export interface BenchService {
  readonly nodes: readonly KillableProcess[]
  readonly workers: readonly KillableProcess[]
  /** Null if the service is embedded. */
  readonly redis: Awaited<ReturnType<typeof openRedis>> | null
  readonly mongo: Awaited<ReturnType<typeof openMongo>> | null
  /** Creates a key, and a client with it. */
  readonly createClient: () => { readonly client: BenchClient; readonly readUsed: () => number }
  readonly close: () => Promise<void>
}

/** Starts a service. Its processes are ended by `close`. */
export async function startBenchService(options: BenchServiceOptions): Promise<BenchService> {
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-bench-'))
  const isEmbedded = options.workers === 0
  const binaries = isEmbedded ? null : findBinaries()
  const redis = binaries && (await openRedis(binaries.redis))
  const mongo = binaries && (await openMongo(binaries.mongod, folder))
  const env = buildSettings(folder, options.concurrency, redis?.url, mongo?.url)
  const started: KillableProcess[] = []
  const stop = (): void => void close().then(() => process.exit(130))
  const close = async (): Promise<void> => {
    for (const signal of SIGNALS) process.removeListener(signal, stop)
    await Promise.all(started.map((part) => part.end('SIGKILL')))
    rmSync(folder, { recursive: true, force: true })
  }
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    for (const part of [redis, mongo]) {
      if (part === null) continue
      started.push(part)
      await part.start()
    }
    const urls: string[] = []
    const nodes: KillableProcess[] = []
    for (let n = 0; n < options.nodes; n++) {
      const { url, node } = await openApiNode(env)
      urls.push(url)
      nodes.push(node)
    }
    const workers = await Promise.all(Array.from({ length: options.workers }, () => openWorkerNode(env)))
    for (const part of [...nodes, ...workers]) {
      started.push(part)
      await part.start()
    }
    return { nodes, workers, redis, mongo, close, createClient: () => createKeyAndClient(env, urls) }
  } catch (error) {
    await close()
    throw error
  }
}

function buildSettings(folder: string, concurrency: number, redis?: string, mongo?: string): NodeJS.ProcessEnv {
  const plans = join(folder, 'plans.yaml')
  writeFileSync(plans, FREE + PLAN)
  return {
    PATH: process.env.PATH,
    DATA_DIR: folder,
    CACHE_DIR: join(folder, 'cache'),
    PLANS_FILE: plans,
    KEY_PEPPER: 'thirty-two characters, or more of them',
    SCAN_ALLOW: '127.0.0.0/8',
    PORTAL: 'off',
    LOG_LEVEL: 'error',
    WORKER_CONCURRENCY: `${concurrency}`,
    ...(redis && { REDIS_URL: redis }),
    ...(mongo && { MONGODB_URL: mongo }),
  }
}

async function openApiNode(env: NodeJS.ProcessEnv): Promise<{ readonly url: string; readonly node: KillableProcess }> {
  const url = `http://127.0.0.1:${await findFreePort()}`
  const node = openNode('src/main', { ...env, HOST: '127.0.0.1', PORT: new URL(url).port }, () =>
    isOk(`${url}/health/ready`),
  )
  return { url, node }
}

async function openWorkerNode(env: NodeJS.ProcessEnv): Promise<KillableProcess> {
  const port = await findFreePort()
  return openNode('src/worker', { ...env, METRICS_PORT: `${port}`, METRICS_HOST: '127.0.0.1' }, () =>
    isOk(`http://127.0.0.1:${port}/ready`),
  )
}

async function isOk(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => null)
  return response?.ok === true
}

function runCommand(env: NodeJS.ProcessEnv, ...args: readonly string[]): string {
  const start = join(projectFolder(), 'tools', 'start.mjs')
  return execFileSync(process.execPath, [start, 'src/cli/run', ...args], { env, encoding: 'utf8' }).trim()
}

function createKeyAndClient(
  env: NodeJS.ProcessEnv,
  urls: readonly string[],
): { client: BenchClient; readUsed: () => number } {
  const secret = runCommand(env, 'keys', 'create', '--name', 'bench', '--email', 'bench@example.org', '--plan', 'bench')
  const newest = runCommand(env, 'keys', 'list', '--json').split('\n').at(-1) ?? ''
  const { id } = JSON.parse(newest) as { readonly id: string }
  const readUsed = (): number =>
    (JSON.parse(runCommand(env, 'keys', 'show', id)) as { readonly usage: { readonly used: number } }).usage.used
  return { client: new BenchClient(urls, secret), readUsed }
}

/** Waits for a condition, however long it takes. */
export async function waitUntil(isTrue: () => Promise<boolean>, pollMs = 200): Promise<void> {
  while (!(await isTrue())) await sleep(pollMs)
}
