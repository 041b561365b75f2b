import { spawn } from 'node:child_process'
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BrowserSource } from '../../src/browser/browser-source.ts'
import { NETWORK_FLAGS } from '../../src/browser/network-flags.ts'
import type { RenderError, RenderLimits } from '../../src/browser/render-types.ts'
import { Renderer } from '../../src/browser/renderer.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import type { Resolver } from '../../src/fetch/resolver.ts'
import { findBrowser } from '../../tools/browser/browser.ts'
import { isBrowserMissing } from '../support/browser.ts'
import { findUnshare, isInside, NAMESPACE, runInside } from '../support/network-namespace.ts'
import { skipSuite } from '../support/report-skipped.ts'
import { HOSTILE_PAGES, PAGES } from './hostile-pages.ts'

const SUITE = 'pages in a browser'
const isMissing = !isInside && isBrowserMissing(SUITE)
const way = isInside || isMissing ? null : findUnshare()
if (!isInside && !isMissing && way === null) skipSuite(SUITE, NAMESPACE)

test.skipIf(way === null)(
  'in a network namespace, pages are rendered, and reach only what the policy permits',
  async () => {
    expect(await runInside(way ?? [], 'test/browser/renderer.timed.ts', {})).toMatch(/Tests\s+\d+ passed/)
  },
)

/** The address of all public names: in the namespace, every address is this machine. */
const PUBLIC = '93.184.216.34'
const NAMES: Readonly<Record<string, string>> = {
  'shop.example.com': PUBLIC,
  'cdn.example.net': PUBLIC,
  'inner.example.org': '10.0.0.1',
}
const resolver: Resolver = {
  addresses: async (host) => (NAMES[host] === undefined ? [] : [NAMES[host]]),
  records: async () => [],
}

/** Addresses of this machine to which something was sent: TCP with its port, and UDP. */
const contacts = new Set<string>()
const requests: string[] = []

function answer({ url = '/', headers: { host = '' } }: IncomingMessage, response: ServerResponse): void {
  requests.push(`${host}${url}`)
  const { type = 'text/html', status = 200, headers = {}, body = '' } = PAGES[url] ?? { status: 404 }
  response.writeHead(status, { 'content-type': type, ...headers }).end(body)
}

const servers: (Server | UdpSocket)[] = []

/** Listens on ports that a page may try: a request that does not pass the proxy would arrive here. */
async function openMachine(): Promise<void> {
  const web = createServer(answer)
  const others = [443, 8080, 6379].map(() => createTcpServer((socket) => setImmediate(() => socket.destroy())))
  for (const [server, port] of [
    [web, 80],
    ...others.map((other, i) => [other, [443, 8080, 6379][i]] as const),
  ] as const) {
    server.on('connection', (socket) =>
      contacts.add(`${socket.localAddress?.replace('::ffff:', '')}:${socket.localPort}`),
    )
    await once(server.listen(port, '::'), 'listening')
    servers.push(server)
  }
  for (const port of [53, 3478]) {
    const udp = createSocket('udp4')
    udp.on('message', () => contacts.add(`udp ${port}`))
    await once(udp.bind(port), 'listening')
    servers.push(udp)
  }
}

/** Far above what a page takes on a busy machine; a page that is done does not wait for it. */
const LAX = { totalMs: 600_000, settleMs: 300_000, quietMs: 500, waitMs: 600_000 }

function openRenderer(limits: Partial<RenderLimits>, source: BrowserSource = { file: findBrowser() ?? '' }): Renderer {
  return new Renderer({
    source,
    sandbox: false, // Tests run as root, too.
    policy: { ...DEFAULT_POLICY, userAgent: 'Siteprint/test' },
    resolver,
    concurrency: 4,
    limits,
  })
}

