import { once } from 'node:events'
import { decodeHTML } from 'entities'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { SCAN_CAUSES, type ScanCause, ScanError } from '../../src/errors.ts'
import { StoreError } from '../../src/store/types.ts'
import { newSite, onePlan, scanOf } from '../http/app-fixture.ts'
import { openEmbedded, overrideStore } from '../http/app-kinds.ts'
import { pauseScans } from '../http/paused-scan.ts'
import { untilEnded } from '../http/raw-client.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { until } from '../support/until.ts'
import { openPortal, type PortalOptions, type TestPortal } from './portal-fixture.ts'
import { openVisitor, readForm, readText, type Visitor } from './scan-form.ts'

const EXTRAS = 'evidence,versions,infrastructure,timing,warnings,meta,page,details,packages'
/** In the middle of a month and of a minute. */
const NOON = Date.UTC(new Date().getUTCFullYear() + 1, 4, 10, 12, 0, 15)

let portal: TestPortal
let me: Visitor
beforeAll(async () => {
  portal = await openPortal({ settings: onePlan(1000, 1000) })
  me = await openVisitor(portal)
})

afterEach(() => {
  vi.useRealTimers()
})

async function openWith(options: PortalOptions): Promise<{ portal: TestPortal; me: Visitor }> {
  const own = await openPortal({ settings: onePlan(1000, 1000), ...options })
  return { portal: own, me: await openVisitor(own) }
}

describe('the form', () => {
  test.each([
    ['empty', '/scan', { url: '', fresh: false }],
    ['with a URL', `/scan?url=${encodeURIComponent('https://a.example/?a="b"')}`, { url: 'https://a.example/?a="b"' }],
    ['to scan again', '/scan?url=a.example&fresh=on', { url: 'a.example', fresh: true }],
  ])('%s', async (_, path, expected) => {
    const before = await me.countCharges()
    const { status, html } = await me.open(path)
    expect(status).toBe(200)
    expect(readForm(html)).toMatchObject({ ...expected, key: null, urlError: null, summary: null })
    expect(readText(html)).toMatch(/waits for the result.*at most 18\b.*one API request with the key Default key/)
    expect(await me.countCharges(), 'opening the form costs nothing').toBe(before)
  })

  test.each(['/scan', '/scan?url=a.example', '/scan/anything'])(
    'without a session %s leads to log-in',
    async (path) => {
      const { status, headers } = await portal.openBrowser().send({ path })
      expect([status, headers.location]).toEqual([303, `/login?next=${encodeURIComponent(path)}`])
    },
  )

  test('a form without a session is not scanned', async () => {
    const before = portal.scanned.length
    const { status, headers } = await portal.openBrowser().send({ path: '/scan', form: { url: newSite() } })
    expect([status, headers.location, portal.scanned.length]).toEqual([303, '/login?ended', before])
  })

  test('an API key does not replace a session', async () => {
    const headers = { authorization: `Bearer ${me.secret}` }
    expect((await portal.openBrowser().send({ path: '/scan', headers })).status).toBe(303)
  })
})

