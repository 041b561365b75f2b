import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { parseAllowed } from '../../src/fetch/address.ts'
import type { Site } from '../../src/fetch/fetch.ts'
import { HostLimiter } from '../../src/fetch/host-limiter.ts'
import { DEFAULT_POLICY, type Policy } from '../../src/fetch/policy.ts'
import {
  answer,
  dialTo,
  drip,
  flood,
  head,
  type Opened,
  openSite,
  type Play,
  type Plays,
  say,
} from '../../tools/bench/hostile/raw-server.ts'
import { fetchText } from './fetch-text.ts'
import { createResolver, openScene } from './scene.ts'

const MIB = 1024 * 1024
const local = parseAllowed('127.0.0.1')
/** No test waits until one of these limits, so a scan that ignores the limit of its test does not end in time. */
const NEVER_MS = 300_000
const limits = { deadlineMs: NEVER_MS, bodiesAfterPageMs: NEVER_MS }
const policy: Policy = { ...DEFAULT_POLICY, ...limits, allow: local === null ? [] : [local] }
const JS = 'content-type: text/javascript'
const to = (location: string): Play => answer('', `location: ${location}`, '302 Found')
const page = (tags: string): Play => answer(`<!doctype html><title>Tide tables</title>${tags}<div id=root></div>`)
const SCRIPT = '<script type=module src=/main.js></script>'

const opened: Opened[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()))
})

/** Fetches a site, and notes which paths were requested. */
async function fetchSiteOf(
  plays: Plays & object,
  bounds: Partial<Policy> = {},
): Promise<{ site: Site; asked: string[] }> {
  const asked: string[] = []
  const noting = Object.entries(plays as Record<string, Play>).map(([path, play]): [string, Play] => [
    path,
    (socket, requested) => {
      asked.push(requested)
      play(socket, requested)
    },
  ])
  const server = await openSite(Object.fromEntries(noting))
  opened.push(server)
  const options = { resolver: createResolver(), policy: { ...policy, ...bounds }, evidence: [] }
  return { site: await fetchText(server.url, options), asked: asked.slice(1) }
}

/** Describes the scripts of a site: path, length and whether they are cut. */
function describeScripts({ scripts, lateBodies }: Site): object {
  const list = scripts?.map(({ url, text, isCut = false, missing }) => [
    new URL(url).pathname,
    missing ?? text.length,
    isCut,
  ])
  return { scripts: list, lateBodies }
}

describe('a script of the page', () => {
  const bomb = gzipSync(Buffer.alloc(64 * MIB), { level: 3 })
  const rows: readonly [name: string, play: Play, scripts: readonly unknown[]][] = [
    ['is received', answer('let a', JS), [['/main.js', 5, false]]],
    ['has no type', answer('let a', 'x: y'), [['/main.js', 5, false]]],
    ['is redirected', to('/other.js'), [['/main.js', 7, false]]],
    ['is compressed', answer(gzipSync('let abc'), `${JS}\r\ncontent-encoding: gzip`), [['/main.js', 7, false]]],
    ['is empty', answer('', JS), [['/main.js', 0, false]]],
    ['has the maximum size', answer(Buffer.alloc(MIB), JS), [['/main.js', MIB, false]]],
    ['is too large', answer(Buffer.alloc(MIB + 1), JS), [['/main.js', MIB, true]]],
    ['never ends', flood(head(JS), 'a'.repeat(9999)), [['/main.js', MIB, true]]],
    ['is a bomb', answer(bomb, `${JS}\r\ncontent-encoding: gzip`), [['/main.js', MIB, true]]],
    ['ends early', (socket) => socket.end(`${head(`${JS}\r\ncontent-length: 99`)}abc`), [['/main.js', 3, true]]],
    ['does not exist', answer('let a', JS, '404 Not Found'), [['/main.js', 'status 404', false]]],
    ['is a page', page(''), [['/main.js', 'an HTML page instead of the file', false]]],
    ['is an image', answer('GIF89a', 'content-type: image/gif'), [['/main.js', 'another type of file', false]]],
    ['is data', answer('{}', 'content-type: application/json'), [['/main.js', 'another type of file', false]]],
    ['is at a private address', to('http://10.0.0.1/main.js'), [['/main.js', 'the request failed', false]]],
    ['redirects forever', to('/main.js'), [['/main.js', 'too many redirects', false]]],
    ['is not HTTP', say('tide\r\n\r\n'), [['/main.js', 'the request failed', false]]],
  ]
  it.each(rows)('that %s', async (_name, play, scripts) => {
    const { site } = await fetchSiteOf({ '/': page(SCRIPT), '/main.js': play, '/other.js': answer('let abc', JS) })
    expect(describeScripts(site)).toEqual({ scripts, lateBodies: 0 })
    expect(site.warnings).toEqual([])
  })

  it.each([
    ['never arrives', () => {}],
    ['drips', drip(head(JS), 'a')],
  ])('that %s is left out when the time is up', async (_name, play) => {
    const { site } = await fetchSiteOf({ '/': page(SCRIPT), '/main.js': play }, { bodiesAfterPageMs: 400 })
    expect(describeScripts(site)).toEqual({ scripts: [['/main.js', 'not received in time', false]], lateBodies: 1 })
    expect(site.warnings).toHaveLength(1)
  })
})

