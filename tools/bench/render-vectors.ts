import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { createInterface } from 'node:readline'
import { Renderer } from '../../src/browser/renderer.ts'
import { type CommandIo, defineCommand, EXIT, UsageError } from '../../src/cli/command/command.ts'
import { runMain } from '../../src/cli/command/run-main.ts'
import { SetupError } from '../../src/errors.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { findBrowser } from '../browser/browser.ts'
import { buildWaysPage, WAYS } from './rendering/ways.ts'

const HELP = `
Tries every address of a file of vectors in the browser that renders pages, in each way in which a page can request something, and lists
where packets went.

  tools/run bench/render-vectors VECTORS.json

The file is a list of {vector, dns?, redirect?}: a URL, what its name resolves to, where it redirects to. Runs in a network namespace in which every
address is this machine, with a sniffer: needs Linux, root, ip, unshare, Python 3 and Chromium. Exit code 1 if a packet went to an
address that no scan may contact.
`

/** The second argument of the process inside the namespace. */
const MARK = '--inside'
const SET_UP = 'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo'
/** The address of all names that are public. */
const PUBLIC = '93.184.216.34'
/** Ports that this machine listens on, so that a connection would succeed. Proxies of pages have higher ones. */
const PORTS = [80, 443, 22, 25, 6379, 8080, 8443, 9200, 27017]
const FIRST_PROXY_PORT = 32_768
/** What the browser itself would request goes to this proxy, which does not exist. */
const CLOSED_PROXY = 'tcp 127.0.0.1 1'
const VECTORS_PER_PAGE = 20
const MINUTE_MS = 60_000

interface Vector {
  readonly vector: string
  readonly dns?: readonly string[]
  readonly redirect?: string
  /** `allow` if a scan may contact it. */
  readonly expected?: string
}

/** What the page is to request, and the addresses of its names. */
interface Attempt {
  readonly urls: readonly string[]
  readonly names: ReadonlyMap<string, readonly string[]>
  /** Addresses that pages may contact. */
  readonly allowed: ReadonlySet<string>
}

const main = defineCommand(HELP, async ([file, mark], io) => {
  if (file === undefined) throw new UsageError('name a file of vectors')
  if (mark !== MARK) return await runInNamespace(file)
  return await tryVectors(JSON.parse(readFileSync(file, 'utf8')), io)
})

async function runInNamespace(file: string): Promise<number> {
  if (spawnSync('unshare', ['-n', 'sh', '-c', SET_UP]).status !== 0)
    throw new SetupError('no network namespace can be made here: run as root, with ip and unshare')
  const args = ['-n', 'sh', '-c', `${SET_UP} && exec "$@"`, 'sh', process.execPath, ...process.execArgv]
  const child = spawn('unshare', [...args, ...process.argv.slice(1, 2), file, MARK], { stdio: 'inherit' })
  const [status] = (await once(child, 'close')) as [number | null]
  return status ?? EXIT.failed
}

async function tryVectors(vectors: readonly Vector[], { stdout }: CommandIo): Promise<number> {
  const attempt = readVectors(vectors)
  const pages = new Map<string, string>()
  await openMachine(pages)
  const { packets, end } = await openSniffer()
  const renderer = new Renderer({
    source: { file: findBrowser() ?? '' },
    sandbox: false, // The namespace has no other user.
    policy: DEFAULT_POLICY,
    resolver: { addresses: async (host) => [...(attempt.names.get(host) ?? [])], records: async () => [] },
    concurrency: 3,
    limits: {
      requests: 100_000,
      totalMs: 10 * MINUTE_MS,
      settleMs: 15_000,
      quietMs: 300,
      waitMs: 60 * MINUTE_MS,
    },
  })
  try {
    const opened = await Promise.allSettled(attempt.urls.map((url) => renderer.render(url, [])))
    let requests = 0
    let complete = 0
    for (let i = 0; i < attempt.urls.length; i += VECTORS_PER_PAGE) {
      pages.set(`/ways${i}`, buildWaysPage(attempt.urls.slice(i, i + VECTORS_PER_PAGE)))
      const { html, loaded } = await renderer.render(`http://page.example.com/ways${i}`, [])
      requests += loaded.length
      if (html.includes('tried everything')) complete++
    }
    const rendered = opened.filter(({ status }) => status === 'fulfilled').length
    stdout.write(
      `${attempt.urls.length} addresses: as the page ${rendered} opened, ${attempt.urls.length - rendered} refused; ` +
        `in ${WAYS.length} ways by ${pages.size} pages (${complete} tried everything), ${requests} different requests\n`,
    )
  } finally {
    await renderer.close()
    end()
  }
  return report(packets, attempt, stdout)
}

