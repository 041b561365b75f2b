import type { BrowserContext, Page, Request } from 'playwright-core'
import type { LoadedUrl } from '../engine/page/page-input.ts'
import { MAX_URL_LENGTH } from '../fetch/target.ts'

/** What a page requests, and how long it has been quiet. Ends the page's network access after its last request. */
export class PageActivity {
  readonly #loaded = new Map<string, LoadedUrl['kind']>()
  readonly #maxRequests: number
  readonly #pending = new Set<Request>()
  #count = 0
  #quietSince = performance.now()

  /** @param onLimit called when the page has sent more than `maxRequests` requests */
  constructor(page: Page, { maxRequests, onLimit }: { readonly maxRequests: number; readonly onLimit: () => void }) {
    this.#maxRequests = maxRequests
    const context: BrowserContext = page.context()
    const end = (request: Request): void => {
      if (this.#pending.delete(request)) this.#quietSince = performance.now()
    }
    context.on('request', (request) => {
      this.#add(request, page)
      if (this.isExhausted) onLimit()
    })
    context.on('requestfinished', end)
    context.on('requestfailed', end)
    // A page has one window. The browser closes others before they load.
    context.on('page', (other) => {
      if (other !== page) other.close().catch(() => {})
    })
  }

  /** Whether the page has sent more requests than it may. */
  get isExhausted(): boolean {
    return this.#count > this.#maxRequests
  }

  /** Milliseconds without a request that has no end yet. */
  get quietMs(): number {
    return this.#pending.size > 0 && !this.isExhausted ? 0 : performance.now() - this.#quietSince
  }

  /** The requested addresses, each once, without the page itself. */
  list(): LoadedUrl[] {
    return Array.from(this.#loaded, ([url, kind]) => ({ url, kind }))
  }

  #add(request: Request, page: Page): void {
    this.#count++
    if (this.isExhausted) return
    this.#quietSince = performance.now()
    this.#pending.add(request)
    const url = request.url().split('#', 1)[0]
    if (!/^https?:/.test(url) || url.length > MAX_URL_LENGTH) return
    const kind = findKind(request, page)
    if (kind !== null && !this.#loaded.has(url)) this.#loaded.set(url, kind)
  }
}

/** The kind under which rules look for a request; null for the page's own document. */
function findKind(request: Request, page: Page): LoadedUrl['kind'] | null {
  const type = request.resourceType()
  if (type === 'script') return 'script'
  if (type !== 'document') return 'asset'
  try {
    return request.frame() === page.mainFrame() ? null : 'frame'
  } catch {
    return null // A frame that does not exist yet is that of another window.
  }
}
