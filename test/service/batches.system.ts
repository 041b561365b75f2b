import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { describe, expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { mongoUrl, redisUrl, startRedis } from '../support/services.ts'
import { LOCAL_BLOCK, openSite } from './local-site.ts'
import { Nodes } from './nodes.ts'
import { makeFolder, type RunningService, type Settings, startService, writePlans } from './start-service.ts'

interface BatchState {
  readonly status: string
  readonly counts: { readonly waiting: number; readonly succeeded: number; readonly failed: number }
}

/** A client of the batches of one service, which may be restarted. */
class BatchClient {
  url: string
  readonly #key: string

  constructor(url: string, key: string) {
    this.url = url
    this.#key = key
  }

  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    return await fetch(`${this.url}/api/v1/batches${path}`, {
      ...init,
      headers: { 'x-api-key': this.#key, ...init.headers },
    })
  }

  async submit(urls: readonly string[]): Promise<string> {
    const headers = { 'content-type': 'text/plain' }
    const response = await this.ask('', { method: 'POST', headers, body: urls.join('\n') })
    expect(response.status).toBe(202)
    return ((await response.json()) as { readonly id: string }).id
  }

  async read(id: string): Promise<BatchState> {
    return (await (await this.ask(`/${id}`)).json()) as BatchState
  }

  /** Waits until so many URLs have a result, or until the batch is completed. */
  async untilDone(id: string, count: number): Promise<BatchState> {
    for (;;) {
      const state = await this.read(id).catch(() => null)
      if (state !== null && (state.status === 'completed' || state.counts?.succeeded >= count)) return state
      await sleep(100)
    }
  }

  /** Reads the positions of all lines. */
  async readPositions(id: string): Promise<number[]> {
    const positions: number[] = []
    let path: string | undefined = `/${id}/results`
    while (path !== undefined) {
      const response = await this.ask(path)
      const lines = (await response.text()).split('\n').filter(Boolean)
      positions.push(...lines.map((line) => (JSON.parse(line) as { readonly position: number }).position))
      path = /<\/api\/v1\/batches([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1]
    }
    return positions
  }
}

/** Asserts that each URL has one line, and that usage equals successes. */
async function expectExact(
  client: BatchClient,
  id: string,
  total: number,
  readUsed: () => Promise<number>,
): Promise<void> {
  const state = await client.untilDone(id, Number.POSITIVE_INFINITY)
  expect(state).toMatchObject({ status: 'completed', counts: { waiting: 0, succeeded: total, failed: 0 } })
  const positions = await client.readPositions(id)
  expect(positions).toHaveLength(total)
  expect(new Set(positions).size).toBe(total)
  expect(await readUsed()).toBe(total)
}

const PLANS = (): string => writePlans({ bulk: [100_000, 100_000] })

describe('a server without other servers', () => {
  test('killed twice during a batch, scans and charges each URL once', async () => {
    const total = 80
    const project = smallProject()
    const site = await openSite()
    const settings: Settings = {
      DATA_DIR: makeFolder(),
      SCAN_ALLOW: LOCAL_BLOCK,
      PLANS_FILE: PLANS(),
      LOG_LEVEL: 'warn',
    }
    let service: RunningService = await startService(project, settings)
    const nodes = new Nodes({ project, settings, urls: [service.url] })
    onFileEnd(() => nodes.close())
    const { key, id: keyId } = await nodes.makeKey('bulk')
    const client = new BatchClient(service.url, key)
    const list = Array.from({ length: total }, (_, n) => site.page(n))
    const id = await client.submit(list)
    for (const count of [15, 40]) {
      await client.untilDone(id, count)
      service.child.kill('SIGKILL')
      await service.ended
      service = await startService(project, settings)
      client.url = service.url
    }
    await expectExact(client, id, total, () => nodes.usedOf(keyId))
  })
})

const redis = await redisUrl('batches')
const ownRedis = await startRedis('batches')
const mongo = mongoUrl('batches')

describe.skipIf(redis === null || ownRedis === null || mongo === null)('workers', () => {
  const settings = (): Settings => ({
    REDIS_URL: String(redis),
    MONGODB_URL: String(mongo),
    KEY_PEPPER: 'thirty-two characters, or more of them',
    PLANS_FILE: PLANS(),
    SCAN_ALLOW: LOCAL_BLOCK,
    LOG_LEVEL: 'warn',
  })

  test('killed workers, and a Redis that was killed and lost its data: each URL is scanned and charged once', async () => {
    const project = smallProject()
    const site = await openSite()
    const env = { ...settings(), REDIS_URL: String(ownRedis?.url) }
    const service = await startService(project, env)
    const nodes = new Nodes({ project, settings: env, urls: [service.url] })
    onFileEnd(() => nodes.close())
    const { key, id: keyId } = await nodes.makeKey('bulk')
    const client = new BatchClient(service.url, key)
    const workers = [await startWorker(project.folder, env), await startWorker(project.folder, env)]
    const total = 100
    const id = await client.submit(Array.from({ length: total }, (_, n) => site.page(n)))
    await client.untilDone(id, 15)
    workers[0].kill('SIGKILL')
    await client.untilDone(id, 35)
    await ownRedis?.kill()
    await ownRedis?.restart()
    await flush(env.REDIS_URL)
    await client.untilDone(id, 50)
    workers[1].kill('SIGKILL')
    const last = await startWorker(project.folder, env)
    await expectExact(client, id, total, () => nodes.usedOf(keyId))
    last.kill('SIGTERM')
    expect(await new Promise((resolve) => last.once('close', resolve))).toBe(0)
  })

  test('with only one of the stores, batches are not available', async () => {
    const project = smallProject()
    const { MONGODB_URL: _, ...env } = settings()
    const service = await startService(project, { ...env, DATA_DIR: makeFolder() })
    const response = await new BatchClient(service.url, service.key).ask('')
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([503, 'unavailable'])
  })
})

async function startWorker(folder: string, env: Settings): Promise<ReturnType<typeof spawn>> {
  const child = spawn(process.execPath, [...NODE_ARGS, 'tools/start.mjs', 'src/worker'], {
    cwd: folder,
    env: { PATH: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onFileEnd(() => void child.kill('SIGKILL'))
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (text: Buffer) => {
      if (text.includes('worker is running')) resolve()
    })
    child.once('close', () => reject(new Error('the worker ended')))
  })
  return child
}

async function flush(url: string): Promise<void> {
  const client = createClient({ url })
  await client.connect()
  await client.flushDb()
  client.destroy()
}
