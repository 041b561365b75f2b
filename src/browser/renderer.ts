import type { Browser, BrowserContext } from 'playwright-core'
import { Deadline } from '../async/deadline.ts'
import { KeyedSemaphore } from '../async/keyed-semaphore.ts'
import { raceSignal } from '../async/race-signal.ts'
import { openDial } from '../fetch/connector.ts'
import type { Policy } from '../fetch/policy.ts'
import { openResolver, type Resolver } from '../fetch/resolver.ts'
import type { BrowserSettings } from './browser-source.ts'
import { connectChromium } from './connect-chromium.ts'
import { lowerPriority } from './lower-priority.ts'
import { MemoryGuard } from './memory-guard.ts'
import { openChromium } from './open-chromium.ts'
import { openContext, renderPage } from './render-page.ts'
import { RenderProxy } from './render-proxy.ts'
import { RENDER_LIMITS, RenderError, type Rendered, type RenderLimits } from './render-types.ts'
import { SavedNetwork, type SavedSite } from './saved-network.ts'

export interface RendererOptions extends BrowserSettings {
  readonly policy: Policy
  /** Pages that are rendered at a time. */
  readonly concurrency: number
  readonly limits?: Partial<RenderLimits>
  /** Tests supply their own. */
  readonly resolver?: Resolver
}

/** A page of the network, or one that was saved with its files. */
type PageToRender = Pick<SavedSite, 'url'> | SavedSite

/** A browser that runs, and what watches it. */
interface OpenBrowser {
  readonly browser: Browser
  /** null for a browser that was not started here. */
  readonly pid: number | null
  /** null for a browser that was not started here: its processes may be those of another namespace. */
  readonly guard: MemoryGuard | null
}

/** Time in which a browser closes a page. A browser that takes longer hangs, and is replaced. */
const CLOSE_MS = 5000

/**
 * Renders pages in Chromium, each in a context and with a proxy of its own. The browser is started, or connected to, with the first page;
 * one that dies or hangs is replaced with the next.
 */
export class Renderer {
  readonly #options: RendererOptions
  readonly #limits: RenderLimits
  readonly #resolver: Resolver
  readonly #slots: KeyedSemaphore
  #opening: Promise<OpenBrowser> | undefined
  #isClosed = false

  constructor(options: RendererOptions) {
    this.#options = options
    this.#limits = { ...RENDER_LIMITS, ...options.limits }
    this.#resolver = options.resolver ?? openResolver()
    this.#slots = new KeyedSemaphore({ total: options.concurrency, perKey: options.concurrency })
  }

  /**
   * Starts the browser, or connects to it, if that has not been done.
   * @throws SetupError that says what to do
   */
  async start(): Promise<void> {
    await this.#open()
  }

  /**
   * Renders a page.
   * @param url the address of a page that a scan has fetched
   * @param globals names of properties of `window` that rules ask for
   * @throws RenderError; SetupError if the browser does not start; the signal's reason when it aborts
   */
  render(url: string, globals: readonly string[], signal?: AbortSignal): Promise<Rendered> {
    return this.#renderInTurn({ url }, globals, signal)
  }

  /**
   * Renders a saved page from its files, without a network.
   * @throws like `render`
   */
  renderSaved(site: SavedSite, globals: readonly string[], signal?: AbortSignal): Promise<Rendered> {
    return this.#renderInTurn(site, globals, signal)
  }

  async #renderInTurn(page: PageToRender, globals: readonly string[], signal?: AbortSignal): Promise<Rendered> {
    const release = await this.#acquire(signal)
    try {
      return await this.#render(page, globals, signal)
    } finally {
      release()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const opened = await this.#opening?.catch(() => undefined)
    if (opened !== undefined) await endBrowser(opened)
  }

