import { afterEach, expect, test } from 'vitest'
import { parseAllowed } from '../../src/fetch/address.ts'
import { fetchSite } from '../../src/fetch/fetch.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { type Opened, openSite } from '../../tools/bench/hostile/raw-server.ts'
import { resolverOf } from './scene.ts'

const local = parseAllowed('127.0.0.1')
const policy = { ...DEFAULT_POLICY, allow: local === null ? [] : [local], deadlineMs: 3000 }
const opened: Opened[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()))
})

test.each([
  [0, 'fetched'],
  [10, 'fetched'],
  [11, 'protocol_error'],
  [10_000, 'protocol_error'],
])('%i interim responses before the page: %s', async (count, outcome) => {
  const page = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 3\r\n\r\n<p>'
  const site = await openSite({
    '/': (socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'.repeat(count) + page)
    },
  })
  opened.push(site)
  const told = await fetchSite(site.url, { resolver: resolverOf(), policy, evidence: [] }).then(
    () => 'fetched',
    ({ reason }) => reason,
  )
  expect(told).toBe(outcome)
})
