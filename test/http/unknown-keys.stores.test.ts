import { beforeAll, describe, expect, test } from 'vitest'
import { buildSecret, makeSecret } from '../../src/keys/key.ts'
import { normalizeClient } from '../../src/web/client-address.ts'
import { type AppOptions, openApp, type TestApp, type TestKey } from './app-fixture.ts'
import { findAppKind } from './app-kinds.ts'
import type { Answer } from './check-response.ts'

const kind = await findAppKind('http: unknown keys')
describe.skipIf(kind.isMissing).each([kind])('unknown keys on $name', ({ open }) => {
  let app: TestApp
  beforeAll(async () => {
    app = await openApp({ stores: await open() })
  })
  const ask = (secret: string | undefined, address: string): Promise<Answer> =>
    app.call({ url: '/api/v1/me', address, ...(secret !== undefined && { secret }) })
  const exhaust = (address: string): Promise<Answer[]> =>
    Promise.all(Array.from({ length: 20 }, () => ask(makeSecret(), address)))

  describe('of one address', () => {
    test('the 21st in a minute gets 429, and the next minute starts from zero', async () => {
      const address = '198.51.100.1'
      for (let i = 1; i <= 20; i++) {
        const { status, headers } = await ask(makeSecret(), address)
        expect([status, headers['x-ratelimit-remaining']]).toEqual([401, String(20 - i)])
      }
      const refused = await ask(makeSecret(), address)
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
      expect(refused.headers['x-ratelimit-remaining']).toBe('0')
      expect(refused.headers['retry-after']).toBe(String(60 - ((app.clock.now / 1000) % 60)))
      expect((await ask(makeSecret(), '198.51.100.2')).status, 'another address').toBe(401)
      app.clock.now += 60_000
      expect((await ask(makeSecret(), address)).status).toBe(401)
      app.clock.now -= 60_000
    })

    test('of 100 concurrent requests 20 get 401', async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => ask(makeSecret(), '198.51.100.3')))
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 401)).toHaveLength(20)
      expect(statuses.filter((status) => status === 429)).toHaveLength(80)
    })

    test('missing and malformed keys are not counted and need no lookup', async () => {
      const before = app.answered('findKey')
      const address = '198.51.100.4'
      for (const secret of [undefined, 'x', `${makeSecret()}x`, makeSecret().slice(0, -1)])
        for (let i = 0; i < 10; i++) {
          const { status, headers } = await ask(secret, address)
          expect([status, headers['x-ratelimit-remaining']]).toEqual([401, '20'])
        }
      expect(app.answered('findKey')).toBe(before)
      await exhaust(address)
      expect((await ask(undefined, address)).status, 'even if the limit is used up').toBe(401)
    })

    test('when the limit is used up, a key that has worked still passes, and one that has not does not', async () => {
      const address = '198.51.100.5'
      const [seen, unseen] = [await app.newKey(), await app.newKey()]
      expect((await ask(seen.secret, address)).status).toBe(200)
      await exhaust(address)
      const passed = await ask(seen.secret, address)
      expect([passed.status, passed.headers['x-ratelimit-limit']]).toEqual([200, '120'])
      const refused = await ask(unseen.secret, address)
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
      expect((await ask(unseen.secret, '198.51.100.6')).status, 'from elsewhere').toBe(200)
      expect((await ask(unseen.secret, address)).status, 'seen good now').toBe(200)
    })

    test('IPv6 counts by its /64, mapped IPv4 as IPv4', async () => {
      await Promise.all(Array.from({ length: 20 }, (_, i) => ask(makeSecret(), `2001:db8:0:1::${i.toString(16)}`)))
      expect((await ask(makeSecret(), '2001:db8:0:1:ffff::9')).status).toBe(429)
      expect((await ask(makeSecret(), '2001:db8:0:2::1')).status).toBe(401)
      await exhaust('198.51.100.7')
      expect((await ask(makeSecret(), '::ffff:198.51.100.7')).status).toBe(429)
    })
  })
})

