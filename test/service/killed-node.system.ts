import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, smallProject } from '../support/built-project.ts'
import { mongoUrl, redisUrl } from '../support/services.ts'
import { until } from '../support/until.ts'
import { LOCAL_BLOCK, type LocalSite, openSite } from './local-site.ts'
import { Nodes, scanOf } from './nodes.ts'
import { type RunningService, startService, writePlans } from './start-service.ts'

const redis = await redisUrl('a killed node')
const mongo = mongoUrl('a killed node')

describe.skipIf(redis === null || mongo === null)('two nodes, one killed during a scan', () => {
  let project: BuiltProject
  let site: LocalSite
  let services: RunningService[]
  let nodes: Nodes
  const settings = {
    REDIS_URL: String(redis),
    MONGODB_URL: String(mongo),
    KEY_PEPPER: 'thirty-two characters, or more of them',
    PLANS_FILE: writePlans({}),
    SCAN_ALLOW: LOCAL_BLOCK,
    LOG_LEVEL: 'warn',
  }
  beforeAll(async () => {
    project = smallProject()
    site = await openSite()
    services = await Promise.all([startService(project, settings), startService(project, settings)])
    nodes = new Nodes({ project, settings, urls: services.map(({ url }) => url) })
  })
  afterAll(() => nodes?.close())

  test('the other node scans for its own waiting clients; each response is charged', async () => {
    const { key, id } = await nodes.makeKey('free')
    const path = scanOf(site.page(1, '/slow'))
    const lost = nodes.ask(0, path, key).catch(() => 'broken')
    await until(() => site.visits.get('127.1.0.1 /slow'), 1)
    const asked = [nodes.ask(1, path, key), nodes.ask(1, path, key)]
    services[0].child.kill('SIGKILL')
    expect(await Promise.all(asked)).toEqual(Array(2).fill('200 cached false'))
    expect([await lost, site.visits.get('127.1.0.1 /slow'), await nodes.usedOf(id)]).toEqual(['broken', 2, 2])
  })
})
