import { beforeAll, describe, expect, test } from 'vitest'
import { PAGES } from '../../src/portal/routes/pages.ts'
import { findServers } from '../http/app-kinds.ts'
import { type Member, type MembersPortal, openPortalForMembers } from './members.ts'
import { postList } from './person.ts'

/** A page must not need more, whatever the number of accounts, keys and months. */
const MAX_QUERIES = 5

// MongoDB's profiler counts what the driver sends. The embedded store has the same methods.
const servers = await findServers('queries of pages')

describe.skipIf(servers.isMissing)('how many queries a page needs', () => {
  let portal: MembersPortal
  let admin: Member
  let ids: Readonly<Record<string, string>>
  beforeAll(async () => {
    // Nothing runs the batch, which would send queries, too.
    const batchRunner = { unavailable: null, wake: () => {} }
    portal = await openPortalForMembers({ stores: await servers.open(), parts: { batchRunner } })
    admin = await portal.joinAsAdmin()
    const [key] = await portal.store.keys.listAccountKeys(admin.account.id)
    const { location } = await admin.person.post('/scan', { url: 'https://example.org/' })
    const scan = location?.split('/').pop() ?? ''
    const list = await postList(admin.person, { urls: 'http://printer.lan/' })
    const batch = list.location?.split('/').pop() ?? ''
    ids = { '/account/keys': key.id, '/scan': scan, '/batches': batch, '/admin/accounts': admin.account.id }
    await database().setProfilingLevel('all')
  })

  function database() {
    const { authDatabase } = portal.store
    if (authDatabase.kind !== 'mongodb') throw new Error('not MongoDB')
    return authDatabase.get().db
  }

  /** Commands on collections, except those of this test, and of the switches, which are read every second. */
  async function countQueries(): Promise<number> {
    const ns = { $regex: /^[^.]+\.(?!system\.|settings$)/ }
    return await database().collection('system.profile').countDocuments({ ns })
  }

  const pages = PAGES.filter(({ method, needs }) => method === 'GET' && needs !== 'nothing').map(({ path }) => path)
  // Downloads and charts read all results.
  test.each(pages.filter((path) => !/\.(?:json|csv|ndjson)$|\/report$/.test(path)))('%s', async (path) => {
    const before = await countQueries()
    expect((await admin.person.get(path.replace(':id', ids[path.split('/:id')[0]]))).status).toBe(200)
    const count = (await countQueries()) - before
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThanOrEqual(MAX_QUERIES)
  })
})
