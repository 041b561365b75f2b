import { expect, test } from 'vitest'
import { rememberExtras } from '../../src/coordination/redis/remember-extras.ts'
import type { CacheEntry, LimitQuery } from '../../src/coordination/types.ts'

const NOW = 1_800_000_000_000
const QUERY: LimitQuery = { counter: 'k1', now: NOW, cost: 1, entry: 'a', extras: true }
const scanned = (at: number, extras = 'x'): CacheEntry => ({ at, result: `{"n":${at}}`, extras })

/** A server with one entry, and what is asked of it. */
function openServer(first: CacheEntry | null) {
  const server = { entry: first, count: 0, queries: [] as string[] }
  const countRequest = rememberExtras(async ({ cost, entry, extras = false }) => {
    server.count += cost
    server.queries.push(`${cost}${extras ? ' extras' : ''}`)
    const found = entry === undefined ? null : server.entry
    return { count: server.count, entry: found && (extras ? { ...found } : { at: found.at, result: found.result }) }
  })
  return { server, countRequest }
}

test('extras are read once, and the same entry is returned while its scan is current', async () => {
  const { server, countRequest } = openServer(scanned(1))
  const first = await countRequest(QUERY)
  const second = await countRequest(QUERY)
  expect(first).toEqual({ count: 1, entry: scanned(1) })
  expect(second.entry).toBe(first.entry)
  expect(second.count).toBe(2)
  expect(server.queries).toEqual(['1 extras', '1'])
})

test('a later scan replaces what is remembered, and the request counts once', async () => {
  const { server, countRequest } = openServer(scanned(1))
  await countRequest(QUERY)
  server.entry = scanned(2, 'y')
  expect(await countRequest(QUERY)).toEqual({ count: 2, entry: scanned(2, 'y') })
  expect((await countRequest(QUERY)).entry).toEqual(scanned(2, 'y'))
  expect(server.queries).toEqual(['1 extras', '1', '0 extras', '1'])
})

test.each<[what: string, current: CacheEntry | null, query: Partial<LimitQuery>]>([
  ['an entry that has expired or was deleted', null, {}],
  ['a request without extras', scanned(1), { extras: false }],
  ['another scan that ended in the same millisecond', { ...scanned(1), result: '{}' }, {}],
  ['a result that lasts for another time', { ...scanned(1), lifeMs: 5 }, {}],
])('%s is answered by the server', async (_, current, change) => {
  const { server, countRequest } = openServer(scanned(1))
  await countRequest(QUERY)
  server.entry = current
  const { entry } = await countRequest({ ...QUERY, ...change })
  expect(entry && { at: entry.at, result: entry.result }).toEqual(current && { at: current.at, result: current.result })
  expect(entry?.extras).toBe(current === null || change.extras === false ? undefined : 'x')
})
