import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { type BuiltProject, smallProject } from '../support/built-project.ts'
import { LOCAL_BLOCK, type LocalSite, openSite } from './local-site.ts'
import { type RunningService, type Settings, startService } from './start-service.ts'

/** How long tests wait for a change; the required time is shorter. */
const PATIENCE_MS = 15_000

interface NodesParts {
  readonly project: BuiltProject
  readonly settings: Settings
  readonly urls: readonly string[]
  /** Connections to each node. */
  readonly connections?: number
}

/** The nodes of one service, as seen by clients and operators. */
export class Nodes {
  readonly #parts: NodesParts
  readonly #pools: readonly Pool[]

  constructor(parts: NodesParts) {
    this.#parts = parts
    this.#pools = parts.urls.map((url) => new Pool(url, { connections: parts.connections ?? 100 }))
  }

  /** Runs an operator command. @throws Error with its stderr */
  async command(name: 'accounts' | 'keys' | 'service', ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#parts.project.run(name, args, { env: this.#parts.settings })
    if (code !== 0) throw new Error(stderr)
    return stdout.trim()
  }

  /** Creates a key in a plan. */
  async makeKey(plan: string): Promise<{ readonly key: string; readonly id: string }> {
    const key = await this.command('keys', 'create', '--name', plan, '--email', 'a@a.example', '--plan', plan)
    const newest = (await this.command('keys', 'list', '--json')).split('\n').at(-1) ?? ''
    return { key, id: JSON.parse(newest).id }
  }

  /** Returns the usage of a key in this month, as the operator sees it. @throws Error if its days have another sum */
  async usedOf(id: string): Promise<number> {
    const { used, days } = JSON.parse(await this.command('keys', 'show', id)).usage
    const sum = days.reduce((total: number, day: { requests: number }) => total + day.requests, 0)
    if (sum !== used) throw new Error(`${used} requests were charged in the month, and ${sum} on its days`)
    return used
  }

  /** Sends a request to one node and returns status and error code; for a scan also whether it was cached. */
  async ask(node: number, path: string, key: string): Promise<string> {
    const { statusCode, body } = await this.#pools[node].request({ method: 'GET', path, headers: { 'x-api-key': key } })
    const { code = 'fine', cached } = (await body.json()) as { code?: string; cached?: boolean }
    return `${statusCode} ${cached === undefined ? code : `cached ${cached}`}`
  }

  /** Sends concurrent requests to the nodes in turn and counts the outcomes. */
  async askMany(count: number, path: string, key: string): Promise<Record<string, number>> {
    const nodes = this.#pools.length
    const outcomes = await Promise.all(Array.from({ length: count }, (_, i) => this.ask(i % nodes, path, key)))
    const counts: Record<string, number> = {}
    for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
    return counts
  }

  /** Polls all nodes until each gives the expected response. @returns milliseconds until the last one did */
  async untilAll(answer: string, path: string, key: string): Promise<number> {
    const began = performance.now()
    const isEverywhere = async (): Promise<boolean> =>
      (await Promise.all(this.#pools.map((_, node) => this.ask(node, path, key)))).every((one) => one === answer)
    while (!(await isEverywhere())) {
      if (performance.now() - began > PATIENCE_MS) throw new Error(`not all nodes answer ${answer}`)
      await sleep(50)
    }
    return performance.now() - began
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()))
  }
}

/** Starts a service with one node, and a site that it can scan. @param connections to the node */
export async function startNode(
  settings: Settings,
  connections?: number,
): Promise<{ readonly site: LocalSite; readonly service: RunningService; readonly node: Nodes }> {
  const project = smallProject()
  const site = await openSite()
  const service = await startService(project, { ...settings, SCAN_ALLOW: LOCAL_BLOCK })
  const node = new Nodes({ project, settings, urls: [service.url], ...(connections && { connections }) })
  return { site, service, node }
}

export function scanOf(page: string): string {
  return `/api/v1/scan?url=${encodeURIComponent(page)}`
}

/** Waits for the next minute if little of this one is left, so that the following requests count in one window. */
async function beginOfWindow(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 5000) await sleep(left)
}

/**
 * Sends requests of a key with a limit of 60 a minute, all within one minute of the clock. Requests that reach into another minute are
 * counted in two windows: then another key tries again.
 */
export async function askWithinMinute(nodes: Nodes, count: number): ReturnType<Nodes['askMany']> {
  for (;;) {
    const { key } = await nodes.makeKey('minute')
    await beginOfWindow()
    const minute = readMinute()
    const counts = await nodes.askMany(count, '/api/v1/me', key)
    if (readMinute() === minute) return counts
  }
}

function readMinute(): number {
  return Math.floor(Date.now() / 60_000)
}