describe('a scan', () => {
  test.each([
    ['a URL', 'https://one.example.org/a', 'https://one.example.org/a'],
    ['a URL without a scheme', ' two.example.org/b?c=d ', 'https://two.example.org/b?c=d'],
    ['a URL that begins with slashes', '//three.example.org', 'https://three.example.org/'],
  ])('%s: charged, stored and shown', async (_, url, scanned) => {
    const before = await me.countCharges()
    const answer = await me.submit({ url })
    expect(answer.status).toBe(303)
    expect(answer.headers.location).toMatch(/^\/scan\/[\w-]{21}$/)
    expect(portal.scanned.at(-1)).toBe(scanned)
    expect(await me.countCharges()).toBe(before + 1)
    const { status, headers, html } = await me.open(String(answer.headers.location))
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(html).toContain('<h1>Made with Webflow</h1>')
    expect((await me.listScans())[0]).toMatchObject({ builder: 'Webflow', at: new Date(portal.clock.now) })
    expect((await me.open('/scan')).html).toContain(String(answer.headers.location))
  })

  test('shares cache, rate limit and quota with the API', async () => {
    const own = await openVisitor(portal)
    const site = newSite()
    const call = (more = '') => portal.call({ url: scanOf(site, more), secret: own.secret })
    await call()
    const scans = portal.scanned.length
    const { headers } = await own.submit({ url: site })
    expect(readText((await own.open(String(headers.location))).html)).toContain('Made with Webflow')
    expect(portal.scanned, 'from the cache').toHaveLength(scans)
    await own.submit({ url: site, fresh: 'on' })
    expect(portal.scanned, 'scanned again').toHaveLength(scans + 1)
    const last = await call()
    expect([last.body.cached, last.headers['x-ratelimit-remaining']]).toEqual([true, '996'])
    expect((await portal.call({ url: '/api/v1/me', secret: own.secret })).body.requests_used).toBe(4)
  })

  test('the log has key and route, and no URL', async () => {
    const [{ id }] = await portal.store.keys.listAccountKeys(me.account.id)
    const [line] = portal
      .log()
      .split('\n')
      .filter((one) => one.includes('"status":303') && one.includes(id))
    expect(JSON.parse(line)).toMatchObject({ route: '/scan', method: 'POST', key: id })
    expect(portal.log()).not.toContain('two.example.org/b')
  })

  test('only the last 20 are stored', async () => {
    const own = await openVisitor(portal)
    for (let i = 0; i < 23; i++) {
      portal.clock.now++
      await own.submit({ url: `https://n${i}.example.org/` })
    }
    const urls = (await own.listScans()).map(({ url }) => url)
    expect(urls).toHaveLength(20)
    expect(new Set(urls)).toEqual(new Set(Array.from({ length: 20 }, (_, i) => `https://n${i + 3}.example.org/`)))
    expect(await own.countCharges()).toBe(23)
  })

  test('a double submit is charged like two API requests, for one scan', async () => {
    const paused = pauseScans()
    const own = await openWith({ scan: paused.scan })
    const url = newSite()
    const both = Promise.all([own.me.submit({ url }), own.me.submit({ url })])
    await until(() => own.portal.answered('usedBy') >= 2, true)
    paused.complete()
    const answers = await both
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(2)
    expect([own.portal.scanned.length, await own.me.countCharges()]).toEqual([1, 2])
    expect(await own.me.listScans()).toHaveLength(2)
  })

  test('12 at once against a quota of 5: as many charges as stored scans', async () => {
    const own = await openWith({ settings: onePlan(1000, 5) })
    const answers = await Promise.all(Array.from({ length: 12 }, () => own.me.submit({ url: newSite() })))
    const count = (status: number): number => answers.filter((answer) => answer.status === status).length
    expect([count(303), count(429), await own.me.countCharges()]).toEqual([5, 7, 5])
    expect(await own.me.listScans()).toHaveLength(5)
  })

  test('a person who leaves is not charged', async () => {
    const paused = pauseScans()
    const own = await openWith({ scan: paused.scan })
    const url = await own.portal.fastify.listen({ port: 0, host: '127.0.0.1' })
    const cookie = [...own.me.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const stop = new AbortController()
    const body = new URLSearchParams({ url: newSite() })
    const connected = once(own.portal.fastify.server, 'connection')
    const left = fetch(`${url}/scan`, { method: 'POST', headers: { cookie, origin: url }, body, signal: stop.signal })
    await until(paused.count, 1)
    stop.abort()
    await expect(left).rejects.toThrow()
    await untilEnded((await connected)[0])
    paused.complete()
    await until(() => own.portal.log().includes('client disconnected before the response'), true)
    // The store writes charges in their order: one of the first scan would be counted, too.
    const next = own.me.submit({ url: newSite() })
    await until(paused.count, 1)
    paused.complete()
    await next
    expect([await own.me.countCharges(), (await own.me.listScans()).length]).toEqual([1, 1])
  })
})

describe('a failed scan keeps the form and costs nothing', () => {
  const sentences = (cause: ScanCause): string => SCAN_CAUSES[cause][1]
  let unlucky: Visitor
  let failure: Error
  beforeAll(async () => {
    const scan = async (): Promise<never> => {
      throw failure
    }
    unlucky = (await openWith({ scan })).me
  })
  const stopped = async (): Promise<never> => {
    throw new StoreError('the disk is gone')
  }

  test.each([
    ['nothing', '', sentences('not_a_url')],
    ['no URL', 'what is this', sentences('not_a_url')],
    ['another scheme', 'ftp://a.example.org', sentences('not_a_url')],
    ['javascript', 'javascript:alert(1)', sentences('not_a_url')],
    ['credentials', 'https://a:b@example.org', sentences('not_a_url')],
    ['HTML', '"><script>alert(1)</script>', sentences('not_a_url')],
    ['a URL that is too long', `https://example.org/${'a'.repeat(2048)}`, sentences('not_a_url')],
    ['a host that is not public', 'localhost', sentences('not_public')],
    ['a private address', 'http://10.0.0.1/', sentences('not_public')],
    ['a port', 'example.org:8080', sentences('port_refused')],
  ])('%s: the message of the API next to the field', async (_, url, sentence) => {
    const before = await me.countCharges()
    const { status, html } = await me.submit({ url, fresh: 'on' })
    expect(status).toBe(400)
    expect(readForm(html)).toMatchObject({ url, fresh: true, urlError: sentence, summary: sentence })
    expect(html).not.toContain('<script>')
    expect(await me.countCharges()).toBe(before)
  })

  test.each<[string, Error, number, string]>([
    ['a site without a valid certificate', new ScanError('tls_invalid'), 500, sentences('tls_invalid')],
    ['a target that only DNS shows to be blocked', new ScanError('address_refused'), 500, sentences('address_refused')],
    ['a site that does not answer', new ScanError('deadline'), 500, sentences('deadline')],
    ['too many scans', new ScanError('busy'), 503, sentences('busy')],
    ['an unexpected error', new Error('secret details'), 500, sentences('internal')],
  ])('%s', async (_, error, status, sentence) => {
    failure = error
    const url = newSite()
    const answer = await unlucky.submit({ url })
    expect([answer.status, await unlucky.countCharges()]).toEqual([status, 0])
    expect(readForm(answer.html)).toMatchObject({ url, urlError: null, summary: sentence })
    expect(answer.html).not.toContain('details')
    expect(await unlucky.listScans()).toEqual([])
  })

  test.each([
    ['rate limit', onePlan(1, 100), 45, /for this minute are used up\. Try again in 45 s, at 12:01 UTC\./],
    ['quota', onePlan(100, 1), 1_857_585, /for this month are used up\. The next month begins on \d{4}-06-01/],
  ])('%s: the time is named', async (name, settings, retryAfter, sentence) => {
    const own = await openWith({ settings, now: NOON })
    await own.me.submit({ url: newSite() })
    const url = newSite()
    const { status, headers, html } = await own.me.submit({ url })
    expect([status, Number(headers['retry-after'])]).toEqual([429, retryAfter])
    expect(readForm(html)).toMatchObject({ url, summary: expect.stringMatching(sentence) })
    expect([await own.me.countCharges(), own.portal.scanned.length]).toEqual([1, 1])
    expect(own.portal.log()).toContain(name === 'quota' ? '"code":"quota_exceeded"' : '"code":"rate_limited"')
  })

  test('an invalid URL counts against the rate limit, as in the API', async () => {
    const own = await openWith({ settings: onePlan(1, 100) })
    expect((await own.me.submit({ url: 'x' })).status).toBe(400)
    expect((await own.me.submit({ url: 'x' })).status).toBe(429)
  })

  test.each([
    ['maintenance', { maintenance: true }, 'The service is down for maintenance. Try again later.'],
    ['API off', { apiOff: true }, 'The API is currently switched off.'],
  ])('switch: %s', async (_, change, sentence) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const stores = await openEmbedded()
    const own = await openWith({ stores })
    await stores.store.settings.setSwitches(change)
    await vi.advanceTimersByTimeAsync(4900)
    const url = newSite()
    const { status, html } = await own.me.submit({ url })
    expect(status).toBe(503)
    expect(readForm(html)).toMatchObject({ url, summary: sentence })
  })

  test('a store that cannot charge', async () => {
    const stores = await openEmbedded()
    const store = overrideStore(stores.store, { method: 'charge', run: stopped })
    const own = await openWith({ stores: { ...stores, store } })
    const url = newSite()
    const { status, html } = await own.me.submit({ url })
    expect([status, readForm(html).url]).toEqual([503, url])
    expect(readForm(html).summary).toBe('The service is temporarily unavailable. Try again later.')
    expect([await own.me.countCharges(), (await own.me.listScans()).length]).toEqual([0, 0])
    expect(own.portal.log()).toContain('"code":"unavailable","reason":"charge_in_doubt"')
  })

  test('a store that cannot list: the form without keys and recent scans', async () => {
    const stores = await openEmbedded()
    const store = overrideStore(stores.store, { method: 'listScans', run: stopped })
    const own = await openWith({ stores: { ...stores, store } })
    const { status, html } = await own.me.submit({ url: 'localhost' })
    expect([status, readForm(html).urlError]).toEqual([400, sentences('not_public')])
    expect(readText(html)).toContain('Your recent scans cannot be shown at the moment.')
  })

  test('a store that cannot store the result, which was charged: it is shown at once', async () => {
    const stores = await openEmbedded()
    const store = overrideStore(stores.store, { method: 'addScan', run: stopped })
    const own = await openWith({ stores: { ...stores, store } })
    const { status, html } = await own.me.submit({ url: newSite() })
    expect([status, await own.me.countCharges()]).toEqual([200, 1])
    expect(readText(html)).toMatch(/could not be stored.*Made with Webflow/)
  })
})

