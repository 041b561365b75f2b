import { describe, expect, test } from 'vitest'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { fetchText } from './fetch-text.ts'
import { type Answering, openScene, PUBLIC, resolverOf } from './scene.ts'

const SITE = 'http://pub.example.org/'
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'pub.example.org': [PUBLIC],
  'private.example.org': ['127.0.0.1'],
}

/** A page that sends its readers on at once, and a path of the same site that redirects inside. */
const refreshTo =
  (to: string): Answering =>
  (url, response) => {
    if (url.endsWith('/away')) response.writeHead(302, { location: 'http://127.0.0.1/', 'content-length': 0 }).end()
    else if (url.endsWith('/next')) response.writeHead(200, { 'content-type': 'text/html' }).end('<p>next')
    else
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<meta http-equiv=refresh content="0;url=${to}"><p>in hand`)
  }

describe('a refresh to', () => {
  test.each([
    ['another page is followed', 'http://pub.example.org/next', 'http://pub.example.org/next'],
    ['a name that is private leaves the page in hand', 'http://private.example.org/', SITE],
    ['a name that nobody knows leaves the page in hand', 'http://unknown.example.org/', SITE],
    ['a page that redirects inside leaves the page in hand', 'http://pub.example.org/away', SITE],
    ['an address inside leaves the page in hand', 'http://127.0.0.1/', SITE],
    ['itself leaves the page in hand', SITE, SITE],
  ])('%s', async (_, to, ends) => {
    const { dial, contacts, close } = await openScene(refreshTo(to))
    const resolver = resolverOf((host) => ADDRESSES[host] ?? [])
    const site = await fetchText(SITE, { resolver, policy: DEFAULT_POLICY, ...(dial && { dial }) })
    await close()
    expect({ url: site.url, html: Buffer.from(site.html).toString() }).toEqual({
      url: ends,
      html: expect.stringContaining(ends === SITE ? 'in hand' : 'next'),
    })
    expect(contacts.filter((contact) => !contact.startsWith(PUBLIC))).toEqual([])
  })
})
