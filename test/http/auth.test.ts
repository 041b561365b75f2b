import { beforeAll, describe, expect, test } from 'vitest'
import { buildSecret, makeSecret } from '../../src/keys/key.ts'
import { openHost, type TestHost } from './app-fixture.ts'
import { hostKinds } from './app-kinds.ts'
import type { Answer } from './check-response.ts'

const me = { url: '/api/v1/me' }
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const plain = (secret: string) => ({ 'x-api-key': secret })
/** One character is another: the checksum shows it. */
const typo = (secret: string): string => secret.slice(0, 20) + (secret[20] === 'a' ? 'b' : 'a') + secret.slice(21)
const HOUR_MS = 3_600_000

describe.each(hostKinds('host: keys'))('keys on $name', ({ isMissing, isShared, open }) => {
  let host: TestHost
  let secret: string
  beforeAll(async () => {
    if (isMissing) return
    host = await openHost({ stores: await open() })
    secret = (await host.newKey()).secret
  })
  const ask = (headers: Record<string, string>, address?: string): Promise<Answer> =>
    host.call({ ...me, headers, ...(address !== undefined && { address }) })

  describe.skipIf(isMissing)('a key', () => {
    test.each([
      ['Bearer', () => bearer(secret), 200],
      ['bearer in small letters', () => ({ authorization: `bearer ${secret}` }), 200],
      ['X-Api-Key', () => plain(secret), 200],
      ['both, the same', () => ({ ...bearer(secret), ...plain(secret) }), 200],
      ['both, Bearer good', () => ({ ...bearer(secret), ...plain(makeSecret()) }), 200],
      ['both, Bearer unknown', () => ({ ...bearer(makeSecret()), ...plain(secret) }), 401],
      ['Basic beside a good X-Api-Key', () => ({ authorization: 'Basic YTpi', ...plain(secret) }), 401],
      ['an empty Authorization beside a good X-Api-Key', () => ({ authorization: '', ...plain(secret) }), 401],
      ['Bearer alone beside a good X-Api-Key', () => ({ authorization: 'Bearer', ...plain(secret) }), 401],
      ['two secrets in one header', () => bearer(`${secret} ${secret}`), 401],
      ['two secrets with a comma', () => bearer(`${secret}, ${secret}`), 401],
      ['no scheme', () => ({ authorization: secret }), 401],
      ['Bearer in X-Api-Key', () => plain(`Bearer ${secret}`), 401],
      ['X-Api-Key with two', () => plain(`${secret}, ${secret}`), 401],
      ['quotes', () => bearer(`"${secret}"`), 401],
      ['a typo', () => bearer(typo(secret)), 401],
      ['other capitals', () => bearer(secret.toUpperCase()), 401],
      ['a cookie', () => ({ cookie: `key=${secret}` }), 401],
    ] as [string, () => Record<string, string>, number][])('%s', async (_, headers, status) => {
      const answer = await ask(headers(), '192.0.2.50')
      expect(answer.status).toBe(status)
      expect(answer.headers['x-ratelimit-limit']).toBe(status === 200 ? '120' : '20')
    })

    test.each(['key', 'api_key', 'apikey', 'access_token', 'authorization', 'x-api-key'])(
      'never from ?%s=',
      async (name) => {
        expect((await host.call({ url: `/api/v1/me?${name}=${secret}` })).status).toBe(401)
      },
    )

    test('one and the same 401, whatever is wrong', async () => {
      const revoked = await host.newKey()
      await host.store.keys.revokeKey(revoked.key.id, new Date())
      const expired = await host.newKey()
      const { kept } = buildSecret({ pepper: host.parts.pepper })
      const ended = new Date(host.clock.now)
      await host.store.keys.rotateKey(expired.key.id, { secret: kept, oldEndAt: ended, now: new Date(0) })
      const wrong = [
        {},
        bearer('x'),
        bearer(typo(secret)),
        bearer(makeSecret()),
        plain(makeSecret()),
        bearer(revoked.secret),
        bearer(expired.secret),
      ]
      // From an address each: what looks like a key counts, whether it was valid once or never.
      const answers = await Promise.all(wrong.map((headers, i) => ask(headers, `192.0.2.${i}`)))
      const texts = answers.map(({ text, body }) => text.replace(body.requestId, ''))
      expect(new Set(texts).size).toBe(1)
      expect(answers.map(({ status }) => status)).toEqual(wrong.map(() => 401))
      const names = (answer: Answer): string[] => Object.keys(answer.headers)
      expect(new Set(answers.map((answer) => names(answer).join())).size).toBe(1)
      expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual([
        '20',
        '20',
        '20',
        '19',
        '19',
        '19',
        '19',
      ])
    })

    test('rotation: both secrets until the old one ends, on one count', async () => {
      const { key, secret: old } = await host.newKey()
      const { kept, secret: newer } = buildSecret({ pepper: host.parts.pepper })
      const start = host.clock.now
      const oldEndAt = new Date(start + HOUR_MS)
      await host.store.keys.rotateKey(key.id, { secret: kept, oldEndAt, now: new Date(start) })
      const statuses: unknown[] = []
      for (const afterMs of [0, HOUR_MS - 1, HOUR_MS]) {
        host.clock.now = start + afterMs
        for (const one of [old, newer]) {
          const { status, headers } = await ask(bearer(one))
          statuses.push([afterMs, status, headers['x-ratelimit-remaining']])
        }
      }
      host.clock.now = start
      expect(statuses).toEqual([
        [0, 200, '119'],
        [0, 200, '118'],
        [HOUR_MS - 1, 200, '119'],
        [HOUR_MS - 1, 200, '118'],
        [HOUR_MS, 401, '19'],
        [HOUR_MS, 200, '117'],
      ])
    })

    test('a key that is made now is good at once, though it was asked for before', async () => {
      const { kept, secret: later } = buildSecret({ pepper: host.parts.pepper })
      expect((await ask(bearer(later), '192.0.2.60')).status).toBe(401)
      const { key } = await host.newKey()
      await host.store.keys.rotateKey(key.id, { secret: kept, oldEndAt: new Date(), now: new Date(0) })
      expect((await ask(bearer(later), '192.0.2.60')).status).toBe(200)
    })

    test('a revoked key ends within 5 s, on an embedded store at once', async () => {
      const { key, secret: mine } = await host.newKey()
      expect((await ask(bearer(mine))).status).toBe(200)
      await host.store.keys.revokeKey(key.id, new Date())
      const start = performance.now()
      const waitMs = isShared ? 4900 : 0
      let status = (await ask(bearer(mine), '192.0.2.70')).status
      while (status === 200 && performance.now() - start < waitMs) {
        await new Promise((resolve) => setTimeout(resolve, 200))
        status = (await ask(bearer(mine), '192.0.2.70')).status
      }
      expect(status).toBe(401)
    })

    test('many at once with one key ask once where the store is far, each time where it is near', async () => {
      const { secret: mine } = await host.newKey()
      const before = host.answered('findKey')
      await Promise.all(Array.from({ length: 50 }, () => ask(bearer(mine))))
      expect(host.answered('findKey') - before).toBe(isShared ? 1 : 50)
    })
  })
})
