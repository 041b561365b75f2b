import { describe, expect, test } from 'vitest'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { fetchText } from './fetch-text.ts'
import { type Answering, createResolver, openScene, PUBLIC } from './scene.ts'

const SITE = 'http://pub.example.org/'
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'pub.example.org': [PUBLIC],
  'private.example.org': ['127.0.0.1'],
}

/** A page with an immediate refresh, and a path of the same site that redirects to a private address. */
const refreshTo =
  (to: string): Answering =>
  (url, response) => {
    if (url.endsWith('/away')) response.writeHead(302, { location: 'http://127.0.0.1/', 'content-length': 0 }).end()
    else if (url.endsWith('/next')) response.writeHead(200, { 'content-type': 'text/html' }).end('<p>next')
    else
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<meta http-equiv=refresh content="0;url=${to}"><p>first page`)
  }

describe('a refresh to', () => {
  test.each([
    ['another page is followed', 'http://pub.example.org/next', 'http://pub.example.org/next'],
    ['a name with a private address is ignored', 'http://private.example.org/', SITE],
    ['an unknown name is ignored', 'http://unknown.example.org/', SITE],
    ['a page that redirects to a private address is ignored', 'http://pub.example.org/away', SITE],
    ['a private address is ignored', 'http://127.0.0.1/', SITE],
    ['itself is ignored', SITE, SITE],
  ])('%s', async (_, to, ends) => {
    const { dial, contacts, close } = await openScene(refreshTo(to))
    const resolver = createResolver((host) => ADDRESSES[host] ?? [])
    const site = await fetchText(SITE, { resolver, policy: DEFAULT_POLICY, ...(dial && { dial }) })
    await close()
    expect({ url: site.url, html: Buffer.from(site.html).toString() }).toEqual({
      url: ends,
      html: expect.stringContaining(ends === SITE ? 'first page' : 'next'),
    })
    expect(contacts.filter((contact) => !contact.startsWith(PUBLIC))).toEqual([])
  })
})