/** Reads what can be requested. A name gets a label of its own for its addresses; a redirect is one of the page's server. */
function readVectors(vectors: readonly Vector[]): Attempt {
  const names = new Map<string, readonly string[]>([['page.example.com', [PUBLIC]]])
  const urls = vectors.flatMap(({ vector, dns, redirect }, i) => {
    if (dns !== undefined) {
      names.set(`name${i}.example.org`, dns)
      return [`http://name${i}.example.org/`]
    }
    if (redirect !== undefined) return [`http://page.example.com/away?${encodeURIComponent(redirect)}`]
    return /^[a-z][a-z\d+.-]*:/i.test(vector) && !/\s=>|\s->/.test(vector) ? [vector] : []
  })
  for (const url of urls) {
    const host = URL.canParse(url) ? new URL(url).hostname : ''
    if (/^(?:[\w-]+\.)*example\.(?:com|org|net)$/.test(host) && !names.has(host)) names.set(host, [PUBLIC])
  }
  return { urls, names, allowed: new Set([PUBLIC, ...vectors.flatMap(listAllowed)]) }
}

/** Lists the addresses that a vector permits. */
function listAllowed({ vector, dns, redirect, expected }: Vector): readonly string[] {
  if (expected !== 'allow') return []
  const hosts = [vector, redirect ?? ''].flatMap((url) => (URL.canParse(url) ? [new URL(url).hostname] : []))
  return [...(dns ?? []), ...hosts.map((host) => host.replace(/^\[|\]$/g, ''))]
}

/** Listens on every address, and answers with the pages, and with redirects. */
async function openMachine(pages: ReadonlyMap<string, string>): Promise<void> {
  for (const port of PORTS) {
    const server =
      port === 80
        ? createServer(({ url = '/' }, response) => {
            if (url.startsWith('/away?')) {
              const location = encodeURI(decodeURIComponent(url.slice(6)))
              response.writeHead(302, { location }).end()
            } else response.writeHead(200, { 'content-type': 'text/html' }).end(pages.get(url) ?? '<title>x</title>')
          })
        : createTcpServer((socket) => socket.on('error', () => {}).end())
    await once(server.listen(port, '::'), 'listening')
    server.unref()
  }
}

async function openSniffer(): Promise<{ readonly packets: ReadonlyMap<string, number>; end(): void }> {
  const child = spawn('python3', [`${projectFolder()}/tools/bench/rendering/sniffer.py`])
  child.stderr.pipe(process.stderr)
  const packets = new Map<string, number>()
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  lines.on('line', (line) => packets.set(line, (packets.get(line) ?? 0) + 1))
  return { packets, end: () => void child.kill() }
}

/** Prints where packets went. @returns the exit code */
function report(packets: ReadonlyMap<string, number>, { allowed }: Attempt, stdout: CommandIo['stdout']): number {
  const counts = { proxies: 0, closed: 0, public: 0 }
  const leaks: string[] = []
  for (const [line, count] of packets) {
    const [protocol, address, port] = line.split(' ')
    if (protocol === 'tcp' && address === '127.0.0.1' && Number(port) >= FIRST_PROXY_PORT) counts.proxies += count
    else if (line === CLOSED_PROXY) counts.closed += count
    else if (protocol === 'tcp' && allowed.has(address) && /^(?:80|443)$/.test(port)) counts.public += count
    else leaks.push(`${line}: ${count}`)
  }
  stdout.write(
    `connections to proxies of pages: ${counts.proxies}; of these proxies to permitted addresses: ${counts.public}; of the browser itself to its closed proxy: ${counts.closed}\n`,
  )
  stdout.write(`packets to anything else: ${leaks.length === 0 ? 'none' : leaks.join(', ')}\n`)
  return leaks.length === 0 ? EXIT.ok : EXIT.findings
}

await runMain(main, process.argv.slice(2))
