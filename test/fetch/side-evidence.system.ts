import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createDeferred, type Deferred } from '../../src/async/deferred.ts'
import { parseAllowed } from '../../src/fetch/address.ts'
import type { Dial } from '../../src/fetch/connector.ts'
import { EVIDENCE, type EvidenceKind } from '../../src/fetch/evidence-kinds.ts'
import { hashFavicon } from '../../src/fetch/favicon.ts'
import type { Site } from '../../src/fetch/fetch.ts'
import { DEFAULT_POLICY, type Policy } from '../../src/fetch/policy.ts'
import type { Resolver } from '../../src/fetch/resolver.ts'
import { good } from '../../tools/bench/hostile/certificates.ts'
import {
  answer,
  dialTo,
  drip,
  flood,
  head,
  type Opened,
  openSite,
  openTlsSite,
  type Play,
  type Plays,
  say,
} from '../../tools/bench/hostile/raw-server.ts'
import { fetchText } from './fetch-text.ts'

const local = parseAllowed('127.0.0.1')
/** No test waits until one of these limits, so a scan that ignores the limit of its test does not end in time. */
const NEVER_MS = 300_000
const limits = { deadlineMs: NEVER_MS, evidenceMs: NEVER_MS, evidenceAfterBodyMs: NEVER_MS }
const policy: Policy = { ...DEFAULT_POLICY, ...limits, allow: local === null ? [] : [local] }
const html = 'content-type: text/html'
const text = 'content-type: text/plain'
const PAGE = answer('<!doctype html><title>Tide tables</title>')
const ICON = Buffer.from('89504e470d0a1a0a', 'hex')
const SITE = { '/': PAGE, '/robots.txt': answer('Disallow: /deep', text), '/favicon.ico': answer(ICON, 'x: icon') }
const to = (location: string): Play => answer('', `location: ${location}`, '302 Found')

/** The same records for every name; each contains the queried name. */
const zone: Resolver = {
  addresses: async () => ['93.184.215.14'],
  records: async (type, name) => [`${type} of ${name}`],
}
const silent: Resolver = {
  ...zone,
  records: (_type, _name, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
}

/** A page whose body ends when `event` has happened. */
const pageUntil =
  (event: Promise<unknown>): Play =>
  (socket) => {
    socket.write(head(`${html}\r\ncontent-length: 3`))
    void event.then(() => socket.write('<p>'))
  }

const noteAnswer =
  (play: Play, { resolve }: Deferred<void>): Play =>
  (socket, path) => {
    play(socket, path)
    resolve()
  }

const opened: Opened[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()))
})

async function open(plays: Plays): Promise<string> {
  const site = await openSite(plays)
  opened.push(site)
  return site.url
}

interface Changes extends Partial<Policy> {
  readonly evidence?: readonly EvidenceKind[]
  readonly resolver?: Resolver
  readonly dial?: Dial
}

function fetchWith(url: string, { evidence, resolver = zone, dial, ...bounds }: Changes = {}): Promise<Site> {
  const options = { resolver, policy: { ...policy, ...bounds }, wantedDns: ['txt'] }
  return fetchText(url, { ...options, ...(evidence && { evidence }), ...(dial && { dial }) })
}

