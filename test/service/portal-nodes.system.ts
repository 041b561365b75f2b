import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, smallProject } from '../support/built-project.ts'
import { mongoUrl, redisUrl } from '../support/services.ts'
import { LOCAL_BLOCK, type LocalSite, openSite } from './local-site.ts'
import { Nodes, scanOf } from './nodes.ts'
import { type RunningService, startService, writePlans } from './start-service.ts'

const redis = await redisUrl('the portal of two nodes')
const mongo = mongoUrl('the portal of two nodes')
const EMAIL = 'ida@a.example'
const SCANS = 600

describe.skipIf(redis === null || mongo === null)('the portal of two nodes on one Redis and one MongoDB', () => {
  const settings = {
    REDIS_URL: String(redis),
    MONGODB_URL: String(mongo),
    KEY_PEPPER: 'thirty-two characters, or more of them',
    AUTH_SECRET: 'another thirty-two characters, or more of them',
    PLANS_FILE: writePlans({ large: [1_000_000, 1_000_000, 3] }),
    PORTAL: 'on',
    SIGNUP: 'open',
    SCAN_ALLOW: LOCAL_BLOCK,
    LOG_LEVEL: 'warn',
  }
  let project: BuiltProject
  let site: LocalSite
  let services: RunningService[]
  let nodes: Nodes
  let cookie = ''
  beforeAll(async () => {
    project = smallProject()
    site = await openSite()
    services = await Promise.all([startService(project, settings), startService(project, settings)])
    nodes = new Nodes({ project, settings, urls: services.map(({ url }) => url) })
  })
  afterAll(() => nodes?.close())

  const visit = async (node: number, path: string, form?: Readonly<Record<string, string>>): Promise<string> => {
    const { url } = services[node]
    const post = form && { method: 'POST', body: new URLSearchParams(form) }
    const response = await fetch(url + path, { ...post, headers: { cookie, origin: url }, redirect: 'error' })
    const [session] = response.headers.getSetCookie()
    if (session !== undefined) cookie = session.split(';', 1)[0]
    expect([path, response.status]).toEqual([path, 200])
    return await response.text()
  }
  const findSecret = (html: string): string => /spk_live_\w{38}/.exec(html)?.[0] ?? 'none'

  test('600 scans by three keys while pages are used: the days, the month and the 200s are equal', async () => {
    const form = { name: 'Ida', email: EMAIL, password: 'a long and unusual password' }
    const secrets = [findSecret(await visit(0, '/signup', form))]
    await nodes.command('accounts', 'set-plan', EMAIL, 'large')
    for (const name of ['Second', 'Third'])
      secrets.push(findSecret(await visit(1, '/account/keys', { name, revision: '' })))
    const before = await Promise.all(secrets.map((key) => nodes.untilAll('200 fine', '/api/v1/me', key)))
    expect(before).toHaveLength(3)

    let isDone = false
    const browse = async (node: number): Promise<number> => {
      for (let pages = 0; ; pages++) {
        if (isDone) return pages
        await visit(node, ['/account', '/account/keys', '/scan'][pages % 3])
      }
    }
    const browsing = [browse(0), browse(1)]
    const counts = await Promise.all(
      secrets.map((key, i) => nodes.askMany([300, 180, 120][i], scanOf(site.page(i + 1)), key)),
    )
    isDone = true
    expect(Math.min(...(await Promise.all(browsing)))).toBeGreaterThan(0)
    const answered = counts.map((outcomes) => Object.entries(outcomes).filter(([name]) => name.startsWith('200')))
    const charged = answered.map((entries) => entries.reduce((sum, [, count]) => sum + count, 0))
    expect(charged).toEqual([300, 180, 120])

    const used = await Promise.all(secrets.map((key) => readUsage(services[1].url, key)))
    expect(used).toEqual(charged.map((count) => ({ month: count, days: count })))
    const csv = await visit(1, `/account/usage.csv?month=${new Date().toISOString().slice(0, 7)}`)
    const rows = csv.trim().split(/\r?\n/).slice(1)
    expect(rows.reduce((sum, row) => sum + Number(row.split(',').at(-1)), 0)).toBe(SCANS)
  })

  test('no error was logged', async () => {
    for (const { child } of services) child.kill('SIGTERM')
    expect(await Promise.all(services.map(({ ended }) => ended))).toEqual([0, 0])
    expect(services.map(({ printed }) => printed.stderr.match(/"level":"(?:error|fatal)".*/g))).toEqual([null, null])
  })
})

async function readUsage(url: string, key: string): Promise<{ readonly month: number; readonly days: number }> {
  const response = await fetch(`${url}/api/v1/usage`, { headers: { authorization: `Bearer ${key}` } })
  const usage = (await response.json()) as { requests_used: number; days: readonly { requests: number }[] }
  return { month: usage.requests_used, days: usage.days.reduce((sum, { requests }) => sum + requests, 0) }
}
