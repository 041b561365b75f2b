import type { Browser, BrowserContext, Page } from 'playwright-core'
import { raceSignal } from '../async/race-signal.ts'
import { wait } from '../async/wait.ts'
import { findSite } from '../engine/text/url.ts'
import { PageActivity } from './page-activity.ts'
import { readDocument } from './read-document.ts'
import { readGlobals } from './read-globals.ts'
import { type PageNetwork, RenderError, type Rendered, type RenderLimits } from './render-types.ts'

interface RenderPageOptions {
  readonly network: PageNetwork
  readonly limits: RenderLimits
  readonly userAgent: string
  /** Names of properties of `window`. */
  readonly globals: readonly string[]
  /** Ends the page; its reason is what `renderPage` throws. */
  readonly signal: AbortSignal
}

const POLL_MS = 100
const MAX_COOKIES = 100

/** Opens a context for one page: no storage, permissions, downloads, service workers or credentials, and the page's own network. */
export function openContext(browser: Browser, network: PageNetwork, userAgent: string): Promise<BrowserContext> {
  return browser.newContext({
    proxy: { server: network.url, bypass: '<-loopback>' },
    userAgent,
    acceptDownloads: false,
    serviceWorkers: 'block',
    viewport: { width: 1280, height: 800 },
  })
}

/**
 * Opens a page in a context, waits until it is quiet, and reads it.
 * @throws RenderError; the signal's reason when it aborts
 */
export async function renderPage(
  context: BrowserContext,
  url: string,
  { network, limits, globals, signal }: Omit<RenderPageOptions, 'userAgent'>,
): Promise<Rendered> {
  const page = await raceSignal(context.newPage(), signal)
  const activity = new PageActivity(page, { maxRequests: limits.requests, onLimit: () => network.stop() })
  const crashed = new Promise<never>((_, reject) => {
    page.once('crash', () =>
      reject(new RenderError('crashed', 'its process in the browser ended, or needed too much memory')),
    )
    page.once('close', () => reject(new RenderError('crashed', 'the browser closed it')))
  })
  const bounded = <T>(work: Promise<T>): Promise<T> => raceSignal(Promise.race([work, crashed]), signal)
  crashed.catch(() => {})
  const cdp = await bounded(context.newCDPSession(page))
  await bounded(open(page, url))
  await bounded(settle(page, activity, limits, signal))
  const document = await bounded(readDocument(cdp, limits.characters))
  if (!isSameSite(document.url, url)) throw new RenderError('left', 'its scripts lead to another site')
  const warnings = listWarnings({ activity, network, isCut: document.isCut, limits })
  const cookies = await bounded(context.cookies(document.url))
  return {
    url: document.url,
    html: document.html,
    loaded: activity.list(),
    cookies: cookies.slice(0, MAX_COOKIES).map(({ name, value }) => ({ name, value })),
    globals: await bounded(readGlobals(cdp, globals)),
    warnings,
  }
}

async function open(page: Page, url: string): Promise<void> {
  try {
    await page.goto(url, { waitUntil: 'commit', timeout: 0 })
  } catch (cause) {
    const [reason = 'the browser could not open it'] = /net::ERR_\w+/.exec((cause as Error).message) ?? []
    throw new RenderError('unreachable', `the browser could not open it (${reason.replace('net::', '')})`, { cause })
  }
}

/** Waits until the page has loaded and sent no request for a while, or until it has had enough time for that. */
async function settle(page: Page, activity: PageActivity, limits: RenderLimits, signal: AbortSignal): Promise<void> {
  const end = performance.now() + limits.settleMs
  let hasLoaded = false
  page.waitForLoadState('load', { timeout: 0 }).then(
    () => {
      hasLoaded = true
    },
    () => {},
  )
  while (performance.now() < end && !(hasLoaded && activity.quietMs >= limits.quietMs)) {
    if (activity.isExhausted) return
    await wait(POLL_MS, signal)
  }
}

function isSameSite(a: string, b: string): boolean {
  return /^https?:/.test(a) && findSite(new URL(a).hostname) === findSite(new URL(b).hostname)
}

function listWarnings({
  activity,
  network,
  isCut,
  limits,
}: Pick<RenderPageOptions, 'network' | 'limits'> & {
  readonly activity: PageActivity
  readonly isCut: boolean
}): string[] {
  return [
    ...(activity.isExhausted ? [`the browser stopped after ${limits.requests} requests of the page`] : []),
    ...network.warnings,
    ...(network.isExhausted ? [`the browser stopped after ${limits.bytes} bytes of the page`] : []),
    ...(isCut ? [`only the first ${limits.characters} characters of the rendered page were read`] : []),
  ]
}
