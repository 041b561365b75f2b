import { describe, expect, test } from 'vitest'
import { NEXT_YEAR, openApp, scanOf } from './app-fixture.ts'
import { findAppKind } from './app-kinds.ts'

const NOW = Date.UTC(NEXT_YEAR, 4, 10, 12, 0, 15)

const kind = await findAppKind('http: limits of keys')
describe.skipIf(kind.isMissing).each([kind])('on $name', ({ open }) => {
  test('limits of a key replace those of its plan, also in revision 1', async () => {
    const app = await openApp({ stores: await open(), now: NOW })
    for (const revision of [1, 2] as const) {
      const { key, secret } = await app.newKey({ plan: 'free', revision })
      await app.store.keys.changeKey(key.id, { perMinute: 3, perMonth: 1 })
      const statuses = []
      for (const url of ['/api/v1/me', scanOf('https://example.org'), scanOf('https://example.org'), '/api/v1/me']) {
        const { status, headers, body } = await app.call({ url, secret })
        if (body.code === 'quota_exceeded') expect(body.error).toMatch(/^The monthly quota of the key is used up\./)
        statuses.push([status, headers['x-ratelimit-limit'], body.code ?? body.requests_limit])
      }
      expect(statuses).toEqual([
        [200, '3', 1],
        [200, '3', undefined],
        [429, '3', 'quota_exceeded'],
        [429, '3', 'rate_limited'],
      ])
    }
  })

  test('a key is rejected from its expiry on, like an unknown one', async () => {
    const app = await openApp({ stores: await open(), now: NOW })
    const valid = await app.newKey({ expiresAt: new Date(NOW + 1) })
    const expired = await app.newKey({ expiresAt: new Date(NOW) })
    expect((await app.call({ url: '/api/v1/me', secret: valid.secret })).status).toBe(200)
    const { status, body } = await app.call({ url: '/api/v1/me', secret: expired.secret })
    expect([status, body.code]).toEqual([401, 'unauthorized'])
  })
})
