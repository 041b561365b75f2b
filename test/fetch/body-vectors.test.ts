import { existsSync, readFileSync } from 'node:fs'
import type http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBlockedReason, parseAllowed } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { answer, openSite } from '../../tools/bench/hostile/raw-server.ts'
import { fetchText } from './fetch-text.ts'
import { createResolver, leftSince, openResources, openScene, PUBLIC } from './scene.ts'
import { findStages, type Stage, type Vector } from './stages.ts'

// Addresses of every kind, for checkouts without ../shared.
const OWN_VECTORS: readonly Vector[] = [
  ...['http://127.0.0.1/', 'http://2130706433/', 'http://[::1]/', 'http://[::ffff:7f00:1]/', 'http://169.254.169.254/'],
  ...['http://localhost/', 'http://printer.lan/', 'http://user@93.184.216.34/', 'http://93.184.216.34:22/'],
].map((vector, i) => ({ id: `own-${i}`, vector, why: '', expected: 'reject-400' }))
const PRIVATE: Vector = { id: 'own-dns', vector: 'a name', why: '', expected: 'scan-fails-500', dns: ['10.0.0.1'] }
const TO_PRIVATE: Vector = {
  id: 'own-redirect',
  vector: 'a redirect',
  why: '',
  expected: 'scan-fails-500',
  redirect: 'http://10.0.0.1/',
}

const file = join(projectFolder(), '..', 'shared', 'vectors', 'ssrf.json')
const vectors: readonly Vector[] = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : [...OWN_VECTORS, PRIVATE, TO_PRIVATE]

const PAGE = 'https://shop.example.com/'
const policy = { ...DEFAULT_POLICY, bodiesAfterPageMs: 400, evidenceAfterBodyMs: 50 }
const escapeAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
/** Adds a path that the selection of scripts accepts on other hosts. */
const addPath = (url: string): string => url.replace(/\/$/, '/assets/main.js')

/** Redirects to any text. Node refuses control characters in a header. */
function redirect(response: http.ServerResponse, url: string): void {
  const location = Buffer.from(url)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
  response.writeHead(302, { location, 'content-length': 0 }).end()
}

/** Fetches a page that links to the address of a stage, directly and by redirects, as scripts and as style sheets. */
async function play(stage: Stage): Promise<{ contacts: readonly string[]; left: readonly string[] }> {
  const before = openResources()
  const links = [addPath(stage.url), '/go.js'].map((url) => `<script src="${escapeAttribute(url)}"></script>`)
  const styles = [addPath(stage.url), '/go.css'].map((url) => `<link rel=stylesheet href="${escapeAttribute(url)}">`)
  const scene = await openScene((url, response, request) => {
    if (url === PAGE) response.setHeader('content-type', 'text/html').end([...links, ...styles].join(''))
    else if (/^https:\/\/shop\.example\.com\/go\./.test(url)) redirect(response, stage.url)
    else stage.answer(url, response, request)
  }, {})
  const resolver = createResolver((host, times) =>
    host === 'shop.example.com' ? [PUBLIC] : (stage.addresses?.(host, times) ?? [PUBLIC]),
  )
  const site = await fetchText(PAGE, { resolver, policy, evidence: [], ...(scene.dial && { dial: scene.dial }) })
  await scene.close()
  expect(site.status).toBe(200)
  return { contacts: scene.contacts, left: await leftSince(before) }
}

test.each(vectors)('a script or style sheet at $id $vector: $expected', async ({ expected, ...vector }) => {
  for (const stage of findStages({ ...vector, expected })) {
    const { contacts, left } = await play(stage)
    // In a page, some of the rejected texts are valid links to public addresses.
    const isAllowed = (contact: string): boolean => {
      const [, address = '', port = ''] = /^(.*):(\d+)$/.exec(contact) ?? []
      const isKnown =
        stage.contacts.includes(address) || (expected === 'reject-400' && findBlockedReason(address) === null)
      return (address === PUBLIC || isKnown) && ['80', '443'].includes(port)
    }
    expect(contacts.filter((contact) => !isAllowed(contact))).toEqual([])
    expect(contacts).toContain(`${PUBLIC}:443`)
    expect(left).toEqual([])
  }
})

test('a listener on the machine of the scanner is not contacted, by no spelling of its address', async () => {
  let hits = 0
  const listener = net.createServer((socket) => socket.destroy()).on('connection', () => hits++)
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  const links = ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]'].map((host, i) => {
    const url = `http://${host}:${port}/assets/main.js`
    return [url, `<script src="${i % 2 ? url : `/go-${i}.js`}"></script><link rel=stylesheet href="${url}">`] as const
  })
  const html = answer(`<!doctype html>${links.map(([, tags]) => tags).join('')}`)
  const going = links.map(([url], i) => [`/go-${i}.js`, answer('', `location: ${url}`, '302 Found')])
  const site = await openSite({ '/': html, ...Object.fromEntries(going) })
  const allow = [parseAllowed(new URL(site.url).host)].filter((entry) => entry !== null)
  const options = { resolver: createResolver(), policy: { ...policy, allow }, evidence: [] }
  const { status, scripts, styles, lateBodies } = await fetchText(site.url, options)
  expect({ status, lateBodies }).toEqual({ status: 200, lateBodies: 0 })
  // The reason is the same for all, so that it does not tell a listener from a closed port.
  const reasons = [...(scripts ?? []), ...(styles ?? [])].map(({ missing }) => missing)
  expect(new Set(reasons)).toEqual(new Set(['the request failed']))
  await site.close()
  await new Promise((resolve) => listener.close(resolve))
  expect(hits).toBe(0)
})