describe.skipIf(kind.isMissing).each([kind])('keys that were valid once, on $name', ({ isShared, open }) => {
  let nodes: readonly [TestApp, TestApp]
  beforeAll(async () => {
    const node = await openApp({ stores: await open() })
    // With an embedded store there is only one node, used as both.
    nodes = [node, isShared ? await openApp({ stores: await open() }) : node]
  })
  const ask = async (node: TestApp, secret: string, address: string): Promise<string> => {
    const { status, headers, body } = await node.call({ url: '/api/v1/me', address, secret })
    return `${status} ${body.code ?? ''} ${headers['x-ratelimit-limit']} ${headers['x-ratelimit-remaining']}`
  }
  const rotateAway = async ({ key }: TestKey): Promise<void> => {
    const { stored } = buildSecret({ pepper: nodes[0].parts.pepper })
    const now = new Date(nodes[0].clock.now)
    await nodes[0].store.keys.rotateKey(key.id, { secret: stored, oldEndAt: now, now })
  }
  const END = [
    ['revoked', ({ key }: TestKey) => nodes[0].store.keys.revokeKey(key.id, new Date())],
    ['rotated', rotateAway],
  ] as const
  const SEEN = [
    ['on neither node', []],
    ['on the other node', [1]],
    ['on both nodes', [0, 1]],
  ] as const
  const cases = END.flatMap(([how, end], i) =>
    SEEN.map(([where, seen], j) => ({ how, end, where, seen, block: 3 * i + j })),
  )

  test.each(cases)('$how, seen good $where: the same responses as for unknown ones', async (one) => {
    const findClientAddress = (name: number): string => `203.0.${one.block}.${name}`
    const made = await nodes[0].newKey()
    for (const i of one.seen) expect(await ask(nodes[i], made.secret, findClientAddress(1))).toMatch(/^200 /)
    await one.end(made)
    // A node may cache the key for another 4 s.
    for (const node of nodes)
      await expect
        .poll(() => ask(node, made.secret, findClientAddress(2)), { timeout: 4900, interval: 100 })
        .toMatch(/^4/)
    const rounds = Array.from({ length: 24 }, (_, n) => nodes[n % 2])
    for (const node of rounds)
      expect(await ask(node, made.secret, findClientAddress(3))).toBe(
        await ask(node, makeSecret(), findClientAddress(4)),
      )
    expect(await ask(nodes[1], made.secret, findClientAddress(3)), 'at last').toBe('429 rate_limited 20 0')
  })

  test('shut out no key that the node has seen good', async () => {
    const address = '203.0.113.200'
    const [former, seen, unseen] = [await nodes[0].newKey(), await nodes[0].newKey(), await nodes[0].newKey()]
    for (const node of nodes) expect(await ask(node, seen.secret, address)).toMatch(/^200 .* 120 /)
    await nodes[0].store.keys.revokeKey(former.key.id, new Date())
    for (let n = 0; n < 20; n++) expect(await ask(nodes[n % 2], former.secret, address)).toMatch(/^401 /)
    expect(await ask(nodes[0], former.secret, address)).toMatch(/^429 /)
    for (const node of nodes) expect(await ask(node, seen.secret, address)).toMatch(/^200 .* 120 /)
    expect(await ask(nodes[0], unseen.secret, address)).toMatch(/^429 /)
    expect(await ask(nodes[0], unseen.secret, '203.0.113.201')).toMatch(/^200 /)
  })
})

describe('which address counts', () => {
  test.each([
    ['no proxy', null, '203.0.113.1', '10.0.0.1'],
    ['one proxy', 1, '203.0.113.1', '203.0.113.1'],
    ['one proxy, with a forged address before it', 1, '192.0.2.1, 203.0.113.1', '203.0.113.1'],
    ['two proxies', 2, '203.0.113.1, 10.0.0.2', '203.0.113.1'],
    ['a known block', ['10.0.0.0/8'], '203.0.113.1', '203.0.113.1'],
    ['a known block, two of it', ['10.0.0.0/8'], '192.0.2.1, 203.0.113.1, 10.9.9.9', '203.0.113.1'],
    ['another block', ['172.16.0.0/12'], '203.0.113.1', '10.0.0.1'],
    ['an address with a port', 1, '203.0.113.1:4711', '203.0.113.1'],
    ['IPv6 with a port', 1, '[2001:db8::1]:443', '2001:db8:0:0::/64'],
    ['text that is not an address', 1, 'x'.repeat(200), '10.0.0.1'],
  ] as [string, NonNullable<AppOptions['settings']>['trustProxy'], string, string][])(
    '%s',
    async (_, trustProxy, forwarded, counted) => {
      const app = await openApp({ settings: { trustProxy } })
      const headers = { 'x-forwarded-for': forwarded, authorization: `Bearer ${makeSecret()}` }
      const answer = await app.call({ url: '/api/v1/me', address: '10.0.0.1', headers })
      expect(answer.headers['x-ratelimit-remaining']).toBe('19')
      const counter = `address:${counted}`
      expect((await app.shared.countRequest({ counter, now: app.clock.now, cost: 0 })).count).toBe(1)
    },
  )

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', '?unknown'],
    ['', '?'],
  ])('%s counts as %s', (address, client) => expect(normalizeClient(address)).toBe(client))
})