describe('side evidence', () => {
  const robots = 'Disallow: /deep'
  const favicon = hashFavicon(ICON)
  const none = { robots: null, favicon: null }
  const kinds: readonly [name: string, evidence: readonly EvidenceKind[], found: object][] = [
    ['everything', EVIDENCE, { robots, favicon, unseen: [] }],
    ['robots.txt', ['robots'], { ...none, robots, unseen: ['favicon'] }],
    ['the favicon', ['favicon'], { ...none, favicon, unseen: ['robots'] }],
    ['nothing', [], { ...none, unseen: ['robots', 'favicon'] }],
  ]
  it.each(kinds)('%s is collected when it is requested', async (_name, evidence, found) => {
    const asked: string[] = []
    const note =
      (play: Play): Play =>
      (socket, path) => {
        asked.push(path)
        play(socket, path)
      }
    const plays = Object.fromEntries(Object.entries(SITE).map(([path, play]) => [path, note(play)]))
    expect(await fetchWith(await open(plays), { evidence })).toMatchObject({ dns: null, tls: null, ...found })
    const files = { robots: '/robots.txt', favicon: '/favicon.ico', dns: '', tls: '' }
    const expected = ['/', ...evidence.map((kind) => files[kind])].filter((path) => path !== '')
    expect(asked.sort()).toEqual(expected.sort())
  })

  it('the name of the address is asked for before the server responds', async () => {
    const asked = createDeferred<void>()
    const resolver: Resolver = {
      ...zone,
      records: async (type) => {
        if (type === 'ptr') asked.resolve()
        return []
      },
    }
    const site = await open({ '/': (socket, path) => void asked.promise.then(() => PAGE(socket, path)) })
    const options = { resolver, policy, wantedDns: ['ptr'], evidence: ['dns'] as const }
    expect(await fetchText(site, options)).toMatchObject({ status: 200 })
  })

  it.each([
    [
      ['tls'],
      { issuer: 'Larkfield Test Authority', names: ['harbourline.example', '*.harbourline.example'] },
      ['robots', 'favicon'],
    ],
    [[], null, ['tls', 'robots', 'favicon']],
  ] as const)('the certificate with %j is %j', async (evidence, tls, unseen) => {
    const site = await openTlsSite(SITE, good)
    opened.push(site)
    const found = await fetchWith(site.url, { evidence, ...(site.dial && { dial: site.dial }) })
    expect([found.tls, found.unseen]).toEqual([tls, unseen])
  })

  const robotsRows: readonly [name: string, play: Play, robots: string | null][] = [
    ['does not exist', answer('no', text, '404 Not Found'), ''],
    ['is a page', PAGE, ''],
    ['is cut at 64 KiB', answer('a'.repeat(200_000), text), 'a'.repeat(65_536)],
    ['never ends', flood(head(text), 'a'.repeat(9999)), 'a'.repeat(65_536)],
    ['is redirected', to('/deep.txt'), 'deep'],
    ['is at a private address', to('http://10.0.0.1/robots.txt'), null],
    ['is not HTTP', say('tide\r\n\r\n'), null],
  ]
  it.each(robotsRows)('robots.txt that %s', async (_name, play, robots) => {
    const url = await open({ ...SITE, '/robots.txt': play, '/deep.txt': answer('deep', text) })
    expect(await fetchWith(url)).toMatchObject({ status: 200, robots, favicon })
  })

  it.each([
    [5, 'deep'],
    [6, ''],
  ])('robots.txt after %d redirects is %j', async (redirects, robots) => {
    const path = (hop: number): string => (hop === 0 ? '/robots.txt' : `/robots-${hop}.txt`)
    const hops = Array.from({ length: redirects }, (_, hop) => [path(hop), to(path(hop + 1))] as const)
    const last = [path(redirects), answer('deep', text)] as const
    expect(await fetchWith(await open({ ...SITE, ...Object.fromEntries([...hops, last]) }))).toMatchObject({ robots })
  })

  const iconRows: readonly [name: string, play: Play, favicon: number | null, unseen?: readonly string[]][] = [
    ['is a page', PAGE, null],
    ['is empty', answer('', 'x: icon'), null],
    ['does not exist', answer(ICON, 'x: icon', '404 Not Found'), null, []],
    ['is too large', answer(Buffer.alloc(256 * 1024 + 1), 'x: icon'), null],
    ['has the maximum size', answer(Buffer.alloc(256 * 1024), 'x: icon'), hashFavicon(Buffer.alloc(256 * 1024))],
    ['is redirected', to('/icon'), favicon],
    ['is at a private address', to('http://169.254.169.254/'), null, ['favicon']],
    ['ends early', (socket) => socket.end(`${head('content-length: 99')}abc`), null],
  ]
  it.each(iconRows)('a favicon that %s', async (_name, play, favicon, unseen = []) => {
    const url = await open({ ...SITE, '/favicon.ico': play, '/icon': answer(ICON, 'x: icon') })
    expect(await fetchWith(url)).toMatchObject({ status: 200, robots, favicon, unseen })
  })

  it('waits for a hanging request only for the time after the body', async () => {
    const answered = createDeferred<void>()
    const url = await open({
      '/': pageUntil(answered.promise),
      '/robots.txt': noteAnswer(SITE['/robots.txt'], answered),
      '/favicon.ico': say(),
    })
    const site = await fetchWith(url, { evidenceAfterBodyMs: 200 })
    expect(site).toMatchObject({ robots, favicon: null, unseen: ['favicon'] })
  })

  it('does not wait when everything has been received', async () => {
    expect(await fetchWith(await open(SITE))).toMatchObject({ robots, favicon })
  })

  it('aborts a hanging request at its time limit while the body is still being received', async () => {
    const [robotsClosed, iconClosed] = [createDeferred<void>(), createDeferred<void>()]
    const noteClose =
      (play: Play, { resolve }: Deferred<void>): Play =>
      (socket, path) => {
        socket.once('close', () => resolve())
        play(socket, path)
      }
    const url = await open({
      '/': pageUntil(Promise.all([robotsClosed.promise, iconClosed.promise])),
      '/robots.txt': noteClose(say(), robotsClosed),
      '/favicon.ico': noteClose(drip(head('x: icon'), 'x'), iconClosed),
    })
    expect(await fetchWith(url, { evidenceMs: 150 })).toMatchObject({ status: 200, robots: null, favicon: null })
  })

  it('requests the files of a site that responded slowly', async () => {
    const asked = createDeferred<() => void>()
    const slow: Play = (socket, path) => asked.resolve(() => PAGE(socket, path))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const fetched = fetchWith(await open({ ...SITE, '/': slow }), { evidenceMs: 1000, deadlineMs: 60_000 })
    const respond = await asked.promise
    await vi.advanceTimersByTimeAsync(1100)
    vi.useRealTimers()
    respond()
    expect(await fetched).toMatchObject({ robots, favicon })
  })

  it('returns the page when the deadline expires while it is being collected', async () => {
    const url = await open({ ...SITE, '/robots.txt': say() })
    expect(await fetchWith(url, { deadlineMs: 1500 })).toMatchObject({ status: 200, robots: null, favicon })
  })
})

