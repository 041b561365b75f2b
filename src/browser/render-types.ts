import type { LoadedUrl } from '../engine/page/page-input.ts'

/** A property of `window` that a rule asks for, as the page has it. */
export interface FoundGlobal {
  /** Its path from `window`, in the page's spelling: `Shopify.theme`. */
  readonly name: string
  /** A string, a number or a truth value as text; '' for an object, a function and a getter. */
  readonly text: string
}

/** A cookie that the browser would send to the page. */
interface RenderedCookie {
  readonly name: string
  readonly value: string
}

/** What a browser shows of a page. */
export interface Rendered {
  /** The address of the document at the end, without a fragment. */
  readonly url: string
  /** The document as HTML, after its scripts have run. */
  readonly html: string
  /** The addresses that the page requested, each once. */
  readonly loaded: readonly LoadedUrl[]
  readonly cookies: readonly RenderedCookie[]
  readonly globals: readonly FoundGlobal[]
  /** One sentence per limit that the page reached. */
  readonly warnings: readonly string[]
}

/** What a page in the browser has as its network. */
export interface PageNetwork {
  /** The URL of its proxy, for the browser. */
  readonly url: string
  /** Whether the page has used up its bytes. */
  readonly isExhausted: boolean
  /** Sentences about requests that were refused, for the result. */
  readonly warnings: readonly string[]
  /** Refuses all later requests. */
  stop(): void
  close(): Promise<void>
}

/** What one page may use in the browser. */
export interface RenderLimits {
  /** Requests, those of redirects included. */
  readonly requests: number
  /** Bytes that pass the proxy in both directions, as transferred. */
  readonly bytes: number
  /** Bytes of memory of one process of the page. */
  readonly memoryBytes: number
  /** Milliseconds for the page, from its context to its last value. */
  readonly totalMs: number
  /** Milliseconds without a request after which a loaded page counts as quiet. */
  readonly quietMs: number
  /** Milliseconds after which the page is read although it is not quiet. */
  readonly settleMs: number
  /** Characters of the document. */
  readonly characters: number
  /** Milliseconds that a page may wait for its turn. */
  readonly waitMs: number
}

/** The limits that docs/rendering.md lists. */
export const RENDER_LIMITS: RenderLimits = {
  requests: 300,
  bytes: 20 * 1024 * 1024,
  memoryBytes: 1024 * 1024 * 1024,
  totalMs: 10_000,
  quietMs: 2000,
  settleMs: 8000,
  characters: 4 * 1024 * 1024,
  waitMs: 3000,
}

/** Why a page was not rendered, for metrics. */
export type RenderFailure = 'busy' | 'timeout' | 'crashed' | 'unreachable' | 'left' | 'no_browser'

/** A page that was not rendered. `message` ends the sentence "the page was not rendered: …". */
export class RenderError extends Error {
  readonly failure: RenderFailure

  constructor(failure: RenderFailure, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'RenderError'
    this.failure = failure
  }
}