/** Starts Chromium as docs/rendering.md says, on a port that the system chooses. */
async function startChromium(): Promise<{ readonly url: string; end(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'siteprint-browser-'))
  const flags = [
    '--headless',
    '--no-startup-window',
    '--disable-features=HttpsUpgrades',
    '--remote-debugging-port=0',
    `--user-data-dir=${folder}`,
    '--enable-automation',
  ]
  const child = spawn(findBrowser() ?? '', [...flags, '--no-sandbox', ...NETWORK_FLAGS])
  const ended = once(child, 'exit')
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said += String(chunk)
      const [, found] = /DevTools listening on (ws:\S+)/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error(said)))
  })
  return {
    url,
    end: async () => {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

describe.runIf(isInside)('inside', () => {
  const renderer = openRenderer({ ...LAX, requests: 100, memoryBytes: 400 * 1024 * 1024 })
  beforeAll(async () => {
    await openMachine()
    await renderer.start()
  })
  afterAll(async () => {
    await renderer.close()
    for (const server of servers) server.close()
  })

  test('a page is read after its scripts have run', async () => {
    const wanted = [
      'Shopify.theme.name',
      'jQuery.fn.jquery',
      'Lazy.version',
      'Trap.version',
      'Plain',
      'Named',
      'Unset',
      'Amount',
    ]
    const rendered = await renderer.render('http://shop.example.com/shop', wanted)
    expect(rendered.html).toMatch(/^<!doctype html><html[\s\S]*<p id="made">made by a script<\/p>/)
    expect(rendered.url).toBe('http://shop.example.com/shop?done')
    expect(rendered.loaded).toEqual([
      { url: 'http://cdn.example.net/late.js', kind: 'script' },
      { url: 'http://cdn.example.net/frame', kind: 'frame' },
      { url: 'http://cdn.example.net/data.json', kind: 'asset' },
    ])
    expect(rendered.cookies).toEqual([
      { name: 'sent', value: '1' },
      { name: 'made', value: '2' },
    ])
    expect([...rendered.globals].sort((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: 'Amount', text: '7' },
      { name: 'jQuery.fn.jquery', text: '3.7.1' },
      { name: 'Lazy.version', text: '' },
      { name: 'Plain', text: '' },
      { name: 'Shopify.theme.name', text: 'Dawn' },
    ])
    expect(rendered.warnings).toEqual([])
  })

  test('no way of a page leads to an address that the policy refuses', async () => {
    contacts.clear()
    requests.length = 0
    const { html } = await renderer.render('http://shop.example.com/ways', [])
    expect(html).toContain('tried everything')
    expect([...contacts].filter((one) => one !== `${PUBLIC}:80` && !one.startsWith('127.0.0.1:'))).toEqual([])
    // The page itself, and nothing that it tried to reach under a name or an address of this machine.
    expect(requests.filter((one) => !/^shop\.example\.com\/(?:ways|favicon\.ico|away.*)$/.test(one))).toEqual([])
  })

  test('a browser that already runs has no other way either, and is connected to again after its end', async () => {
    const running = await startChromium()
    const connected = openRenderer({ ...LAX, requests: 100 }, { url: running.url })
    try {
      contacts.clear()
      requests.length = 0
      const { html } = await connected.render('http://shop.example.com/ways', [])
      expect(html).toContain('tried everything')
      const others = [...contacts].filter((one) => one !== `${PUBLIC}:80` && !one.startsWith('127.0.0.1:'))
      expect(others).toEqual([])
      expect(requests.filter((one) => !/^shop\.example\.com\/(?:ways|favicon\.ico|away.*)$/.test(one))).toEqual([])
      await running.end()
      await expect(connected.render('http://shop.example.com/shop', [])).rejects.toThrow(/no browser answers at/)
    } finally {
      await connected.close()
      await running.end()
    }
  })

  test('a saved page is rendered from its files, and reaches nothing else', async () => {
    contacts.clear()
    requests.length = 0
    const files: Readonly<Record<string, string>> = {
      'https://shop.example.com/': `${PAGES['/ways'].body}<main></main><script src="/app.js"></script>`,
      'https://shop.example.com/app.js': `window.Plain = {}; document.querySelector('main').innerHTML = '<p id=made>made</p>'`,
    }
    const site = {
      url: 'https://shop.example.com/',
      find: async (url: string) => {
        const body = files[url]
        return body === undefined ? null : { body, type: url.endsWith('.js') ? 'text/javascript' : 'text/html' }
      },
    }
    const { html, globals, warnings } = await renderer.renderSaved(site, ['Plain'])
    expect(html).toContain('<p id="made">made</p>')
    expect(html).toContain('tried everything')
    expect(globals).toEqual([{ name: 'Plain', text: '' }])
    expect(warnings).toContainEqual(
      expect.stringMatching(/^\d+ files that the page requested in the browser are not saved$/),
    )
    expect([...contacts].filter((one) => !one.startsWith('127.0.0.1:'))).toEqual([])
    expect(requests).toEqual([])
  })

  test.each([
    ['http://inner.example.org/shop', 'an internal name'],
    ['http://10.0.0.1/shop', 'an internal address'],
    ['http://shop.example.com/to-inside', 'a redirect'],
    ['http://shop.example.com:8080/', 'another port'],
  ])('%s is not opened: %s', async (url) => {
    await expect(renderer.render(url, [])).rejects.toMatchObject({ failure: 'unreachable' })
  })

  test.each(HOSTILE_PAGES)('%s: %s', async (path, _, outcome) => {
    const [hostile, good] = await Promise.all([
      renderer.render(`http://shop.example.com/${path}`, ['Plain']).catch((error) => error as RenderError),
      renderer.render('http://shop.example.com/shop', ['Plain']),
    ])
    expect(hostile).toMatchObject(outcome)
    expect(good.globals).toEqual([{ name: 'Plain', text: '' }])
  })

  test('a page that never rests ends in time, and a browser that died is replaced', async () => {
    const strict = openRenderer({ totalMs: 4000 })
    try {
      await strict.start()
      await expect(strict.render('http://shop.example.com/loop', [])).rejects.toMatchObject({ failure: 'timeout' })
      const abort = new AbortController()
      const aborted = strict.render('http://shop.example.com/loop', [], abort.signal)
      abort.abort(new Error('the client left'))
      await expect(aborted).rejects.toThrow('the client left')
    } finally {
      await strict.close()
    }
  })
})
