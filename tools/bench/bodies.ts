import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { parseAllowed } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { buildPage, detect } from '../../src/index.ts'
import { Scanner } from '../../src/scan/scanner.ts'
import { median } from '../statistics/quantile.ts'

const MIB = 1024 * 1024
const STYLE_BYTES = 200 * 1024

/** Measures the time of matching a bundle of 1 MiB, and what scripts and style sheets add to a live scan on loopback. */
export async function measureBodies(sets: Readonly<Record<string, Ruleset>>, rounds: number): Promise<object> {
  const live = await measureLive(rounds)
  const matchMs = Object.entries(sets).map(([name, set]) => [name, measureMatch(set, rounds)])
  return { bundleOf1MibMs: Object.fromEntries(matchMs), liveScan: live }
}

/**
 * Measures the additional time of building and matching a page because of a bundle of 1 MiB: the median in
 * milliseconds.
 */
function measureMatch(ruleset: Ruleset, rounds: number): number {
  const html = '<!doctype html><title>a</title><script type=module src=/main.js></script>'
  const text = Buffer.from(inventBundle(MIB, 1))
  const times: number[] = []
  for (let round = -5; round < rounds; round++) {
    const run = (scripts: { url: string; text: Uint8Array }[]): number => {
      const started = performance.now()
      detect(ruleset, buildPage({ url: 'https://harbourline.example/', html, scripts }))
      return performance.now() - started
    }
    const without = run([])
    const within = run([{ url: '/main.js', text }])
    if (round >= 0) times.push(within - without)
  }
  return round2(median(times))
}

/** Measures scans of a site with three scripts of 1 MiB and two style sheets of 200 KiB, with and without them, alternating. */
async function measureLive(rounds: number): Promise<Record<'withoutMs' | 'withMs' | 'addedMs', number>> {
  const scripts = ['main', 'a', 'b'].map((name) => `<script src=/${name}.js></script>`).join('')
  const styles = ['main', 'a'].map((name) => `<link rel=stylesheet href=/${name}.css>`).join('')
  const bundle = inventBundle(MIB, 2)
  const answers = new Map<string, readonly [type: string, body: string]>([
    ['/', ['text/html', `<!doctype html><title>a</title>${scripts}${styles}<div id=root></div>`]],
    ...['/main.js', '/a.js', '/b.js'].map((path) => [path, ['text/javascript', bundle]] as const),
    ...['/main.css', '/a.css'].map((path) => [path, ['text/css', bundle.slice(0, STYLE_BYTES)]] as const),
  ])
  const server = createServer(({ url = '' }, answer) => {
    const [type, body] = answers.get(url) ?? []
    if (type === undefined) answer.writeHead(404).end()
    else answer.setHeader('content-type', type).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const policy = { ...DEFAULT_POLICY, allow: [parseAllowed(address)].filter((entry) => entry !== null) }
  const fetchThread = { hostLimits: null }
  const scanners = [false, true].map(
    (fetchesBodies) => new Scanner({ policy: { ...policy, fetchesBodies }, fetchThread }),
  )
  const times: [number[], number[]] = [[], []]
  try {
    for (let round = -10; round < rounds; round++)
      for (const [i, scanner] of scanners.entries()) {
        const started = performance.now()
        await scanner.scan(`http://${address}/`)
        if (round >= 0) times[i].push(performance.now() - started)
      }
  } finally {
    for (const scanner of scanners) await scanner.close()
    server.closeAllConnections()
    server.close()
  }
  const [withoutMs, withMs] = times.map(median)
  const addedMs = median(times[1].map((ms, i) => ms - times[0][i]))
  return { withoutMs: round2(withoutMs), withMs: round2(withMs), addedMs: round2(addedMs) }
}

const PARTS = [
  'function ',
  'return ',
  'const ',
  'window.',
  '.prototype.',
  'createElement(',
  '"className"',
  '=>{',
  '});',
  'null!==',
  'props.',
  'void 0',
  '&&(',
  'https://www.',
  'version:"1.2.3"',
]

/** Invents a text like a minified bundle. The same seed gives the same text. */
function inventBundle(bytes: number, seed: number): string {
  let state = seed
  let text = ''
  while (text.length < bytes) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    text += PARTS[(state >>> 16) % PARTS.length] + (state % 46_656).toString(36)
  }
  return text.slice(0, bytes)
}

function round2(value: number): number {
  return Math.round(value * 100) / 100
}
