import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import type { BrowserContext, Route } from 'playwright-core'
import type { PageNetwork } from './render-types.ts'

/** A file of a saved page. */
export interface SavedFile {
  readonly body: string | Uint8Array
  /** Its content type, such as `text/javascript`. */
  readonly type: string
  /** The policy of the document (`Content-Security-Policy`). */
  readonly contentPolicy?: string | undefined
}

/** A page that was saved with its files. */
export interface SavedSite {
  /** The address of the page. */
  readonly url: string
  /** Finds the page, or a file of it, by its absolute URL without fragment; null if it was not saved. */
  find(url: string): Promise<SavedFile | null>
}

/**
 * What a saved page has in the place of a network: its files. Every other request is refused, and what is not a request, such as a
 * WebSocket, reaches a port that closes each connection.
 */
export class SavedNetwork implements PageNetwork {
  readonly #site: SavedSite
  readonly #maxBytes: number
  readonly #server: Server
  readonly #missing = new Set<string>()
  #bytes = 0
  #isStopped = false

  private constructor(site: SavedSite, maxBytes: number) {
    this.#site = site
    this.#maxBytes = maxBytes
    this.#server = createServer((socket) => {
      socket.on('error', () => {})
      socket.destroy()
    })
  }

  static async open(site: SavedSite, maxBytes: number): Promise<SavedNetwork> {
    const network = new SavedNetwork(site, maxBytes)
    await once(network.#server.listen(0, '127.0.0.1'), 'listening')
    return network
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get isExhausted(): boolean {
    return this.#bytes > this.#maxBytes
  }

  /** One sentence if the page requested files that were not saved. */
  get warnings(): readonly string[] {
    const { size } = this.#missing
    if (size === 0) return []
    return [
      `${size === 1 ? '1 file' : `${size} files`} that the page requested in the browser ${size === 1 ? 'is' : 'are'} not saved`,
    ]
  }

  stop(): void {
    this.#isStopped = true
  }

  async close(): Promise<void> {
    this.stop()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  /** Answers all requests of a context. */
  async attach(context: BrowserContext): Promise<void> {
    await context.route('**/*', (route) => void this.#answer(route).catch(() => {}))
  }

  async #answer(route: Route): Promise<void> {
    const request = route.request()
    const url = request.url().split('#', 1)[0]
    const file = this.#isStopped ? null : await this.#site.find(url)
    if (file !== null) this.#bytes += file.body.length
    if (file === null || this.isExhausted) {
      this.#missing.add(url)
      return await route.abort('failed')
    }
    const { origin } = request.headers()
    await route.fulfill({
      status: 200,
      headers: {
        'content-type': file.type,
        ...(file.contentPolicy !== undefined && { 'content-security-policy': file.contentPolicy }),
        // Files of other hosts were saved, so their servers had permitted the page to read them.
        ...(origin !== undefined && {
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
        }),
      },
      body: typeof file.body === 'string' ? file.body : Buffer.from(file.body),
    })
  }
}
