import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { damageJson, listDamaged } from '../support/arbitrary-json.ts'
import { openApp, type TestApp } from './app-fixture.ts'

const BODY = { url: 'https://example.com/', include: ['versions', 'timing'], fresh: true }

let app: TestApp
let secret: string
beforeAll(async () => {
  const plans = new Map([['free', { name: 'free', perMinute: 1_000_000, perMonth: 1_000_000, keys: 1 }]])
  app = await openApp({ settings: { plans } })
  secret = (await app.newKey({ plan: 'free' })).secret
})

/** Sends a body. The response must have a documented form, and must not be an unexpected error. */
async function post(body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const { status, text } = await app.call({ method: 'POST', url: '/api/v1/scan', body, headers, secret })
  if (status !== 200 && status !== 400) expect.fail(`${body}: ${status} ${text}`)
  return status
}

test('a body with one value of another type is scanned or rejected', async () => {
  expect(await post(JSON.stringify(BODY))).toBe(200)
  const statuses: number[] = []
  for (const body of listDamaged(BODY)) statuses.push(await post(body))
  expect(new Set(statuses)).toEqual(new Set([200, 400]))
})

test('a body with several changes is scanned or rejected', { tags: ['property'] }, async () => {
  await fc.assert(fc.asyncProperty(damageJson(BODY), async (body) => void (await post(body))))
})
