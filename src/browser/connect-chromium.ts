import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { SetupError } from '../errors.ts'
import { loadDriver } from './load-driver.ts'
import { NETWORK_FLAGS } from './network-flags.ts'

const CONNECT_TIMEOUT_MS = 20_000
const PROBE_TIMEOUT_MS = 20_000
const DOCUMENT = 'docs/rendering.md#a-browser-that-already-runs'

/** Flags that would take away what a page must not get, and what they would allow. */
const REFUSED_FLAGS: Readonly<Record<string, string>> = {
  '--disable-web-security': 'pages could read other sites',
  '--ignore-certificate-errors': 'pages with invalid certificates would be read',
  '--single-process': 'a page would share the process of the browser',
}

/**
 * Connects to a Chromium that the operator has started on this machine. The connection is used only if the proxy of a page is its only
 * way to the network: the browser must have the flags of one that is started here, and is tried with a proxy.
 * @param url the DevTools address, such as `http://127.0.0.1:9222`
 * @param needsSandbox whether a browser without its sandbox is refused
 * @throws SetupError that says what to do
 */
export async function connectChromium(url: string, needsSandbox: boolean): Promise<Browser> {
  const driver = await loadDriver()
  const browser = await driver.connectOverCDP(url, { timeout: CONNECT_TIMEOUT_MS }).catch((cause: Error) => {
    const reason = cause.message.split('\n')[0].slice(0, 200)
    throw new SetupError(`no browser answers at ${url}: start it as ${DOCUMENT} says (${reason})`, { cause })
  })
  try {
    const problem = findFlagProblem(await readArguments(browser), needsSandbox)
    if (problem !== null) throw new SetupError(`the browser at ${url} is not used: ${problem}`)
    await tryProxy(browser, url)
    return browser
  } catch (error) {
    await browser.close().catch(() => {})
    throw error
  }
}

/**
 * Says why a browser with this command line is not used; null if it is. As in Chromium, the last value of a flag applies, and what
 * follows `--` is not a flag.
 */
export function findFlagProblem(args: readonly string[], needsSandbox: boolean): string | null {
  const end = args.indexOf('--')
  const given = new Map(
    (end < 0 ? args : args.slice(0, end)).map((arg) => {
      const [name, ...value] = arg.split('=')
      return [name, value.join('=').replace(/\s+/g, '')] as const
    }),
  )
  for (const [flag, why] of Object.entries(REFUSED_FLAGS))
    if (given.has(flag)) return `it runs with ${flag}, so that ${why}. Start it without this flag`
  if (needsSandbox && given.has('--no-sandbox'))
    return 'it runs without its sandbox. Start it without --no-sandbox, or set CHROMIUM_SANDBOX=off if nothing else is possible'
  const missing = NETWORK_FLAGS.filter((flag) => {
    const [name, value = ''] = flag.split('=')
    return given.get(name) !== value.replace(/\s+/g, '')
  })
  if (missing.length === 0) return null
  return `pages could pass by the address policy. Start it also with ${missing.map((flag) => `'${flag}'`).join(' ')} (${DOCUMENT})`
}

/** Reads the command line of the browser, which Chromium tells only with `--enable-automation`. */
async function readArguments(browser: Browser): Promise<readonly string[]> {
  const cdp = await browser.newBrowserCDPSession()
  try {
    return (await cdp.send('Browser.getBrowserCommandLine')).arguments
  } catch (cause) {
    const sentence = `the browser does not tell its command line: start it also with --enable-automation (${DOCUMENT})`
    throw new SetupError(sentence, { cause })
  } finally {
    await cdp.detach().catch(() => {})
  }
}

/**
 * Opens two pages through a proxy, one of a name that exists nowhere and one of this machine. Both must arrive at the proxy, as a
 * browser in another network namespace or behind a tunnel cannot reach it, and one with a rule of its own for proxies does not use it.
 */
async function tryProxy(browser: Browser, url: string): Promise<void> {
  const asked = new Set<string | undefined>()
  const server = createServer((request, response) => {
    asked.add(request.url) // A proxy is sent the whole URL, a server its path.
    response.end('<!doctype html><title>Siteprint</title>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const context = await browser.newContext({ proxy: { server: proxy, bypass: '<-loopback>' } })
  try {
    const page = await context.newPage()
    const tried = ['http://siteprint.invalid/', `${proxy}/`]
    for (const target of tried) await page.goto(target, { timeout: PROBE_TIMEOUT_MS }).catch(() => {})
    if (!tried.every((target) => asked.has(target)))
      throw new SetupError(
        `the browser at ${url} is not used: its pages do not reach the proxies of this process. It must run on this machine, in the same network namespace (${DOCUMENT})`,
      )
  } finally {
    await context.close().catch(() => {})
    server.closeAllConnections()
    server.close()
  }
}
