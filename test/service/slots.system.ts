import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { mongoUrl, redisUrl } from '../support/services.ts'
import { LOCAL_BLOCK, type LocalSite, openSite } from './local-site.ts'
import { Nodes, scanOf } from './nodes.ts'
import { makeFolder, type RunningService, type Settings, startService, writePlans } from './start-service.ts'

const redis = await redisUrl('slots of a service')
const mongo = mongoUrl('slots of a service')
const EMAIL = 'ida@a.example'
/** Scans with one key, and how often the key is replaced. */
const SCANS = 50
const ROUNDS = 12
const QUOTA = 400

const shared: Settings = {
  REDIS_URL: String(redis),
  MONGODB_URL: String(mongo),
  KEY_PEPPER: 'thirty-two characters, or more of them',
  AUTH_SECRET: 'another thirty-two characters, or more of them',
}

describe.each<[string, nodes: number, isMissing: boolean, stores: Settings]>([
  ['two nodes on one Redis and one MongoDB', 2, redis === null || mongo === null, shared],
  ['an embedded store', 1, false, { DATA_DIR: makeFolder() }],
])('%s', (_, count, isMissing, stores) => {
  const settings: Settings = {
    ...stores,
    PLANS_FILE: writePlans({ one: [100_000, QUOTA], slow: [10, QUOTA] }),
    PORTAL: 'on',
    SIGNUP: 'open',
    SCAN_ALLOW: LOCAL_BLOCK,
    LOG_LEVEL: 'warn',
  }
  let site: LocalSite
  let services: readonly RunningService[]
  let nodes: Nodes
  let cookie = ''
  let secret = ''
  beforeAll(async () => {
    if (isMissing) return
    const project = smallProject()
    site = await openSite()
    services = await Promise.all(Array.from({ length: count }, () => startService(project, settings)))
    nodes = new Nodes({ project, settings, urls: services.map(({ url }) => url) })
    secret = findSecret(
      await visit(0, '/signup', { name: 'Ida', email: EMAIL, password: 'a long and unusual password' }),
    )
    await nodes.command('accounts', 'set-plan', EMAIL, 'one')
    await nodes.untilAll('200 fine', '/api/v1/me', secret)
  }, 60_000)
  afterAll(() => nodes?.close())

  const visit = async (node: number, path: string, form?: Readonly<Record<string, string>>): Promise<string> => {
    const { url } = services[node % count]
    const post = form && { method: 'POST', body: new URLSearchParams(form) }
    const response = await fetch(url + path, { ...post, headers: { cookie, origin: url }, redirect: 'manual' })
    const [session] = response.headers.getSetCookie()
    if (session !== undefined) cookie = session.split(';', 1)[0]
    expect(response.status, path).toBeLessThan(400)
    return await response.text()
  }
  const findSecret = (html: string): string => /spk_live_\w{38}/.exec(html)?.[0] ?? 'none'
  const findKey = async (): Promise<string> =>
    /\/account\/keys\/(key_\w+)"/.exec(await visit(0, '/account/keys'))?.[1] ?? 'none'

  /** Replaces the key: by rotation, by deletion and creation on the command line, or by revocation and creation in the portal. */
  async function replaceKey(round: number): Promise<string> {
    const id = await findKey()
    if (round % 3 === 0) return await nodes.command('keys', 'rotate', id, '--overlap', '0')
    if (round % 3 === 1) {
      await nodes.command('keys', 'delete', id, '--yes')
      return await nodes.command('keys', 'create', '--name', 'Next', '--account', EMAIL)
    }
    await visit(round, `/account/keys/${id}/revoke`, {})
    return findSecret(await visit(round + 1, '/account/keys', { name: `Key ${round}`, revision: '' }))
  }

  test.skipIf(isMissing)(
    '600 scans with another key every 50: exactly the quota is served',
    { timeout: 300_000 },
    async () => {
      const statuses: Record<string, number> = {}
      for (let round = 0; round < ROUNDS; round++) {
        const outcomes = await nodes.askMany(SCANS, scanOf(site.page(1)), secret)
        for (const [outcome, times] of Object.entries(outcomes)) {
          const name = outcome.startsWith('200') ? '200' : outcome
          statuses[name] = (statuses[name] ?? 0) + times
        }
        secret = await replaceKey(round)
      }
      expect(statuses).toEqual({ 200: QUOTA, '429 quota_exceeded': SCANS * ROUNDS - QUOTA })
      expect(await nodes.usedOf(await findKey())).toBe(QUOTA)
    },
  )

  test.skipIf(isMissing)(
    '40 requests in a minute with four keys: exactly ten are served',
    { timeout: 120_000 },
    async () => {
      await nodes.command('accounts', 'set-plan', EMAIL, 'slow')
      await nodes.untilAll('429 rate_limited', '/api/v1/me', secret)
      await beginOfNextWindow()
      const statuses: string[] = []
      for (let round = 0; round < 4; round++) {
        for (let i = 0; i < 10; i++) statuses.push(await nodes.ask(i % count, '/api/v1/me', secret))
        await visit(0, `/account/keys/${await findKey()}/revoke`, {})
        secret = findSecret(await visit(0, '/account/keys', { name: `Key ${round}`, revision: '' }))
      }
      expect(statuses).toEqual([...Array(10).fill('200 fine'), ...Array(30).fill('429 rate_limited')])
    },
  )

  test.skipIf(isMissing)('no error was logged', async () => {
    for (const { child } of services) child.kill('SIGTERM')
    expect(await Promise.all(services.map(({ ended }) => ended))).toEqual(services.map(() => 0))
    const faults = services.map(({ printed }) => printed.stderr.match(/"level":"(?:error|fatal)".*/g))
    expect(faults).toEqual(services.map(() => null))
  })
})

/** Waits for a minute in which nothing was counted yet. */
async function beginOfNextWindow(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 60_000 - (Date.now() % 60_000)))
}
