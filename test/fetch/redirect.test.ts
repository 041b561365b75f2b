import { describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { followLocation, followRefresh } from '../../src/fetch/redirect.ts'
import type { SiteResponse } from '../../src/fetch/session.ts'
import { parseTarget } from '../../src/fetch/target.ts'

const from = parseTarget('https://example.org/a/b?c', DEFAULT_POLICY)
const buildResponse = (status: number, ...headers: [string, string][]): SiteResponse =>
  ({ status, headers, body: undefined }) as unknown as SiteResponse

describe('Location', () => {
  test.each([
    [302, ['https://example.com/'], 'https://example.com/'],
    [302, ['d'], 'https://example.org/a/d'],
    [302, ['/d#e'], 'https://example.org/d'],
    [302, ['?x=1'], 'https://example.org/a/b?x=1'],
    [302, ['//example.com'], 'https://example.com/'],
    [301, ['http://example.com./'], 'http://example.com/'],
    [308, ['/d'], 'https://example.org/d'],
    [302, [], null],
    [200, ['/d'], null],
    [304, ['/d'], null],
    [300, ['/d'], null],
    [201, ['http://127.0.0.1/'], null],
    [303, ['http://127.0.0.1/'], 'blocked'],
    [307, ['http://example.com:22/'], 'blocked'],
    [302, ['ftp://example.com/'], 'blocked'],
    [302, ['http://a@example.com/'], 'blocked'],
    [302, ['http://'], 'blocked'],
    [302, ['/d', '/d'], 'blocked'],
    [302, [`/${'a'.repeat(2047)}`], `https://example.org/${'a'.repeat(2047)}`],
    [302, [`/${'a'.repeat(2048)}`], 'blocked'],
  ])('%i %j: %s', (status, locations, outcome) => {
    const response = buildResponse(status, ...locations.map((location): [string, string] => ['location', location]))
    const follow = (): string | undefined => followLocation(response, from, DEFAULT_POLICY)?.url.href
    if (outcome === 'blocked') expect(follow).toThrow(new ScanError('redirect_refused'))
    else expect(follow() ?? null).toBe(outcome)
  })
})

describe('Refresh', () => {
  const next = 'https://example.org/next'
  test.each([
    ['0;url=/next', next],
    ['0; URL=/next', next],
    ['0,url=/next', next],
    ['0 url=/next', next],
    ['0;/next', next],
    ['00.5 ; url = "/next" and more', next],
    ["0;url='/next'", next],
    ['0;url="/next', next],
    ['.5;url=/next', next],
    ['0', null],
    ['0;', null],
    ['0;url=', null],
    ['5;url=/next', null],
    ['05;url=/next', null],
    [';url=/next', null],
    ['url=/next', null],
    ['0x;url=/next', null],
    ['-1;url=/next', null],
    ['0;url=/a/b?c#d', 'https://example.org/a/b?c'],
    ['0;url=http://127.0.0.1/', null],
    ['0;url=http://example.org:22/', null],
    ['0;url=javascript:alert(1)', null],
  ])('%j redirects to %s, as a header and as a meta element', (content, outcome) => {
    const header = buildResponse(200, ['refresh', content])
    expect(followRefresh(header, new Uint8Array(), from, DEFAULT_POLICY)?.url.href ?? null).toBe(outcome)
    const html = Buffer.from(`<meta http-equiv=" Refresh" content="${content.replaceAll('"', '&quot;')}">`)
    expect(followRefresh(buildResponse(200), html, from, DEFAULT_POLICY)?.url.href ?? null).toBe(outcome)
  })

  test.each([
    ['<noscript><meta http-equiv=refresh content="0;url=/next"></noscript>'],
    ['<template><meta http-equiv=refresh content="0;url=/next"></template>'],
    ['<!-- <meta http-equiv=refresh content="0;url=/next"> -->'],
    ['<meta http-equiv=refresh>'],
    [`${' '.repeat(65_536)}<meta http-equiv=refresh content="0;url=/next">`],
  ])('%s does not redirect', (html) => {
    expect(followRefresh(buildResponse(200), Buffer.from(html), from, DEFAULT_POLICY)).toBeNull()
  })
})
