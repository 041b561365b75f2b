import { spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type ConsoleMessage, chromium, type Page } from 'playwright-core'
import { projectFolder } from '../../src/rules/built.ts'

/** The only host that the browser may reach. */
const LOCAL_HOST = '127.0.0.1'

/** How a page is displayed. */
export interface Look {
  readonly width: number
  readonly theme: 'light' | 'dark'
  /** Whether pages may run scripts; true by default. */
  readonly hasScripts?: boolean
  /** Address of the client for a service that trusts one proxy: log-ins and sign-ups are limited by address. */
  readonly client?: string
}

/** Every page is looked at on a phone and on a wide screen, in both themes. */
export const LOOKS: readonly Look[] = [360, 1280].flatMap((width) => [
  { width, theme: 'light' },
  { width, theme: 'dark' },
])

/** Each width and each theme once, for checks that do not depend on their combination. */
export const DIFFERENT_LOOKS = LOOKS.filter(({ width, theme }) => (width === 360) === (theme === 'dark'))

/** A window with cookies of its own. */
export interface BrowserWindow {
  readonly page: Page
  /** Problems that no page may have: errors in the console, scripts that fail, requests to another host. */
  readonly problems: string[]
  close(): Promise<void>
}

/** Finds the file of Chromium; null if it is not installed. */
export function findBrowser(): string | null {
  const script = join(projectFolder(), 'tools', 'browser.sh')
  const { stdout } = spawnSync('bash', [script, 'status'], { encoding: 'utf8' })
  return /^CHROMIUM=(.+)$/m.exec(stdout ?? '')?.[1] ?? null
}

/** Starts Chromium without its online services. It can resolve no host except this machine. */
export function launchBrowser(file: string): Promise<Browser> {
  return chromium.launch({
    executablePath: file,
    // The environment could name a proxy, which would find other hosts.
    env: { HOME: homedir(), PATH: '/usr/bin:/bin' },
    args: [
      `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${LOCAL_HOST}`,
      '--no-proxy-server',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-pings',
    ],
  })
}

/** Opens an empty window. */
export async function openWindow(
  browser: Browser,
  { width, theme, hasScripts = true, client }: Look,
): Promise<BrowserWindow> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: theme,
    javaScriptEnabled: hasScripts,
    ...(client !== undefined && { extraHTTPHeaders: { 'x-forwarded-for': client } }),
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const problems: string[] = []
  const page = await context.newPage()
  context.on('request', (request) => {
    const { protocol, hostname, href } = new URL(request.url())
    const isOpenedFile = protocol === 'file:' && request.isNavigationRequest()
    if (protocol !== 'data:' && hostname !== LOCAL_HOST && !isOpenedFile)
      problems.push(`request to another host: ${href}`)
  })
  page.on('pageerror', (error) => problems.push(`script failed: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !isStatusOfPage(message, page)) problems.push(`console: ${message.text()}`)
  })
  return { page, problems, close: () => context.close() }
}

/** Chromium reports a page with an error status in the console, such as a form with an invalid field (422). */
function isStatusOfPage(message: ConsoleMessage, page: Page): boolean {
  return /the server responded with a status of/.test(message.text()) && message.location().url === page.url()
}