describe('keys', () => {
  const addKey = async (own: Visitor, name: string) => {
    portal.clock.now++
    return (await portal.newKey({ name, account: own.account.id, plan: 'free' })).key.id
  }
  const usedBy = (id: string): Promise<number> =>
    portal.store.usage.usedBy(id, new Date(portal.clock.now).toISOString().slice(0, 7))

  test('with several keys one is chosen; without a choice the first usable one is charged', async () => {
    const own = await openVisitor(portal)
    const [first] = await portal.store.keys.listAccountKeys(own.account.id)
    const second = await addKey(own, 'Key "two" <b>')
    const { html } = await own.open('/scan')
    expect(decodeHTML(/<select.*<\/select>/s.exec(html)?.[0] ?? '')).toMatch(/Default key .*Key "two" <b> \(…\w{4}\)/)
    await own.submit({ url: newSite(), key: second })
    expect([await usedBy(first.id), await usedBy(second)]).toEqual([0, 1])
    await own.submit({ url: newSite() })
    expect([await usedBy(first.id), await usedBy(second)]).toEqual([1, 1])
    await portal.store.keys.revokeKey(first.id, new Date())
    await own.submit({ url: newSite() })
    expect([await usedBy(first.id), await usedBy(second)]).toEqual([1, 2])
    const url = newSite()
    const answer = await own.submit({ url, key: first.id })
    expect([answer.status, readForm(answer.html).url]).toEqual([409, url])
    expect(await own.countCharges()).toBe(3)
  })

  test('a choice is kept when the scan fails', async () => {
    const own = await openVisitor(portal)
    const second = await addKey(own, 'Second')
    expect(readForm((await own.submit({ url: 'localhost', key: second })).html).key).toBe(second)
  })

  test('a key of another account is not charged', async () => {
    const [own, other] = [await openVisitor(portal), await openVisitor(portal)]
    await addKey(own, 'Second')
    const [{ id }] = await portal.store.keys.listAccountKeys(other.account.id)
    const { status, html } = await own.submit({ url: newSite(), key: id })
    expect([status, readForm(html).keyError]).toEqual([409, 'This key can no longer be used. Choose another one.'])
    expect([await own.countCharges(), await other.countCharges()]).toEqual([0, 0])
  })

  test('without a usable key the page says what to do', async () => {
    const own = await openVisitor(portal)
    const [{ id }] = await portal.store.keys.listAccountKeys(own.account.id)
    await portal.store.keys.revokeKey(id, new Date())
    const form = await own.open('/scan')
    const sent = await own.submit({ url: newSite() })
    expect([form.status, sent.status]).toEqual([200, 409])
    for (const { html } of [form, sent]) {
      expect(readText(html)).toContain('You need an API key to scan')
      expect(html).toContain('href="/account/keys"')
      expect(html).not.toContain('name="url"')
    }
  })
})

