import { beforeAll, describe, expect, test } from 'vitest'
import { buildSecret, makeSecret } from '../../src/keys/key.ts'
import { until } from '../support/until.ts'
import { openApp, type TestApp } from './app-fixture.ts'
import { findAppKind } from './app-kinds.ts'
import type { Answer } from './check-response.ts'

const me = { url: '/api/v1/me' }
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const plain = (secret: string) => ({ 'x-api-key': secret })
/** Changes one character, which the checksum detects. */
const typo = (secret: string): string => secret.slice(0, 20) + (secret[20] === 'a' ? 'b' : 'a') + secret.slice(21)
const HOUR_MS = 3_600_000

const kind = await findAppKind('http: keys')
describe.skipIf(kind.isMissing).each([kind])('keys on $name', ({ isShared, open }) => {
  let app: TestApp
  let secret: string
  beforeAll(async () => {
    app = await openApp({ stores: await open() })
    secret = (await app.newKey()).secret
  })
  const ask = (headers: Record<string, string>, address?: string): Promise<Answer> =>
    app.call({ ...me, headers, ...(address !== undefined && { address }) })

  describe('a key', () => {
    test.each([
      ['Bearer', () => bearer(secret), 200],
      ['bearer in lower case', () => ({ authorization: `bearer ${secret}` }), 200],
      ['X-Api-Key', () => plain(secret), 200],
      ['both headers, the same key', () => ({ ...bearer(secret), ...plain(secret) }), 200],
      ['both headers, Bearer valid', () => ({ ...bearer(secret), ...plain(makeSecret()) }), 200],
      ['both headers, Bearer unknown', () => ({ ...bearer(makeSecret()), ...plain(secret) }), 401],
      ['Basic next to a valid X-Api-Key', () => ({ authorization: 'Basic YTpi', ...plain(secret) }), 401],
      ['an empty Authorization next to a valid X-Api-Key', () => ({ authorization: '', ...plain(secret) }), 401],
      ['Bearer without a key next to a valid X-Api-Key', () => ({ authorization: 'Bearer', ...plain(secret) }), 401],
      ['two secrets in one header', () => bearer(`${secret} ${secret}`), 401],
      ['two secrets with a comma', () => bearer(`${secret}, ${secret}`), 401],
      ['no scheme', () => ({ authorization: secret }), 401],
      ['Bearer in X-Api-Key', () => plain(`Bearer ${secret}`), 401],
      ['X-Api-Key with two', () => plain(`${secret}, ${secret}`), 401],
      ['quotes', () => bearer(`"${secret}"`), 401],
      ['a typo', () => bearer(typo(secret)), 401],
      ['upper case', () => bearer(secret.toUpperCase()), 401],
      ['a cookie', () => ({ cookie: `key=${secret}` }), 401],
    ] as [string, () => Record<string, string>, number][])('%s', async (_, headers, status) => {
      const answer = await ask(headers(), '192.0.2.50')
      expect(answer.status).toBe(status)
      expect(answer.headers['x-ratelimit-limit']).toBe(status === 200 ? '120' : '20')
    })

    test.each(['key', 'api_key', 'apikey', 'access_token', 'authorization', 'x-api-key'])(
      'is never read from ?%s=',
      async (name) => {
        expect((await app.call({ url: `/api/v1/me?${name}=${secret}` })).status).toBe(401)
      },
    )

    test('every problem with a key gets the same 401', async () => {
      const revoked = await app.newKey()
      await app.store.keys.revokeKey(revoked.key.id, new Date())
      const expired = await app.newKey()
      const { stored } = buildSecret({ pepper: app.parts.pepper })
      const ended = new Date(app.clock.now)
      await app.store.keys.rotateKey(expired.key.id, { secret: stored, oldEndAt: ended, now: new Date(0) })
      const wrong = [
        {},
        bearer('x'),
        bearer(typo(secret)),
        bearer(makeSecret()),
        plain(makeSecret()),
        bearer(revoked.secret),
        bearer(expired.secret),
      ]
      // Each from its own address: every well-formed key counts, whether it was once valid or not.
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

    test('rotation: both secrets work until the old one expires, and share one count', async () => {
      const { key, secret: old } = await app.newKey()
      const { stored, secret: newer } = buildSecret({ pepper: app.parts.pepper })
      const start = app.clock.now
      const oldEndAt = new Date(start + HOUR_MS)
      await app.store.keys.rotateKey(key.id, { secret: stored, oldEndAt, now: new Date(start) })
      const statuses: unknown[] = []
      for (const afterMs of [0, HOUR_MS - 1, HOUR_MS]) {
        app.clock.now = start + afterMs
        for (const one of [old, newer]) {
          const { status, headers } = await ask(bearer(one))
          statuses.push([afterMs, status, headers['x-ratelimit-remaining']])
        }
      }
      app.clock.now = start
      expect(statuses).toEqual([
        [0, 200, '119'],
        [0, 200, '118'],
        [HOUR_MS - 1, 200, '119'],
        [HOUR_MS - 1, 200, '118'],
        [HOUR_MS, 401, '19'],
        [HOUR_MS, 200, '117'],
      ])
    })

    test('a new key works at once, even if it was rejected before its creation', async () => {
      const { stored, secret: later } = buildSecret({ pepper: app.parts.pepper })
      expect((await ask(bearer(later), '192.0.2.60')).status).toBe(401)
      const { key } = await app.newKey()
      await app.store.keys.rotateKey(key.id, { secret: stored, oldEndAt: new Date(), now: new Date(0) })
      expect((await ask(bearer(later), '192.0.2.60')).status).toBe(200)
    })

    test('a revoked key stops working as soon as no node caches it, with an embedded store at once', async () => {
      const { key, secret: mine } = await app.newKey()
      expect((await ask(bearer(mine))).status).toBe(200)
      await app.store.keys.revokeKey(key.id, new Date())
      const readStatus = async (): Promise<number> => (await ask(bearer(mine), '192.0.2.70')).status
      // test/store/mongo/key-cache.test.ts limits the time for which a key is cached.
      if (isShared) await until(readStatus, 401)
      else expect(await readStatus()).toBe(401)
    })

    test('concurrent requests with one key share a lookup in a remote store and look up each in a local one', async () => {
      const { secret: mine } = await app.newKey()
      const before = app.answered('findKey')
      await Promise.all(Array.from({ length: 50 }, () => ask(bearer(mine))))
      expect(app.answered('findKey') - before).toBe(isShared ? 1 : 50)
    })
  })
})
