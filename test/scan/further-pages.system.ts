import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_POLICY, type Policy } from '../../src/fetch/policy.ts'
import type { LiveScan } from '../../src/scan/scanner.ts'
import { Scanner } from '../../src/scan/scanner.ts'
import { builtWorker } from '../detector/built-worker.ts'
import { createResolver, openScene, PUBLIC, type Scene } from '../fetch/scene.ts'

/** Far above what any of these scans takes, as is the time limit of a page: no test is about them. */
const policy: Policy = {
  ...DEFAULT_POLICY,
  ...{ deadlineMs: 120_000, evidenceMs: 120_000, evidenceAfterBodyMs: 120_000, bodiesAfterPageMs: 120_000 },
  userAgent: 'Siteprint/0',
}
const FRONT = 'https://example.org/'
const WORDPRESS = '<meta name="generator" content="WordPress 6.5">'
const SYSTEMS = {
  'shop.example.org': '<meta name="generator" content="PrestaShop"><script>var prestashop = {}</script>',
  'blog.example.org': '<meta name="generator" content="Ghost 5.2">',
  'help.example.org': '<meta name="generator" content="MediaWiki 1.42.1">',
}

/** What a path of a site responds with: a page, a redirect to an address, or a status. */
type Responses = Readonly<Record<string, string | number | { readonly to: string }>>

let scene: Scene
let responses: Responses
let scanner: Scanner
beforeAll(async () => {
  scene = await openScene((url, response) => respond(url, response))
  const resolver = createResolver((host) => (host.startsWith('inside.') ? ['10.0.0.7'] : [PUBLIC]))
  scanner = new Scanner({
    policy,
    worker: builtWorker(),
    matchMs: 60_000,
    resolver,
    ...(scene.dial && { dial: scene.dial }),
  })
})
afterEach(() => {
  ;(scene.requests as string[]).length = 0
})
afterAll(async () => {
  await scanner.close()
  await scene.close()
})

function respond(url: string, response: ServerResponse): void {
  const found = responses[url]
  const isText = url.endsWith('/robots.txt')
  response.setHeader('connection', 'close')
  if (found === undefined) response.writeHead(404).end()
  else if (typeof found === 'number') response.writeHead(found).end()
  else if (typeof found === 'object') response.writeHead(302, { location: found.to }).end()
  else response.writeHead(200, { 'content-type': isText ? 'text/plain' : 'text/html' }).end(found)
}

const link = (href: string): string => `<a href="${href}">x</a>`
const page = (head: string, ...hrefs: readonly string[]): string =>
  `<!doctype html><title>Harbour Line</title>${head}<p>Boats for hire</p>${hrefs.map(link).join('')}`

async function scan(pages: number, more: Responses): Promise<LiveScan> {
  responses = more
  return await scanner.scan(FRONT, { pages })
}
const listBuilders = ({ parts = [] }: LiveScan): unknown[] => parts.map(({ url, builderSlug }) => [url, builderSlug])
const listRequests = (): string[] => scene.requests.filter((url) => !/favicon/.test(url))

const site = (...hrefs: readonly string[]): Responses => ({
  [FRONT]: page(WORDPRESS, ...hrefs),
  ...Object.fromEntries(Object.entries(SYSTEMS).map(([host, head]) => [`https://${host}/`, page(head)])),
})
const THREE = Object.keys(SYSTEMS).map((host) => `//${host}/`)

describe('several systems', () => {
  test('each is a part, and the technologies are united', async () => {
    const found = await scan(4, site('/team', ...THREE))
    expect(listBuilders(found)).toEqual([
      [FRONT, 'wordpress'],
      ['https://shop.example.org/', 'prestashop'],
      ['https://blog.example.org/', 'ghost'],
      ['https://help.example.org/', 'mediawiki'],
    ])
    const { verdict, details } = found
    expect(verdict.builderSlug).toBe('wordpress')
    expect(verdict.technologies).toEqual(
      expect.arrayContaining(['WordPress', 'Ghost', 'MediaWiki', 'PrestaShop', 'PHP']),
    )
    expect(details.map(({ name }) => name)).toEqual(verdict.technologies)
    expect(verdict.versions).toMatchObject({ WordPress: '6.5', MediaWiki: '1.42.1' })
    expect(verdict.warnings.join()).not.toContain('read')
  })

  test('one page requests nothing else and has no parts', async () => {
    const found = await scan(1, site(...THREE))
    expect(found.parts).toBeUndefined()
    expect(listRequests()).toEqual([FRONT, `${FRONT}robots.txt`])
  })
})

