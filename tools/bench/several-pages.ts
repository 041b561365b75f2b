import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { Dial } from '../../src/fetch/connector.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import type { Resolver } from '../../src/fetch/resolver.ts'
import { Scanner } from '../../src/scan/scanner.ts'
import { median } from '../statistics/quantile.ts'
import { generatePages } from './generated-pages.ts'

const PAGE_CHARACTERS = 60_000
/** Time that a server takes for each response, in milliseconds: that of a usual site. */
const RESPONSE_MS = 150
const PAGES = 4
const SYSTEMS = {
  'www.example.org': '<meta name="generator" content="WordPress 6.5">',
  'shop.example.org': '<meta name="generator" content="PrestaShop"><script>var prestashop = {}</script>',
  'blog.example.org': '<meta name="generator" content="Ghost 5.2">',
  'help.example.org': '<meta name="generator" content="MediaWiki 1.42.1">',
}

/** The address that all hosts are said to have; no connection is opened to it. */
const PUBLIC = '93.184.216.34'

const connect = buildConnector({})

/** Connects to the local server instead of to the address of a host. */
const dialLocally: Dial = (options, callback) => {
  const socket = connect({ ...options, hostname: '127.0.0.1' }, callback) as unknown as Socket
  return Object.defineProperty(socket, 'remoteAddress', { value: options.hostname })
}

interface SeveralPages {
  readonly oneMs: number
  readonly fourMs: number
  /** Median over the rounds of the time of four pages by that of one. */
  readonly fourByOne: number
  /** Builders that the parts of the last scan have. */
  readonly builders: readonly (string | null)[]
}

/**
 * Measures a scan of a site whose shop, blog and help run on three systems, each on a subdomain, with one page and with four,
 * alternating. All hosts are one local server that takes 150 ms for each response.
 * @param rounds number of measured scans of each kind, after two that are not counted
 */
export async function measureSeveralPages(rounds: number): Promise<SeveralPages> {
  const filler = generatePages(40).map(({ html }) => String(html))
  const text = filler.join('').slice(0, PAGE_CHARACTERS)
  const server = createServer(({ url, headers: { host = '' } }, response) => {
    const [name, port] = host.split(':')
    const head = SYSTEMS[name as keyof typeof SYSTEMS]
    const links = Object.keys(SYSTEMS).map((one) => `<a href="http://${one}:${port}/">x</a>`)
    setTimeout(() => {
      if (url !== '/' || head === undefined) {
        response.writeHead(404).end()
        return
      }
      response.setHeader('content-type', 'text/html')
      response.end(`<!doctype html><title>Harbour Line</title>${head}${links.join('')}${text}`)
    }, RESPONSE_MS)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const resolver: Resolver = { addresses: async () => [PUBLIC], records: async () => [] }
  const scanner = new Scanner({ policy: { ...DEFAULT_POLICY, ports: [port] }, resolver, dial: dialLocally })
  const scan = async (pages: number) => {
    const started = performance.now()
    const { parts = [] } = await scanner.scan(`http://www.example.org:${port}/`, { pages })
    return { ms: performance.now() - started, builders: parts.map(({ builder }) => builder) }
  }
  const [one, four]: [number[], number[]] = [[], []]
  let builders: readonly (string | null)[] = []
  try {
    for (let round = -2; round < rounds; round++) {
      const single = await scan(1)
      const several = await scan(PAGES)
      builders = several.builders
      if (round < 0) continue
      one.push(single.ms)
      four.push(several.ms)
    }
  } finally {
    await scanner.close()
    server.closeAllConnections()
    server.close()
  }
  const round2 = (value: number): number => Math.round(value * 100) / 100
  const ratios = four.map((ms, i) => ms / one[i])
  return { oneMs: round2(median(one)), fourMs: round2(median(four)), fourByOne: round2(median(ratios)), builders }
}
