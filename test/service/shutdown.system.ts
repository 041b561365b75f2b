import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, smallProject } from '../support/built-project.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { load, type Tally } from './hammer.ts'
import { LOCAL_BLOCK, type LocalSite, openSite } from './local-site.ts'
import { scanOf } from './nodes.ts'
import {
  makeFolder,
  type RunningService,
  type Settings,
  spawnService,
  startService,
  writePlans,
} from './start-service.ts'

let project: BuiltProject
let site: LocalSite
beforeAll(async () => {
  project = smallProject()
  site = await openSite()
})

async function usedOf(settings: Settings): Promise<number> {
  const { id } = JSON.parse((await project.run('keys', ['list', '--json'], { env: settings })).stdout)
  return JSON.parse((await project.run('keys', ['show', id], { env: settings })).stdout).usage.used
}

async function start(): Promise<{ service: RunningService; settings: Settings }> {
  const plans = writePlans({ free: [1_000_000, 1_000_000] })
  const settings = { DATA_DIR: makeFolder(), SCAN_ALLOW: LOCAL_BLOCK, PLANS_FILE: plans }
  return { service: await startService(project, settings), settings }
}

/** Polls readiness, on a new connection each time, until the port is closed. */
async function watchReadiness(url: string, onFailure: () => void): Promise<string[]> {
  const seen: string[] = []
  for (;;) {
    const answer = await fetch(`${url}/health/ready`, { headers: { connection: 'close' } }).catch(() => null)
    if (answer === null) return seen
    const { why = 'ready' } = (await answer.json()) as { why?: string }
    if (answer.status !== 200) onFailure()
    if (seen.at(-1) !== why) seen.push(why)
    await sleep(20)
  }
}

describe('SIGTERM under load', () => {
  test.each([
    [
      'the load balancer stops sending when readiness fails: no request is dropped',
      { isBalanced: true, allowed: ['200'] },
    ],
    [
      'clients keep sending: every accepted request is answered',
      { isBalanced: false, allowed: ['200', 'ECONNREFUSED', 'ECONNRESET'] },
    ],
  ])('%s', async (_, { isBalanced, allowed }) => {
    const { service, settings } = await start()
    const { url, key, child, ended } = service
    const balancer = new AbortController()
    const readiness = watchReadiness(url, () => isBalanced && balancer.abort())
    const asking = (clients: number, page: (n: number) => string): Promise<Tally> =>
      load(url, { clients, path: (n) => scanOf(page(n)), key, signal: balancer.signal })
    const loads = [
      asking(40, () => site.page(1)),
      asking(8, (n) => site.page(1000 + n)),
      asking(2, (n) => site.page(100 + n, '/slow')),
    ]
    await sleep(1500)
    child.kill('SIGTERM')
    await sleep(100)
    child.kill('SIGTERM') // The second signal is ignored.
    const tallies = await Promise.all(loads)
    expect(await readiness).toEqual(['ready', 'draining'])
    expect(await ended).toBe(0)
    const outcomes = tallies.map(({ counts }) => Object.keys(counts).filter((outcome) => !allowed.includes(outcome)))
    expect(outcomes).toEqual([[], [], []])
    const answered = tallies.map(({ counts }) => counts['200'])
    expect(Math.min(...answered)).toBeGreaterThan(1)
    expect(await usedOf(settings)).toBe(answered.reduce((sum, one) => sum + one))
  })
})

test('an unread log delays neither responses nor the stop', async () => {
  const { service, settings } = await start()
  const { url, key, child, ended } = service
  child.stderr?.pause()
  const enough = new AbortController()
  const path = (n: number): string => {
    if (n === 4000) enough.abort() // Several hundred kilobytes of log, more than a pipe can buffer.
    return '/api/v1/me'
  }
  const { counts } = await load(url, { clients: 20, path, key, signal: enough.signal })
  expect(Object.keys(counts)).toEqual(['200'])
  child.kill('SIGTERM')
  await once(child, 'exit')
  child.stderr?.resume()
  await ended
  expect(await usedOf(settings)).toBe(0)
})

test('a signal before the service listens ends it', async () => {
  const silent = createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const settings = { MONGODB_URL: `mongodb://127.0.0.1:${port}/siteprint`, KEY_PEPPER: 'p'.repeat(32) }
  const { child, listening } = spawnService(process.execPath, [...NODE_ARGS, 'dist/src/main.js'], { project, settings })
  listening.catch(() => {})
  await once(silent, 'connection')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  silent.close()
})