const REFUSED = 'was not read: The robots.txt of its host does not permit reading it, or could not be read.'
const shop = 'https://shop.example.org'

describe('what is not read', () => {
  test.each<[name: string, hrefs: string[], more: Responses, read: string[], warning: string]>([
    [
      'what robots.txt forbids',
      ['//shop.example.org/'],
      { [`${shop}/robots.txt`]: 'User-agent: *\nDisallow: /' },
      [],
      `${shop}/ ${REFUSED}`,
    ],
    [
      'a host whose robots.txt fails',
      ['//shop.example.org/'],
      { [`${shop}/robots.txt`]: 503 },
      [],
      `${shop}/ ${REFUSED}`,
    ],
    [
      'what the robots.txt of the first page forbids',
      ['/shop'],
      { [`${FRONT}robots.txt`]: 'User-agent: siteprint\nDisallow: /shop', [`${FRONT}shop`]: page('') },
      [],
      `${FRONT}shop ${REFUSED}`,
    ],
    [
      'a page that redirects to another site',
      ['/careers'],
      { [`${FRONT}careers`]: { to: 'https://example.net/' } },
      [],
      `${FRONT}careers was not read: The page redirects to another site.`,
    ],
    [
      'a redirect to what robots.txt forbids',
      ['/shop'],
      {
        [`${FRONT}shop`]: { to: '/deep/' },
        [`${FRONT}robots.txt`]: 'User-agent: *\nDisallow: /deep',
        [`${FRONT}deep/`]: page(''),
      },
      [],
      `${FRONT}shop ${REFUSED}`,
    ],
    [
      'an inside address',
      ['//inside.example.org/'],
      {},
      [],
      'https://inside.example.org/ was not read: The site was not found. Check the address.',
    ],
    [
      'a redirect inward',
      ['/shop'],
      { [`${FRONT}shop`]: { to: 'http://127.0.0.1/' } },
      [],
      `${FRONT}shop was not read: The site was not found. Check the address.`,
    ],
    [
      'errors, of which the next link takes the place',
      ['/shop', '/team'],
      { [`${FRONT}shop`]: 500, [`${FRONT}team`]: page('') },
      [`${FRONT}team`],
      `${FRONT}shop was not read: it was answered with status 500.`,
    ],
    [
      'a page twice',
      ['/shop', '/blog'],
      { [`${FRONT}shop`]: { to: '/' }, [`${FRONT}blog`]: page('') },
      [`${FRONT}blog`],
      '',
    ],
  ])('%s', async (_, hrefs, more, read, warning) => {
    const found = await scan(2, { ...site(...hrefs), ...more })
    expect(found.parts?.map(({ url }) => url)).toEqual([FRONT, ...read])
    const { warnings } = found.verdict
    if (warning !== '') expect(warnings).toContain(warning)
    expect(warnings.includes('1 of 2 pages were read')).toBe(read.length === 0)
    const beyond = scene.contacts.filter((contact) => !contact.startsWith(PUBLIC))
    expect(beyond).toEqual([])
  })

  test('robots.txt comes before a page of another host, and once', async () => {
    await scan(2, site('//shop.example.org/'))
    expect(listRequests().filter((url) => url.startsWith(shop))).toEqual([`${shop}/robots.txt`, `${shop}/`])
  })

  test('10,000 links to pages that fail are not tried one after another', async () => {
    const found = await scan(5, site(...Array.from({ length: 10_000 }, (_, i) => `/f${i}/`)))
    expect(found.parts).toHaveLength(1)
    expect(listRequests().filter((url) => url.includes('/f'))).toHaveLength(8)
  })
})
