import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { fetchText } from './fetch-text.ts'
import { type Answering, createResolver, openScene } from './scene.ts'

const NOT_HTML = 'the response is not HTML; its body was not analysed'
const SITE = 'http://pub.example.org/'

/** Scans a site without side evidence. @returns what was read, the warnings and the number of requests */
async function read(answer: Answering, changes: Partial<typeof DEFAULT_POLICY> = {}) {
  const scene = await openScene(answer)
  const policy = { ...DEFAULT_POLICY, deadlineMs: 600_000, evidenceMs: 600_000, ...changes }
  const dial = scene.dial && { dial: scene.dial }
  const { html, warnings } = await fetchText(SITE, { resolver: createResolver(), policy, evidence: [], ...dial })
  await scene.close()
  return { text: Buffer.from(html).toString(), warnings, requests: scene.requests.length }
}

const respond =
  (status: number, type: string, body: string | Uint8Array, fields: Readonly<Record<string, string>> = {}): Answering =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': type, ...fields }).end(body)

describe('the message of an error', () => {
  test.each<[name: string, answer: Answering, text: string]>([
    ['in plain text', respond(403, 'text/plain; charset=UTF-8', 'error code: 1020'), 'error code: 1020'],
    ['in JSON', respond(404, 'application/json', '{"message":"no Route"}'), '{"message":"no Route"}'],
    ['in JSON of RFC 9457', respond(500, 'application/problem+json', '{"status":500}'), '{"status":500}'],
    [
      'in XML',
      respond(403, 'application/xml', '<Error><Code>AccessDenied</Code></Error>'),
      '<Error><Code>AccessDenied',
    ],
    ['in XML as text', respond(404, 'text/xml', '<Error/>'), '<Error/>'],
    [
      'compressed',
      respond(503, 'text/plain', gzipSync('no healthy upstream'), { 'content-encoding': 'gzip' }),
      'no heal',
    ],
    ['of 8 KiB', respond(500, 'text/plain', 'x'.repeat(8192)), 'xxx'],
    ['that is empty', respond(404, 'text/plain', ''), ''],
  ])('%s is read', async (_, answer, text) => {
    expect(await read(answer)).toEqual({ text: expect.stringContaining(text), warnings: [], requests: 1 })
  })

  test.each<[name: string, answer: Answering]>([
    ['is longer than 8 KiB', respond(500, 'text/plain', 'x'.repeat(8193))],
    [
      'is longer than 8 KiB without its compression',
      respond(500, 'text/plain', gzipSync('x'.repeat(8193)), { 'content-encoding': 'gzip' }),
    ],
    ['is damaged', respond(500, 'text/plain', 'x', { 'content-encoding': 'gzip' })],
    ['has another type', respond(404, 'image/png', 'x')],
    ['has a type that only begins alike', respond(404, 'text/plainer', 'x')],
    ['has a status below 400', respond(200, 'text/plain', 'x')],
  ])('is not read if it %s', async (_, answer) => {
    expect(await read(answer)).toEqual({ text: '', warnings: [NOT_HTML], requests: 1 })
  })

  test('does not fail a scan if it does not end', async () => {
    const answer: Answering = (_, response) => void response.writeHead(403, { 'content-type': 'text/plain' }).write('x')
    expect(await read(answer, { evidenceMs: 20 })).toEqual({ text: '', warnings: [NOT_HTML], requests: 1 })
  })

  test('leads to nothing and loads nothing', async () => {
    const body = '<meta http-equiv=refresh content="0;url=/next"><script src="/assets/a.js"></script>'
    const page = await read(respond(404, 'text/plain', body))
    expect(page).toEqual({ text: body, warnings: [], requests: 1 })
  })
})