describe('the page of a result', () => {
  async function scan(own: Visitor, url = newSite()): Promise<string> {
    return String((await own.submit({ url })).headers.location)
  }

  test('belongs to one account', async () => {
    const path = await scan(me)
    const other = await openVisitor(portal)
    expect((await me.open(path)).status).toBe(200)
    for (const one of [path, '/scan/unknown', `/scan/${'x'.repeat(90)}`, '/scan/a%00b']) {
      const { status, html } = await other.open(one)
      expect([one, status]).toEqual([one, 404])
      expect(html).not.toContain('Webflow')
    }
  })

  test.each([1, 2] as const)('has the JSON of the API, revision %i', async (apiRevision) => {
    const own = await openWith({ settings: { ...onePlan(1000, 1000), apiRevision } })
    const site = newSite()
    const { html } = await own.me.open(await scan(own.me, site))
    const shown = JSON.parse(decodeHTML(/<pre id="json">(.*?)<\/pre>/s.exec(html)?.[1] ?? ''))
    const extras = apiRevision === 1 ? EXTRAS.replace(',meta,page,details,packages', '') : EXTRAS
    const { body } = await own.portal.call({ url: scanOf(site, `&include=${extras}`), secret: own.me.secret })
    expect({ ...shown, cached: true }).toEqual(body)
    expect(shown.cached).toBe(false)
    expect(Object.keys(shown)).toEqual(Object.keys(body))
  })

  test('says when the result came from the cache', async () => {
    const own = await openWith({})
    const site = newSite()
    await scan(own.me, site)
    own.portal.clock.now += 600_000
    const { html } = await own.me.open(await scan(own.me, site))
    expect(readText(html)).toContain('already in the cache')
    expect(decodeHTML(html)).toContain('"cached": true')
  })

  test('the command line gives the same, whatever characters the URL has', async () => {
    const site = `${newSite()}it's$(here)?a=b&c="d"#e`
    const { html } = await me.open(await scan(me, site))
    const line = decodeHTML(/<pre id="curl">(.*?)<\/pre>/s.exec(html)?.[1] ?? '')
    const [, address] = /^curl -s -H "Authorization: Bearer \$SITEPRINT_KEY" '([^']+)'$/.exec(line) ?? []
    const { pathname, search, searchParams } = new URL(address)
    expect([searchParams.get('url'), searchParams.get('include')]).toEqual([site, EXTRAS])
    const { status, body } = await portal.call({ url: pathname + search, secret: me.secret })
    expect([status, body.cached]).toEqual([200, true])
  })

  test('leads to the form for the same URL', async () => {
    const site = newSite()
    const { html } = await me.open(await scan(me, site))
    const path = decodeHTML(/href="(\/scan\?[^"]+)"/.exec(html)?.[1] ?? '')
    expect(readForm((await me.open(path)).html)).toMatchObject({ url: site, fresh: true })
  })

  test('what it says in words', async () => {
    const { html } = await me.open(await scan(me))
    const text = readText(html)
    for (const part of [
      /High confidence/,
      /Kind of builder Website builder/,
      /AI-native builder No/,
      /Type of site Local business/,
      /Hosting Not recognized/,
      /Builder Webflow 1\.2 Fonts and icons Google Fonts/,
      /IP address 203\.0\.113\.7 Network Harbour Networks \(AS64500\) Name of the address web7\.dns\.example DNS dns\.example Certificate from An Authority/,
      /Webflow Builder 3 of 6 points Strong evidence A meta tag Webflow Rule: meta/,
      /did not see: dns/,
      /the page was cut/,
      /Time Page 13 ms DNS and files 0 ms Scripts and style sheets 0 ms Analysis 2 ms Total 14 ms/,
    ])
      expect(text).toMatch(part)
    expect(html).toMatch(/<details class="evidence"><summary>/)
  })

  test('of a page that is not the site', async () => {
    const page = { state: 'wall', by: 'Cloudflare', status: 403 } as const
    const own = await openWith({
      scan: async (url) => sampleScan(url, { page, builder: null, builderSlug: null, confidence: null }),
    })
    expect(readText((await own.me.open(await scan(own.me))).html)).toMatch(
      /This is not the site The answer is not the site but a check of visitors or a refusal \(Cloudflare, status 403\), .* Open the site in a browser/,
    )
  })

  test('without any finding', async () => {
    const nothing = { builder: null, builderSlug: null, confidence: null, category: null, siteType: null }
    const own = await openWith({
      scan: async (url) => sampleScan(url, { ...nothing, technologies: [], evidence: [], versions: {}, warnings: [] }),
    })
    const [text] = readText((await own.me.open(await scan(own.me))).html).split('The same with the API')
    expect(text).toMatch(/No builder was recognized.*Type of site Not recognized.*None was recognized/)
    expect(text).not.toMatch(/undefined|null|NaN|Kind of builder|AI-native|Limits of this scan| Evidence /)
    expect(readText((await own.me.open('/scan')).html)).toContain('No builder')
  })
})