  async #acquire(signal: AbortSignal | undefined): Promise<() => void> {
    const createReason = (): RenderError => new RenderError('busy', 'the browser is busy with other pages')
    const deadline = new Deadline({ ms: this.#limits.waitMs, createReason, parent: signal })
    try {
      return await this.#slots.acquire('', deadline.signal)
    } finally {
      deadline.clear()
    }
  }

  async #render(page: PageToRender, globals: readonly string[], parent: AbortSignal | undefined): Promise<Rendered> {
    const { totalMs: ms } = this.#limits
    const createReason = (): RenderError => new RenderError('timeout', `it was not done after ${ms / 1000} s`)
    const deadline = new Deadline({ ms, createReason, parent })
    try {
      return await this.#renderWithin(page, globals, deadline.signal)
    } finally {
      deadline.clear()
    }
  }

  async #renderWithin(page: PageToRender, globals: readonly string[], signal: AbortSignal): Promise<Rendered> {
    const opened = await raceSignal(this.#open(), signal)
    const network = await this.#openNetwork(page, signal)
    const unwatch = opened.guard?.watch()
    const opening = openContext(opened.browser, network, this.#options.policy.userAgent)
    try {
      const context = await raceSignal(opening, signal)
      if (network instanceof SavedNetwork) await raceSignal(network.attach(context), signal)
      return await renderPage(context, page.url, { network, limits: this.#limits, globals, signal })
    } catch (error) {
      if (signal.aborted || error instanceof RenderError) throw signal.reason ?? error
      throw new RenderError('crashed', 'the browser ended', { cause: error })
    } finally {
      unwatch?.()
      await network.close()
      await closeContext(opened, opening)
    }
  }

  #openNetwork(page: PageToRender, signal: AbortSignal): Promise<RenderProxy | SavedNetwork> {
    const { bytes: maxBytes } = this.#limits
    if ('find' in page) return SavedNetwork.open(page, maxBytes)
    const { policy } = this.#options
    return RenderProxy.open({ policy, resolver: this.#resolver, dial: openDial(), maxBytes, signal })
  }

  #open(): Promise<OpenBrowser> {
    if (this.#isClosed) return Promise.reject(new RenderError('no_browser', 'the browser is closed'))
    if (this.#opening === undefined) {
      const opening = this.#launch()
      this.#opening = opening
      opening.then(
        ({ browser }) => browser.once('disconnected', () => this.#forget(opening)),
        () => this.#forget(opening),
      )
    }
    return this.#opening
  }

  /** The next page starts another browser. */
  #forget(opening: Promise<OpenBrowser>): void {
    if (this.#opening === opening) this.#opening = undefined
  }

  async #launch(): Promise<OpenBrowser> {
    const { source, sandbox } = this.#options
    if ('url' in source) return { browser: await connectChromium(source.url, sandbox), pid: null, guard: null }
    const browser = await openChromium(source.file, sandbox)
    const cdp = await browser.newBrowserCDPSession()
    const { processInfo } = await cdp.send('SystemInfo.getProcessInfo')
    const pid = processInfo.find(({ type }) => type === 'browser')?.id ?? null
    if (pid !== null) lowerPriority(pid)
    return { browser, pid, guard: new MemoryGuard(cdp, this.#limits.memoryBytes) }
  }
}

/** Closes the context of a page. A browser that does not do so in time is ended. */
async function closeContext(opened: OpenBrowser, opening: Promise<BrowserContext>): Promise<void> {
  const deadline = new Deadline({ ms: CLOSE_MS, createReason: () => new Error('the browser hangs') })
  const close = async (): Promise<void> => (await opening).close()
  try {
    await raceSignal(close(), deadline.signal)
  } catch {
    await endBrowser(opened)
  } finally {
    deadline.clear()
  }
}

/** Ends a browser that was started here, and its process if it does not respond; disconnects from another one. */
async function endBrowser({ browser, pid }: OpenBrowser): Promise<void> {
  const deadline = new Deadline({ ms: CLOSE_MS })
  try {
    await raceSignal(browser.close(), deadline.signal)
  } catch {
    if (pid !== null) killProcess(pid)
  } finally {
    deadline.clear()
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
