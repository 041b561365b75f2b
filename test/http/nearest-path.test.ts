import { describe, expect, test } from 'vitest'
import { buildNotFound } from '../../src/http/v1/nearest-path.ts'
import { openApp } from './app-fixture.ts'

const NOTHING = 'There is nothing at this path'
describe('the nearest path', () => {
  test.each<[url: string, revision: 1 | 2, path: string | null]>([
    ['/api/v1/scans', 2, '/api/v1/scan'],
    ['/api/v1/Scan?url=https://usage.example/me', 2, '/api/v1/scan'],
    ['/api/v1/scan/https://example.org', 2, '/api/v1/scan'],
    ['/scan', 1, '/api/v1/scan'],
    ['/v1/me', 2, '/api/v1/me'],
    ['/api/v2/catalog', 2, '/api/v1/catalogue'],
    ['/api/v1/catalog', 1, null],
    ['/api/v1/usages', 2, '/api/v1/usage'],
    ['/api/v1/usages', 1, null],
    ['/openapi.yaml', 2, '/openapi.json'],
    ['/api/v1/openapi.json', 2, '/openapi.json'],
    ['/doc', 2, '/docs'],
    ['/api/v1/nothing', 2, null],
    ['/', 2, null],
    [`/scan/${'x'.repeat(200)}`, 2, null],
  ])('of %s in revision %d', (url, revision, path) => {
    const { code, message } = buildNotFound(url, { revision, basePath: '' })
    expect({ code, message }).toEqual({
      code: 'not_found',
      message: path === null ? `${NOTHING}.` : `${NOTHING}; the nearest one is ${path}.`,
    })
  })

  test('begins with the path of the service', () => {
    expect(buildNotFound('/scans', { revision: 2, basePath: '/siteprint' }).message).toContain(
      ' /siteprint/api/v1/scan.',
    )
  })

  test('is in responses, and only with a key inside the API', async () => {
    const app = await openApp()
    const { secret } = await app.newKey()
    const sentence = `${NOTHING}; the nearest one is /api/v1/scan.`
    expect((await app.call({ url: '/api/v1/scans', secret })).body.error).toBe(sentence)
    expect((await app.call({ url: '/v1/scans' })).body.error).toBe(sentence)
    expect((await app.call({ url: '/api/v1/scans' })).status).toBe(401)
  })
})
