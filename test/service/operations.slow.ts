import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { describe, expect, test } from 'vitest'
import { makeSecret } from '../../src/keys/key.ts'
import { smallProject } from '../support/built-project.ts'
import { mongoUrl, redisUrl } from '../support/services.ts'
import { LOCAL_BLOCK, openSite } from './local-site.ts'
import { Nodes, scanOf } from './nodes.ts'
import { makeFolder, type RunningService, type Settings, startService } from './start-service.ts'

const redis = await redisUrl('operations under load')
const [mongo, moved] = [mongoUrl('operations under load'), mongoUrl('operations under load')]
const OLD = 'the former pepper, thirty-two or longer'
const NEW = 'the current pepper, thirty-two or longer'
/** A change of a key takes effect on every node within this time. */
const EVERYWHERE_MS = 5000

/** One key, and the responses that its holder gets. */
interface Client {
  readonly id: string
  /** The secret that the holder uses now. */
  secret: string
  /** Responses with status 200, each of which was charged. */
  charged: number
}

interface TrafficParts {
  readonly clients: readonly Client[]
  /** The path that they request. */
  readonly path: string
  readonly nodes: readonly RunningService[]
}

function openPools(nodes: readonly RunningService[]): readonly Pool[] {
  return nodes.map(({ url }) => new Pool(url, { connections: 4 }))
}

/** Clients that request scans all the time, from the nodes in turn, as through a load balancer. */
class Traffic {
  readonly clients: readonly Client[]
  /** Secrets that must not be accepted. */
  readonly rejected = [makeSecret()]
  /** Outcomes that are neither a charged 200 nor an expected rejection, with their numbers. */
  readonly others: Record<string, number> = {}
  readonly #path: string
  readonly #over = new AbortController()
  #pools: readonly Pool[] = []
  #turn = 0
  readonly #running: Promise<unknown>

  constructor({ clients, path, nodes }: TrafficParts) {
    this.clients = clients
    this.#path = path
    this.#pools = openPools(nodes)
    this.#running = Promise.all([...clients.map((client) => this.#useKey(client)), this.#useRejected()])
  }

  /** Sends the following requests to these nodes. Requests in flight end where they were sent. */
  async sendTo(nodes: readonly RunningService[]): Promise<void> {
    const former = this.#pools
    this.#pools = openPools(nodes)
    await Promise.all(former.map((pool) => pool.close()))
  }

  async stop(): Promise<void> {
    this.#over.abort()
    await this.#running
    await this.sendTo([])
  }

  async #useKey(client: Client): Promise<void> {
    while (!this.#over.signal.aborted) {
      const outcome = await this.#ask(client.secret)
      if (outcome === '200') client.charged++
      else this.#count(outcome)
      await sleep(20)
    }
  }

  async #useRejected(): Promise<void> {
    while (!this.#over.signal.aborted) {
      const secret = this.rejected[this.#turn % this.rejected.length]
      const outcome = await this.#ask(secret)
      if (outcome !== '401 unauthorized') this.#count(`${outcome}, rejected key`)
      await sleep(50)
    }
  }

  async #ask(secret: string): Promise<string> {
    const pool = this.#pools[this.#turn++ % Math.max(1, this.#pools.length)]
    if (pool === undefined) return 'no node'
    // Unknown keys are limited by address, so each request comes from a different one.
    const headers = { 'x-api-key': secret, 'x-forwarded-for': `192.0.2.${this.#turn % 256}` }
    const { statusCode, body } = await pool.request({ method: 'GET', path: this.#path, headers })
    const { code } = (await body.json()) as { code?: string }
    return code === undefined ? String(statusCode) : `${statusCode} ${code}`
  }

  #count(outcome: string): void {
    this.others[outcome] = (this.others[outcome] ?? 0) + 1
  }
}