it('at most four scripts of 3 MiB and two style sheets of 512 KiB in all are read, entry points first', async () => {
  const scripts = ['a', 'b', 'c', 'd', 'main'].map((name) => `<script src=/${name}.js></script>`)
  const styles = ['a', 'b', 'index'].map((name) => `<link rel=stylesheet href=/${name}.css>`)
  const big = answer(Buffer.alloc(MIB, 'a'), 'x: y')
  const { site, asked } = await fetchSiteOf({
    '/': page([...scripts, ...styles].join('')),
    '/main.js': big,
    '/a.js': big,
    '/b.js': big,
    '/c.js': big,
    '/a.css': big,
    '/index.css': big,
  })
  expect(describeScripts(site)).toEqual({
    scripts: [
      ...['/main.js', '/a.js', '/b.js'].map((path) => [path, MIB, false]),
      ['/c.js', `too large: more than ${3 * MIB} bytes in total`, false],
    ],
    lateBodies: 0,
  })
  expect(site.styles?.map(({ url, text, isCut }) => [new URL(url).pathname, text.length, isCut])).toEqual([
    ['/index.css', MIB / 2, true],
    ['/a.css', 0, undefined],
  ])
  expect(asked.sort()).toEqual(['/a.css', '/a.js', '/b.js', '/c.js', '/index.css', '/main.js'])
})

it('of 10,000 script tags, four are requested', async () => {
  const tags = Array.from({ length: 10_000 }, (_, i) => `<script src=/${i}.js></script>`).join('')
  const { site, asked } = await fetchSiteOf({
    '/': (socket, path) => (path === '/' ? page(tags) : answer('let a', JS))(socket, path),
  })
  expect(asked).toHaveLength(4)
  expect(site.scripts).toHaveLength(4)
})

it('nothing is requested when it is turned off, or when the response is not HTML', async () => {
  const off = await fetchSiteOf({ '/': page(SCRIPT), '/main.js': answer('let a', JS) }, { fetchesBodies: false })
  expect(off.asked).toEqual([])
  const unseen = expect.arrayContaining(['bundle', 'stylesheet'])
  expect(off.site).toMatchObject({ scripts: null, styles: null, lateBodies: 0, unseen })
  const data = await fetchSiteOf({ '/': answer(SCRIPT, 'content-type: text/plain') })
  expect(data.asked).toEqual([])
  expect(data.site).toMatchObject({ scripts: [], styles: [], lateBodies: 0 })
})

it("the scan's deadline ends the requests; the page is the result", async () => {
  const { site } = await fetchSiteOf({ '/': page(SCRIPT), '/main.js': () => {} }, { deadlineMs: 1500 })
  expect(site).toMatchObject({ status: 200, scripts: [{ missing: 'not received in time' }], lateBodies: 1 })
})

it('requests to another host share one slot of its limit, and release it', async () => {
  const hosted = ['main', 'a', 'b'].map((name) => `<script src=https://cdn.example.org/${name}.js></script>`).join('')
  const scene = await openScene((url, response) =>
    url.includes('cdn.')
      ? response.setHeader('content-type', 'text/javascript').end('let a')
      : response.setHeader('content-type', 'text/html').end(hosted),
  )
  const hostLimiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 10_000, pausesDeadline: true })
  const options = {
    resolver: createResolver(),
    policy,
    evidence: [],
    hostLimiter,
    ...(scene.dial && { dial: scene.dial }),
  }
  const site = await fetchText('https://shop.example.org/', options)
  await scene.close()
  expect(site.scripts).toHaveLength(3)
})

it('the address of the page is reported, not that of its scripts', async () => {
  const server = await openSite({
    '/': page('<script src=http://cdn.example.org/main.js></script>'),
    '/main.js': answer('let a', JS),
  })
  opened.push(server)
  const resolver = createResolver((host) => [host === 'cdn.example.org' ? '93.184.216.35' : '93.184.216.34'])
  const site = await fetchText('http://www.example.org/', { resolver, policy, evidence: [], dial: dialTo(server.url) })
  expect(site).toMatchObject({ address: '93.184.216.34', lateBodies: 0 })
  expect(site.scripts).toHaveLength(1)
})
