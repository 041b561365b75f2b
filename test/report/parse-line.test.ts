import { describe, expect, test } from 'vitest'
import { LineError, LineParser } from '../../src/report/parse-line.ts'
import { SITE as SAMPLE } from './sample-site.ts'

const parser = new LineParser(new Set(['lovable']))
const parse = (line: unknown) => parser.parse(typeof line === 'string' ? line : JSON.stringify(line))

const RESULT = {
  url: 'https://a.example/final',
  builder: 'WordPress',
  builderSlug: 'wordpress',
  confidence: 'high',
  category: 'cms',
  isAiNative: false,
  technologies: ['PHP', 'WordPress', 'PHP'],
  hosting: 'Netlify',
  siteType: 'blog',
  cached: false,
}
const SITE = { ...SAMPLE, link: 'https://a.example/final' }
const NO_ADDRESS = { state: null, network: null, reverseDns: null, tlsError: null }
const NOTHING = {
  ...NO_ADDRESS,
  builder: null,
  isAiNative: null,
  confidence: null,
  hosting: null,
  siteType: null,
  technologies: [],
}
const withoutBuilder = { ...RESULT, builder: null, builderSlug: null, confidence: null, isAiNative: false }

describe('a line', () => {
  test.each<[name: string, line: unknown, entry: string | null, site: object]>([
    ['of a live scan', { url: 'a.example', result: RESULT }, 'a.example', SITE],
    ['of a saved page', { id: 'page 1', result: RESULT }, 'page 1', { ...SITE, name: 'page 1' }],
    [
      'of a page without a URL',
      { id: 'page 1', result: { ...RESULT, url: null } },
      'page 1',
      { ...SITE, name: 'page 1', link: null },
    ],
    ['that is a result alone', RESULT, RESULT.url, { ...SITE, name: RESULT.url }],
    [
      'with versions',
      { url: 'a.example', result: { ...RESULT, versions: { PHP: '8.3', x: null } } },
      'a.example',
      { ...SITE, versions: new Map([['PHP', '8.3']]) },
    ],
    [
      'with the network of its address',
      {
        url: 'a.example',
        result: {
          ...RESULT,
          infrastructure: {
            network: { asn: 64496, name: 'Harbour Networks' },
            reverseDns: 'a.harbour.example',
            tlsError: 'expired',
          },
        },
      },
      'a.example',
      { ...SITE, network: 'Harbour Networks (AS64496)', reverseDns: 'a.harbour.example', tlsError: 'expired' },
    ],
    [
      'with a network without its number',
      { url: 'a.example', result: { ...RESULT, infrastructure: { network: { name: 'Harbour' }, reverseDns: 7 } } },
      'a.example',
      { ...SITE, network: 'Harbour' },
    ],
    [
      'with versions whose support has ended',
      {
        url: 'a.example',
        result: {
          ...RESULT,
          details: [
            { name: 'jQuery', support: { state: 'ended', certain: true } },
            { name: 'PHP', support: { state: 'ended', certain: false } },
            { name: 'nginx', support: { state: 'supported', certain: true } },
            { name: 'Nuxt', support: null },
            { name: 'jQuery', support: { state: 'ended' } },
            { name: 7, support: { state: 'ended' } },
            null,
          ],
        },
      },
      'a.example',
      { ...SITE, ended: ['jQuery'] },
    ],
    [
      'without a builder',
      { url: 'a.example', result: withoutBuilder },
      'a.example',
      { ...SITE, builder: null, isAiNative: null, confidence: null },
    ],
    ['of revision 1', { url: 'a.example', result: { ...RESULT, isAiNative: undefined } }, 'a.example', SITE],
    [
      'of revision 1 with an AI-native builder',
      { url: 'a.example', result: { ...RESULT, isAiNative: undefined, builder: 'Lovable', builderSlug: 'lovable' } },
      'a.example',
      { ...SITE, builder: 'Lovable', isAiNative: true },
    ],
    [
      'with fields that are added later',
      { url: 'a.example', date: 'x', result: { ...RESULT, cdn: { name: 'x' } } },
      'a.example',
      SITE,
    ],
    [
      'of a site that failed',
      { url: 'https://b.example/', error: 'It timed out.', code: 'scan_timeout' },
      'https://b.example/',
      {
        ...NOTHING,
        name: 'https://b.example/',
        link: 'https://b.example/',
        failure: { code: 'scan_timeout', sentence: 'It timed out.' },
      },
    ],
    [
      'of a page without an id that failed',
      { line: 7, error: 'No.', code: 'invalid_request' },
      null,
      { ...NOTHING, name: 'line 7', link: null, failure: { code: 'invalid_request', sentence: 'No.' } },
    ],
    [
      'with values of wrong types',
      {
        url: 'a.example',
        result: { builder: 7, confidence: 'sure', technologies: { length: 2 }, versions: ['x'], url: 'javascript:x' },
      },
      'a.example',
      { ...NOTHING, name: 'a.example', link: null, failure: null },
    ],
  ])('%s', (_, line, entry, site) => {
    const parsed = parse(line)
    expect(parsed.entry).toBe(entry)
    expect(parsed.site).toEqual({ versions: new Map(), ended: [], parts: [], ...site })
  })

  test.each([
    ['{"url": "https://a.exam', 'the line is not valid JSON'],
    ['NaN', 'the line is not valid JSON'],
    ['[]', 'the line is not a JSON object'],
    ['{}', 'the line has neither a result nor an error'],
    ['{"id": "a", "html": "<p>"}', 'the line has neither a result nor an error'],
  ])('that is not a result: %s', (line, message) => {
    expect(() => parse(line)).toThrow(new LineError(message))
  })

  test('has the time and rules of include=meta, if they are such', () => {
    const meta = { scannedAt: '2026-11-20T09:00:00.000Z', ruleset: 'cc35' }
    expect(parse({ url: 'a', result: { ...RESULT, meta } })).toMatchObject(meta)
    expect(parse({ url: 'a', error: 'No.', code: 'scan_failed', meta })).toMatchObject(meta)
    const wrong = { scannedAt: 'yesterday', ruleset: 7 }
    expect(parse({ url: 'a', result: { ...RESULT, meta: wrong } })).toMatchObject({ scannedAt: null, ruleset: null })
  })
})

test('texts are cut, in one line and without controls', () => {
  const long = 'é'.repeat(1_000_000)
  const { site } = parse({
    url: `https://a.example/\n\u001b[31m${long}`,
    result: { ...RESULT, builder: `\u202e${long}` },
  })
  expect(site.name).toMatch(/^https:\/\/a\.example\/ \ufffd\[31mé+…$/)
  expect([site.name.length, site.builder?.length]).toEqual([300, 100])
  const infrastructure = { network: { asn: 64496, name: `\u001b${long}` }, reverseDns: `\u202e\n${long}` }
  const { network, reverseDns } = parse({ ...RESULT, infrastructure }).site
  expect([network, reverseDns].map((text) => [text?.length, /[\p{Cc}\u202e]/u.test(text ?? '')])).toEqual([
    [100, false],
    [100, false],
  ])
})