describe.skipIf(redis === null || mongo === null)('operations under load', () => {
  const folder = makeFolder()
  const plans = join(folder, 'plans.yaml')
  const writeLimits = (perMinute: number): void =>
    writeFileSync(plans, `free: { perMinute: ${perMinute}, perMonth: 10000000 }\n`)
  const shared = {
    ...{ MONGODB_URL: String(mongo), REDIS_URL: String(redis), PLANS_FILE: plans },
    ...{ SCAN_ALLOW: LOCAL_BLOCK, TRUST_PROXY: '1', PORTAL: 'off', LOG_LEVEL: 'warn' },
  }
  const operate = (settings: Settings) => new Nodes({ project: smallProject(), settings, urls: [] })

  test('pepper, plans and store are changed, and every charge and every key is kept', async () => {
    writeLimits(1_000_000)
    const site = await openSite()
    let nodes: RunningService[] = []
    /** Replaces the nodes one after the other, as a rolling deploy does: the new one serves before the former one stops. */
    const roll = async (settings: Settings, count = 2): Promise<void> => {
      const former = nodes
      for (let i = 0; i < Math.max(count, former.length); i++) {
        if (i < count) nodes = [...nodes, await startService(smallProject(), settings)]
        nodes = nodes.filter((node) => node !== former[i])
        await traffic?.sendTo(nodes)
        former[i]?.child.kill('SIGTERM')
        if (former[i] !== undefined) expect(await former[i].ended).toBe(0)
      }
    }
    let traffic: Traffic | undefined
    let operator = operate({ ...shared, KEY_PEPPER: OLD })
    await roll({ ...shared, KEY_PEPPER: OLD })
    const clients: Client[] = []
    for (let i = 0; i < 4; i++) {
      const { key: secret, id } = await operator.makeKey('free')
      clients.push({ id, secret, charged: 0 })
    }
    const load = new Traffic({ clients, path: scanOf(site.page(1)), nodes })
    traffic = load

    // A new pepper, as in docs/operating.md.
    await roll({ ...shared, KEY_PEPPER: OLD, KEY_PEPPER_OLD: NEW })
    const both = { ...shared, KEY_PEPPER: NEW, KEY_PEPPER_OLD: OLD }
    // While all nodes have the former pepper, keys are rotated with the new one, as by the first node that is restarted.
    operator = operate(both)
    const former = clients.map(({ secret }) => secret)
    for (const client of clients) client.secret = await operator.command('keys', 'rotate', client.id, '--overlap', '1s')
    await Promise.all([roll(both), sleep(1000 + EVERYWHERE_MS)])
    load.rejected.push(...former)
    await roll({ ...shared, KEY_PEPPER: NEW })
    operator = operate({ ...shared, KEY_PEPPER: NEW })

    // Other limits.
    writeLimits(2_000_000)
    for (const { child } of nodes) child.kill('SIGHUP')
    for (const { url } of nodes)
      await expect.poll(() => readLimit(url, clients[0].secret), { timeout: 10_000 }).toBe('2000000')
    expect(load.others).toEqual({})

    // Move the data to the embedded store, and then to another database.
    const embedded = { ...shared, MONGODB_URL: '', REDIS_URL: '', DATA_DIR: join(folder, 'data'), KEY_PEPPER: NEW }
    const again = { ...shared, MONGODB_URL: String(moved), KEY_PEPPER: NEW }
    const file = join(folder, 'export')
    await operator.command('service', 'maintenance', 'on')
    await sleep(EVERYWHERE_MS)
    for (const [from, to, count] of [
      [{ ...shared, KEY_PEPPER: NEW }, embedded, 1],
      [embedded, again, 2],
    ] as const) {
      const stopping = nodes
      nodes = []
      await load.sendTo([])
      for (const { child } of stopping) child.kill('SIGTERM')
      expect(await Promise.all(stopping.map(({ ended }) => ended))).toEqual(stopping.map(() => 0))
      await operate(from).command('service', 'export', file)
      await operate(to).command('service', 'import', file)
      rmSync(file)
      await roll(to, count)
      await sleep(500)
    }
    await load.stop()
    operator = operate(again)
    expect(await Promise.all(clients.map(({ id }) => operator.usedOf(id)))).toEqual(
      clients.map(({ charged }) => charged),
    )
    expect(Math.min(...clients.map(({ charged }) => charged))).toBeGreaterThan(100)
    const pauses = /^(?:no node|503 maintenance)(?:, rejected key)?$/
    expect(Object.keys(load.others).filter((outcome) => !pauses.test(outcome))).toEqual([])
  }, 240_000)
})

async function readLimit(url: string, secret: string): Promise<string | null> {
  const response = await fetch(`${url}/api/v1/me`, { headers: { 'x-api-key': secret } })
  return response.headers.get('x-ratelimit-limit')
}
