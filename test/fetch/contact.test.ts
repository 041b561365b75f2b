import net, { type AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { parseAllowed } from '../../src/fetch/address.ts'
import { type Dial, openDial } from '../../src/fetch/connector.ts'
import type { FetchOptions, Site } from '../../src/fetch/fetch.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { fetchText } from './fetch-text.ts'
import { type Answering, createResolver, leftSince, openResources, openScene, PUBLIC } from './scene.ts'

const page: Answering = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')
const moved =
  (location: string): Answering =>
  (_, response) =>
    response.writeHead(302, { location, 'content-length': 0 }).end()
const SITE = 'http://pub.example.org/'

// A local server on a port that the policy allows. A connection that evades the checks arrives here.
const trap = net.createServer((socket) => socket.destroy())
let hits = 0
let port = 0
trap.on('connection', () => hits++)
beforeAll(async () => {
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
  port = (trap.address() as AddressInfo).port
})
beforeEach(() => {
  hits = 0
})
afterAll(() => new Promise((resolve) => trap.close(resolve)))

interface Outcome {
  readonly site: Site | null
  readonly error: ScanError | null
  readonly contacts: readonly string[]
  readonly requests: readonly string[]
}

/** Scans a scene. Connections to addresses other than the public one use the real connector. */
async function scan(answer: Answering, options: Partial<FetchOptions> = {}, url = SITE): Promise<Outcome> {
  const before = openResources()
  const { close, contacts, requests, dial: dialScene } = await openScene(answer)
  const dialReal = openDial()
  const dial: Dial = (options, callback) =>
    (options.hostname === PUBLIC && dialScene ? dialScene : dialReal)(options, callback)
  const policy = { ...DEFAULT_POLICY, ports: [80, 443, port] }
  const outcome = await fetchText(url, { resolver: createResolver(), policy, dial, ...options }).then(
    (site) => ({ site, error: null }),
    (error) => ({ site: null, error }),
  )
  await close()
  expect(await leftSince(before)).toEqual([])
  return { ...outcome, contacts, requests }
}

describe('a public name that redirects to', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://0.0.0.0:PORT/',
    'http://0:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[::]:PORT/',
    'http://localhost:PORT/',
    'http://LOCALHOST.:PORT/',
    '//127.0.0.1:PORT/',
    '\\\\127.0.0.1:PORT\\',
    '/\\127.0.0.1:PORT/',
    'https://127.0.0.1:PORT/',
    'http://%31%32%37.0.0.1:PORT/',
    'http://user:pass@127.0.0.1:PORT/',
    'http://pub.example.org@127.0.0.1:PORT/',
    'ht\ttp://127.0.0.1:PORT/',
    'http://private.example.org:PORT/',
    'http://mixed.example.org:PORT/',
    'http://mapped.example.org:PORT/',
  ])('%s is blocked, with the sentence for an unknown name', async (form) => {
    const resolver = createResolver((host) => NAMES[host] ?? [PUBLIC])
    const { error, contacts } = await scan(moved(form.replace('PORT', `${port}`)), { resolver })
    expect(error).toBeInstanceOf(ScanError)
    expect(error?.code).toBe('scan_failed')
    expect(error?.message).toBe(new ScanError('name_not_found').message)
    expect(contacts).toEqual([`${PUBLIC}:80`])
    expect(hits).toBe(0)
  })
})

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'private.example.org': ['127.0.0.1'],
  'mixed.example.org': [PUBLIC, '127.0.0.1'],
  'mapped.example.org': ['::ffff:127.0.0.1'],
}

