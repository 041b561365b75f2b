import { isIP } from 'node:net'
import type { LoadedUrl } from '../../engine/page/page-input.ts'
import { parseUrl } from '../../engine/text/parse-url.ts'
import { REDIRECT_STATUSES } from '../../fetch/redirect.ts'

/** The fields of an entry that are used (HAR 1.2, Chrome's `_resourceType` and Playwright's `_frameref`). Their types are not guaranteed. */
export interface HarEntry {
  readonly _resourceType?: unknown
  readonly _frameref?: unknown
  readonly pageref?: unknown
  readonly startedDateTime?: unknown
  readonly serverIPAddress?: unknown
  readonly request?: { readonly url?: unknown; readonly headers?: unknown }
  readonly response?: {
    readonly status?: unknown
    readonly headers?: unknown
    readonly content?: Partial<Readonly<Record<'mimeType' | 'text' | 'encoding' | 'size', unknown>>>
  }
}

/** Reads the address of the server that answered: IPv6 may be in brackets. null if it was not recorded. */
export function readServer({ serverIPAddress }: HarEntry): string | null {
  const address = typeof serverIPAddress === 'string' ? serverIPAddress.replace(/^\[(.*)\]$/, '$1') : ''
  return isIP(address) === 0 ? null : address
}

/** Reads the address of an entry without its fragment; null if it is not http or https. */
export function readAddress({ request }: HarEntry): string | null {
  const url = typeof request?.url === 'string' ? parseUrl(request.url) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  url.hash = ''
  return url.href
}

/** Reads headers. Pseudo-headers of HTTP/2 (`:status`) are skipped; a value with several lines is split. */
export function readHeaders(headers: unknown): (readonly [string, string])[] {
  if (!Array.isArray(headers)) return []
  return headers.flatMap((header: { name?: unknown; value?: unknown } | null) => {
    const { name, value } = header ?? {}
    if (typeof name !== 'string' || typeof value !== 'string' || name.startsWith(':')) return []
    return value.split('\n').map((line) => [name, line] as const)
  })
}

const findHeader = (headers: unknown, wanted: string): string | undefined =>
  readHeaders(headers).find(([name]) => name.toLowerCase() === wanted)?.[1]

/** The content type that the browser used, or else that of the response headers; empty if there is none. */
export function readType({ response }: HarEntry): string {
  const { headers, content } = response ?? {}
  const isKnown = typeof content?.mimeType === 'string' && content.mimeType !== ''
  return isKnown ? String(content?.mimeType) : (findHeader(headers, 'content-type') ?? '')
}

/** Whether an entry is a response with HTML, and not a redirect. */
export function isHtmlResponse(entry: HarEntry): boolean {
  if (REDIRECT_STATUSES.has(entry.response?.status) || readAddress(entry) === null) return false
  return /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:$|[;,])/i.test(readType(entry))
}

/**
 * Whether a document is a page of the tab, and not one of a frame in it. Without the header `Sec-Fetch-Dest` it must
 * have the frame of the tab's first page, by Playwright's `_frameref`; null if the file does not show which.
 */
export function isTopLevel(entry: HarEntry, first: HarEntry): boolean | null {
  const destination = findHeader(entry.request?.headers, 'sec-fetch-dest')
  if (destination !== undefined) return destination === 'document'
  if (typeof entry._frameref === 'string' && typeof first._frameref === 'string')
    return entry._frameref === first._frameref
  return null
}

type LoadedKind = LoadedUrl['kind']

/** Kinds of URLs by the header `Sec-Fetch-Dest` of the request (Fetch Metadata). Others are not loaded by elements of a page. */
const DESTINATIONS: Readonly<Record<string, LoadedKind>> = {
  script: 'script',
  style: 'asset',
  image: 'asset',
  font: 'asset',
  audio: 'asset',
  video: 'asset',
  track: 'asset',
  manifest: 'asset',
  iframe: 'frame',
  frame: 'frame',
  embed: 'frame',
  object: 'frame',
}
/** Kinds of URLs by Chrome's `_resourceType`, which calls a frame a document, like the page itself. */
const RESOURCE_TYPES: Readonly<Record<string, LoadedKind>> = {
  script: 'script',
  stylesheet: 'asset',
  image: 'asset',
  font: 'asset',
  media: 'asset',
  texttrack: 'asset',
  manifest: 'asset',
}
const SCRIPT_TYPE = /^\s*(?:text|application)\/(?:x-)?(?:javascript|ecmascript)\b/i
const ASSET_TYPE = /^\s*(?:text\/css|image\/|font\/|audio\/|video\/|application\/(?:font|x-font|vnd\.ms-fontobject))/i

const lookUp = (table: Readonly<Record<string, LoadedKind>>, name: string): LoadedKind | null =>
  Object.hasOwn(table, name) ? table[name] : null

/** Finds how the page uses the file of an entry; null for requests of scripts (XHR, fetch, beacons) and for pages. */
function findKind(entry: HarEntry): LoadedKind | null {
  const destination = findHeader(entry.request?.headers, 'sec-fetch-dest')
  if (destination !== undefined) return lookUp(DESTINATIONS, destination)
  if (typeof entry._resourceType === 'string') return lookUp(RESOURCE_TYPES, entry._resourceType)
  const type = readType(entry)
  return SCRIPT_TYPE.test(type) ? 'script' : ASSET_TYPE.test(type) ? 'asset' : null
}

/**
 * Whether the page itself made the request. A request of a frame, or of a style sheet on another origin, has that one
 * as its referrer.
 */
function isOfPage({ request }: HarEntry, page: string): boolean {
  const referrer = findHeader(request?.headers, 'referer')
  return referrer === undefined || parseUrl(referrer)?.origin === parseUrl(page)?.origin
}

/** Lists the URLs that the page of a HAR file loaded. `entries` are those of the page. */
export function listLoaded(entries: readonly HarEntry[], page: string): LoadedUrl[] {
  return entries.flatMap((entry) => {
    const url = readAddress(entry)
    const kind = findKind(entry)
    return url === null || url === page || kind === null || !isOfPage(entry, page) ? [] : [{ url, kind }]
  })
}
