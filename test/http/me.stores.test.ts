import { describe, expect, test } from 'vitest'
import { readUsed } from '../store/read-used.ts'
import { NEXT_YEAR, openApp, scanOf } from './app-fixture.ts'
import { findAppKind } from './app-kinds.ts'

const NOW = Date.UTC(NEXT_YEAR, 4, 10, 12, 0, 15, 678)
const NINE = [
  'name',
  'email',
  'plan',
  'requests_used',
  'requests_limit',
  'requests_remaining',
  'resets_on',
  'last_used_at',
  'created_at',
]

const kind = await findAppKind('http: /me')
describe.skipIf(kind.isMissing).each([kind])('/me on $name', ({ isShared, open }) => {
  test('returns the key info in a fixed order', async () => {
    const app = await openApp({ stores: await open(), now: NOW })
    const made = { name: 'A "name" ü', email: 'a+b@harbourline.example', plan: 'pro', now: new Date(NOW - 86_400_001) }
    const { secret } = await app.newKey(made)
    const { status, body } = await app.call({ url: '/api/v1/me', secret })
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(NINE)
    expect(body).toEqual({
      name: made.name,
      email: made.email,
      plan: 'pro',
      requests_used: 0,
      requests_limit: 10_000,
      requests_remaining: 10_000,
      resets_on: `${NEXT_YEAR}-06-01`,
      last_used_at: `${NEXT_YEAR}-05-10T12:00:15.678Z`,
      created_at: `${NEXT_YEAR}-05-09T12:00:15.677Z`,
    })
  })

  test('costs no quota and counts against the minute, as scans do', async () => {
    const app = await openApp({ stores: await open(), now: NOW })
    const { secret, key } = await app.newKey({ plan: 'free' })
    const left: unknown[] = []
    for (const url of ['/api/v1/me', scanOf('https://example.org'), '/api/v1/me', scanOf('https://example.org')]) {
      const { headers, body } = await app.call({ url, secret })
      left.push([headers['x-ratelimit-remaining'], body.requests_used])
    }
    expect(left).toEqual([
      ['9', 0],
      ['8', undefined],
      ['7', 1],
      ['6', undefined],
    ])
    expect(await readUsed(app.store, key.id, `${NEXT_YEAR}-05`)).toBe(2)
    for (let i = 0; i < 6; i++) await app.call({ url: '/api/v1/me', secret })
    const over = await app.call({ url: '/api/v1/me', secret })
    expect([over.status, over.body.code, over.headers['retry-after']]).toEqual([429, 'rate_limited', '45'])
  })

  test('last_used_at is of the last charged scan or /me, and of nothing else', async () => {
    const app = await openApp({ stores: await open(), now: NOW })
    const { secret, key } = await app.newKey()
    const at = async (): Promise<number | undefined> => (await app.store.usage.lastUsed(key.id))?.getTime()
    expect(await at()).toBeUndefined()
    await app.call({ url: scanOf('nothing'), secret })
    await app.call({ url: '/api/v1/me?x=1', secret })
    expect(await at(), 'rejected requests').toBeUndefined()
    await app.call({ url: scanOf('https://example.org'), secret })
    expect(await at()).toBe(NOW)
    app.clock.now += 1500
    expect((await app.call({ url: '/api/v1/me', secret })).body.last_used_at).toBe(new Date(NOW + 1500).toISOString())
    expect(await at()).toBe(NOW + 1500)
  })

  test('after a change to a smaller plan nothing remains, never less', async () => {
    const app = await openApp({ stores: await open(), now: NOW })
    const { secret, key } = await app.newKey({ plan: 'starter' })
    const charge = { counter: key.id, day: `${NEXT_YEAR}-05-17`, quota: 2000, at: new Date(NOW) }
    await Promise.all(Array.from({ length: 101 }, () => app.store.usage.charge(charge)))
    await app.store.keys.setPlan(key.id, 'free')
    // With a remote store a key is cached for 4 s; a newly started app has an empty cache.
    const second = isShared ? await openApp({ stores: await open(), now: NOW }) : app
    const { body, headers } = await second.call({ url: '/api/v1/me', secret })
    const { plan, requests_used, requests_limit, requests_remaining } = body
    expect([plan, requests_used, requests_limit, requests_remaining]).toEqual(['free', 101, 100, 0])
    expect(headers['x-ratelimit-limit']).toBe('10')
    const scan = await second.call({ url: scanOf('https://example.org'), secret })
    expect([scan.status, scan.body.code]).toEqual([429, 'quota_exceeded'])
    expect(second.scanned).toEqual([])
  })
})

test('a plan that is no longer in the file: the plan with the lowest quota applies', async () => {
  const app = await openApp({ now: NOW })
  const { secret } = await app.newKey({ plan: 'gold' })
  const { body, headers } = await app.call({ url: '/api/v1/me', secret })
  expect([body.plan, body.requests_limit, headers['x-ratelimit-limit']]).toEqual(['gold', 100, '10'])
})
