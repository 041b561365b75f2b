import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXPENSIVE_PAGES } from '../../tools/bench/expensive-pages.ts'
import { builtProject } from '../support/built-project.ts'
import { Nodes, scanOf } from './nodes.ts'
import { makeFolder, startService, writePlans } from './start-service.ts'

/** The full measurement takes at least three minutes: `STARVATION_SECONDS=200 npx vitest run test/service/starvation.test.ts`. */
const SECONDS = Number(process.env.STARVATION_SECONDS ?? 12)
const ATTACKERS = 6
const CLIENTS = 4
const GOOD = '<!doctype html><title>good</title><meta name=generator content="WordPress 6.5"><p>hello'

let server: Server
beforeAll(async () => {
  const pack = promisify(gzip)
  const packed = await Promise.all(EXPENSIVE_PAGES.map(([, make]) => pack(make())))
  server = createServer(({ url = '' }, response) => {
    const [, kind, number] = /^\/(good|bad)\/(\d+)$/.exec(url) ?? []
    if (kind === undefined) return void response.writeHead(404).end()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (kind === 'good') response.end(GOOD)
    else response.setHeader('content-encoding', 'gzip').end(packed[Number(number) % packed.length])
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/**
 * Six keys of the plan free, at 10 requests a minute each, request expensive pages in turn, while four other keys together
 * send 60 ordinary scans a minute. Each URL has its own address, so that a site that killed a worker is never requested again.
 */
test(
  'expensive pages of some keys do not cost others their scans',
  async () => {
    const settings = {
      DATA_DIR: makeFolder(),
      SCAN_ALLOW: '127.0.0.0/8',
      LOG_LEVEL: 'warn',
      PLANS_FILE: writePlans({ good: [60, 1000] }),
    }
    const project = builtProject()
    const service = await startService(project, settings)
    const nodes = new Nodes({ project, settings, urls: [service.url] })
    const makeKeys = async (count: number, plan: string): Promise<string[]> => {
      const keys: string[] = []
      for (let i = 0; i < count; i++) keys.push((await nodes.makeKey(plan)).key)
      return keys
    }
    const [attackers, clients] = [await makeKeys(ATTACKERS, 'free'), await makeKeys(CLIENTS, 'good')]
    const { port } = server.address() as AddressInfo
    const ask = (kind: 'good' | 'bad', n: number, key: string): Promise<string> => {
      const host = `127.${kind === 'good' ? 1 : 2}.${n >> 8}.${n & 255}`
      return nodes.ask(0, scanOf(`http://${host}:${port}/${kind}/${n}`), key)
    }
    const asked: { readonly good: Promise<string>[]; readonly bad: Promise<string>[] } = { good: [], bad: [] }
    for (let n = 0; n < SECONDS; n++) {
      asked.bad.push(ask('bad', n, attackers[n % ATTACKERS]))
      asked.good.push(ask('good', n, clients[n % CLIENTS]))
      await sleep(1000)
    }
    const [good, bad] = [await Promise.all(asked.good), await Promise.all(asked.bad)]
    await nodes.close()
    if (process.env.STARVATION_SECONDS) console.log({ good: tally(good), bad: tally(bad) })
    expect(bad.filter((outcome) => outcome.startsWith('429'))).toEqual([])
    expect(good.filter((outcome) => outcome.startsWith('200')).length / good.length).toBeGreaterThanOrEqual(0.95)
  },
  (SECONDS + 60) * 1000,
)

function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