describe('records of the host', () => {
  it('are those of the final host after redirects', async () => {
    const asked: string[] = []
    const play: Play = (socket, path) => {
      asked.push(path)
      return (path === '/a' ? to('http://www.lark.com/b') : PAGE)(socket, path)
    }
    const dial = dialTo(await open({ '/': play, '/robots.txt': SITE['/robots.txt'] }))
    const site = await fetchWith('http://field.org/a', { dial })
    expect(site).toMatchObject({ url: 'http://www.lark.com/b', robots: 'Disallow: /deep', address: '93.184.215.14' })
    expect(site.dns).toEqual({ ns: ['ns of lark.com'], txt: ['txt of www.lark.com', 'txt of lark.com'] })
    expect(asked).toEqual(['/a', '/b'])
  })

  it('from a silent name server take only their time limit', async () => {
    const answered = createDeferred<void>()
    const dial = dialTo(
      await open({
        ...SITE,
        '/': pageUntil(answered.promise),
        '/robots.txt': noteAnswer(SITE['/robots.txt'], answered),
      }),
    )
    const site = await fetchWith('http://field.org/', { dial, resolver: silent, evidenceAfterBodyMs: 500 })
    expect(site).toMatchObject({ status: 200, dns: {}, robots: 'Disallow: /deep', unseen: ['dns'] })
  })

  it('are not queried when they are not requested, nor for an address', async () => {
    const url = await open(SITE)
    const dial = dialTo(url)
    const skipped = await fetchWith('http://field.org/', { dial, evidence: ['robots'] })
    expect([skipped.dns, skipped.unseen]).toEqual([null, ['dns', 'favicon']])
    expect((await fetchWith(url)).dns).toBeNull()
  })
})