describe('a name', () => {
  test.each([
    ['without an address', [], 'name_not_found'],
    ['with a private address', ['10.0.0.1'], 'address_refused'],
    ['with a public and a private address', [PUBLIC, '127.0.0.1'], 'address_refused'],
    ['with a private and a public address', ['127.0.0.1', PUBLIC], 'address_refused'],
    ['with two families, one private', [PUBLIC, '::1'], 'address_refused'],
    ['with 17 addresses', Array.from({ length: 17 }, (_, i) => `8.8.8.${i}`), 'address_refused'],
    ['with 17 IPv6 addresses', [PUBLIC, ...Array.from({ length: 17 }, (_, i) => `2606:4700::${i}`)], 'address_refused'],
    ['with 1,000 addresses', Array.from({ length: 1000 }, (_, i) => `8.8.${i >> 8}.${i & 255}`), 'address_refused'],
    ['with text that is not an address', [PUBLIC, 'localhost'], 'address_refused'],
    ['with an allowed address: only literals are allowed', ['127.0.0.1'], 'address_refused'],
  ])('%s is rejected before any connection', async (_, addresses, reason) => {
    const allow = [parseAllowed('127.0.0.0/8'), parseAllowed('[::1]')].filter((entry) => entry !== null)
    const policy = { ...DEFAULT_POLICY, ports: [port], allow }
    const { error, contacts } = await scan(
      page,
      { resolver: createResolver(() => addresses), policy },
      `${SITE.slice(0, -1)}:${port}/`,
    )
    expect(error?.reason).toBe(reason)
    expect(contacts).toEqual([])
    expect(hits).toBe(0)
  })

  test('with 16 addresses of each family is scanned', async () => {
    const addresses = Array.from({ length: 15 }, (_, i) => [`8.8.8.${i}`, `2606:4700::${i}`]).flat()
    const resolver = createResolver(() => [PUBLIC, ...addresses, '2606:4700::f'])
    expect((await scan(page, { resolver, evidence: [] })).site).toMatchObject({ status: 200, address: PUBLIC })
  })

  test('is resolved once per connection, and the connection uses that answer', async () => {
    const resolver = createResolver((_, times) => [times === 1 ? PUBLIC : '127.0.0.1'])
    const { site, contacts } = await scan(page, { resolver, evidence: [] })
    expect(site).toMatchObject({ status: 200, address: PUBLIC })
    expect(resolver.asked).toEqual(['pub.example.org'])
    expect(contacts).toEqual([`${PUBLIC}:80`])
  })

  test('that becomes private loses its side evidence, but not its page', async () => {
    const resolver = createResolver((_, times) => [times === 1 ? PUBLIC : '127.0.0.1'])
    const { site, contacts } = await scan(
      (url, response, request) =>
        url === SITE
          ? response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end()
          : page(url, response, request),
      { resolver },
    )
    expect(site).toMatchObject({ status: 200, robots: null, favicon: null })
    expect(contacts).toEqual([`${PUBLIC}:80`])
  })

  test('that changes between hops is rejected at the hop with the private address', async () => {
    const resolver = createResolver((_, times) => [times < 3 ? PUBLIC : '127.0.0.1'])
    const onwards: Answering = (url, response) =>
      response.writeHead(302, { location: `${url}a`, connection: 'close', 'content-length': 0 }).end()
    const { error, requests } = await scan(onwards, { resolver })
    expect(error?.reason).toBe('address_refused')
    expect(requests).toEqual([SITE, `${SITE}a`])
  })
})

test('nothing is sent on a socket to another address', async () => {
  const elsewhere: Dial = (asked, callback) => {
    const socket = new Socket()
    Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' })
    queueMicrotask(() => callback(null, socket))
    socket.write = () => expect.unreachable('data was sent')
    expect(asked.hostname).toBe(PUBLIC)
    return socket
  }
  const { error, requests } = await scan(page, { dial: elsewhere })
  expect(error).toMatchObject({ code: 'scan_failed', reason: 'address_refused' })
  expect(requests).toEqual([])
})

test('a socket that opens after the end of the scan is destroyed', async () => {
  let late: (() => void) | undefined
  const socket = new Socket()
  const slow: Dial = (_, callback) => {
    late = () => callback(null, socket)
    return undefined
  }
  const { error } = await scan(page, { dial: slow, policy: { ...DEFAULT_POLICY, deadlineMs: 50 } })
  expect(error?.reason).toBe('deadline')
  late?.()
  expect(socket.destroyed).toBe(true)
})

test('an allowed literal address is contacted', async () => {
  const allow = [parseAllowed(`127.0.0.1:${port}`)].filter((entry) => entry !== null)
  const before = hits
  await scan(page, { policy: { ...DEFAULT_POLICY, allow } }, `http://127.0.0.1:${port}/`)
  expect(hits).toBeGreaterThan(before)
})
