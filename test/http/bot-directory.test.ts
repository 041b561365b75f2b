import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { KEY, KEY_ID, verifyDirectory } from '../fetch/verify-signature.ts'
import { openApp } from './app-fixture.ts'

const PATH = '/.well-known/http-message-signatures-directory'
const URL_OF_BOT = `https://bot.example${PATH}`
const identity = { key: KEY, directoryOrigin: 'https://bot.example' }
const settings = { publicUrl: 'https://siteprint.example' }

test('the key is published in a signed response, at any host that a client names', async () => {
  const { fastify, clock } = await openApp({ policy: { identity }, settings })
  for (const host of ['bot.example', 'siteprint.example', '127.0.0.1:3000']) {
    const { statusCode, headers, body } = await fastify.inject({ url: PATH, headers: { host } })
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/http-message-signatures-directory+json',
      'cache-control': 'public, max-age=1800',
      'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:`,
    })
    const { x } = KEY.export({ format: 'jwk' })
    expect(JSON.parse(body)).toEqual({ keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: KEY_ID, use: 'sig' }] })
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    const verify = (url: string, afterMs = 0): Promise<string> =>
      verifyDirectory(url, sent, { now: clock.now + afterMs })
    expect(await verify(URL_OF_BOT)).toBe('valid')
    expect(await verify(URL_OF_BOT, 3_599_000)).toBe('valid')
    expect(await verify(URL_OF_BOT, 3_601_000)).toBe('PolicyViolation')
    expect(await verify(`https://other.example${PATH}`)).toBe('VerificationFailed')
  }
})

test.each([
  ['HEAD', 200],
  ['POST', 405],
  ['OPTIONS', 204],
] as const)('%s of the directory', async (method, status) => {
  const { fastify } = await openApp({ policy: { identity } })
  const { statusCode, body } = await fastify.inject({ method, url: PATH, headers: { host: 'localhost' } })
  expect([statusCode, method === 'HEAD' ? body : '']).toEqual([status, ''])
})

test.each([
  ['localhost', 404],
  ['bot.example', 421],
])('without a key, %s has no directory', async (host, status) => {
  const { fastify } = await openApp({})
  expect((await fastify.inject({ url: PATH, headers: { host } })).statusCode).toBe(status)
})
