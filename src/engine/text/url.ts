import { getDomain } from 'tldts'
import { formatCountWas } from './count.ts'
import { parseUrl } from './parse-url.ts'
import { lower } from './text.ts'

/** A URL of a page, resolved against the page's address and its `<base>`. */
export interface PageUrl {
  /** The URL without fragment, and without scheme and host if the page's address is unknown and the URL is relative. */
  readonly href: string
  /** The host in lower case and punycode, without port; '' if unknown. */
  readonly host: string
  /** The path from the first slash, without query; percent-encoding as written. */
  readonly path: string
  /** Whether it belongs to the page's own site (same registrable domain); null if that is unknown. */
  readonly own: boolean | null
}

/** The base that URLs of a page are resolved against. */
export interface UrlBase {
  /** The address from `<base>` and the page's URL; `http://page.invalid/` if both are unknown. */
  readonly href: string
  /** Host of the page itself; null if its URL is unknown. */
  readonly pageHost: string | null
}

/** Placeholder for an unknown address. `.invalid` is reserved (RFC 2606), so no page has it. */
const UNKNOWN_HOST = 'page.invalid'
const UNKNOWN_ADDRESS = `http://${UNKNOWN_HOST}/`

// URLs that WHATWG parsing does not change: a host name without escapes, a path without dot segments or characters to encode.
const ABSOLUTE =
  /^(https?:)?\/\/((?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]*)(\/[\w!$&'()*+,;=:@~%./-]*)?(?:\?([\w!$&()*+,;=:@~%./?-]*))?(?:#.*)?$/i
const ROOTED = /^(\/(?!\/)[\w!$&'()*+,;=:@~%./-]*)(?:\?([\w!$&()*+,;=:@~%./?-]*))?(?:#[^\t\n\r]*)?$/
// Empty, only a fragment, or a scheme other than http and https (a `data:` URL can be megabytes long).
const FOREIGN = /^(?:#|$|(?!https?:)[a-z][a-z0-9+.-]*:)/i
// Characters that WHATWG parsing removes first: control characters at the start, tabs and line ends everywhere.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const IGNORED = /^[\x00-\x20]+|[\t\n\r]+/g
const DOTS = /\/(?:\.|%2e)/i
const PUNYCODE = /(?:^|\.)xn--/i

/** Finds the registrable domain of a host, with private suffixes (a.github.io differs from b.github.io), or else the host. */
export function findSite(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}

/** Builds the base for URLs of a page from its address and `<base href>`. */
export function buildBase(pageUrl: string | null, baseHref: string | undefined): UrlBase {
  const page = pageUrl === null ? null : new URL(pageUrl)
  let href = page?.href ?? UNKNOWN_ADDRESS
  const moved = baseHref === undefined ? null : parseUrl(baseHref, href)
  if (moved !== null && /^https?:$/.test(moved.protocol)) href = moved.href
  return { href, pageHost: page?.hostname ?? null }
}

/** Whether a path has a dot segment, which parsing would remove. */
function hasDots(path: string): boolean {
  return (path.includes('/.') || path.includes('%')) && DOTS.test(path)
}

/** Maximum number of different URLs that are resolved. Each costs up to 10 µs. The maximum of 711 real pages is 593. */
const MAX_URLS = 10_000
/**
 * Maximum number of characters of all resolved URLs: with a `<base>` of 60 kB, 10,000 short links would take 600 MB.
 */
const MAX_CHARACTERS = 8 * 1024 * 1024

/** Resolves the URLs of one page, up to the bounds above, and caches the results. */
export class UrlResolver {
  readonly #href: string
  readonly #protocol: string
  readonly #origin: string
  readonly #host: string
  readonly #pageSite: string | null
  readonly #seen = new Map<string, PageUrl | null>()
  readonly #sites = new Map<string, string>()
  #characters = 0
  #skipped = 0

  constructor(base: UrlBase) {
    const { href, protocol, origin, hostname } = new URL(base.href)
    this.#href = href
    this.#protocol = protocol
    this.#origin = origin
    this.#host = hostname
    this.#pageSite = base.pageHost === null ? null : findSite(base.pageHost)
  }

  /** One sentence if URLs were skipped. */
  get warnings(): string[] {
    if (this.#skipped === 0) return []
    const limit = `${MAX_URLS} different URLs and ${MAX_CHARACTERS} characters in total`
    return [`${formatCountWas(this.#skipped, 'URL')} skipped: the limit is ${limit}`]
  }

  /** @returns null for URLs beyond the bounds, and for text that is empty, only a fragment, or not http or https */
  resolve(written: string): PageUrl | null {
    const known = this.#seen.get(written)
    if (known !== undefined) return known
    if (this.#seen.size >= MAX_URLS || this.#characters >= MAX_CHARACTERS) {
      this.#skipped++
      return null
    }
    const trimmed = written.trim()
    const url = this.#resolveSimple(trimmed) ?? (FOREIGN.test(trimmed) ? null : this.#parse(trimmed))
    this.#seen.set(written, url)
    this.#characters += url?.href.length ?? 0
    return url
  }

  /** Resolves URLs that need no parser, which are most. A property test compares this with `#parse`. */
  #resolveSimple(written: string): PageUrl | null {
    const absolute = ABSOLUTE.exec(written)
    if (absolute) {
      const [, scheme, name, path = '/', query] = absolute
      if (hasDots(path) || PUNYCODE.test(name)) return null
      const host = name.toLowerCase()
      return this.#url({
        origin: `${scheme?.toLowerCase() ?? this.#protocol}//${host}`,
        host,
        path,
        query,
        hosted: true,
      })
    }
    const rooted = ROOTED.exec(written)
    if (!rooted || hasDots(rooted[1])) return null
    return this.#url({ origin: this.#origin, host: this.#host, path: rooted[1], query: rooted[2], hosted: false })
  }

  #parse(written: string): PageUrl | null {
    const url = parseUrl(written, this.#href)
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
    const hosted = /^(?:https?:|[/\\]{2})/i.test(written.replace(IGNORED, ''))
    const query = url.search === '' ? undefined : url.search.slice(1)
    return this.#url({ origin: url.origin, host: url.hostname, path: url.pathname, query, hosted })
  }

  #url(parts: { origin: string; host: string; path: string; query: string | undefined; hosted: boolean }): PageUrl {
    const { host, path, query, hosted } = parts
    const isUnknown = !hosted && this.#host === UNKNOWN_HOST
    const tail = query ? `${path}?${query}` : path
    const own = !hosted ? true : this.#pageSite === null ? null : this.#findSite(host) === this.#pageSite
    return { href: isUnknown ? tail : parts.origin + tail, host: isUnknown ? '' : host, path, own }
  }

  #findSite(host: string): string {
    let site = this.#sites.get(host)
    if (site === undefined) this.#sites.set(host, (site = findSite(host)))
    return site
  }
}

/**
 * Reads a value that is a URL or a host name: `https://x.y/p`, `//x.y/p`, `/p`, `x.y`, `x.y/p`, `*.x.y`, `x.y.` (DNS). An
 * attribute value (`asUrl`) is never a host name alone.
 */
export function readUrlOrHost(value: string, resolver: UrlResolver, asUrl: boolean): PageUrl | null {
  const text = value.trim()
  if (asUrl || /^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(text) || text.startsWith('/')) return resolver.resolve(text)
  const [, host, path] = /^([^\s/?#:@]+?)\.?(?::\d+)?(\/[^?#]*)?(?:[?#].*)?$/s.exec(text) ?? []
  if (host === undefined || /^\.+$/.test(host)) return null
  if (/^[a-z0-9.*_-]+$/i.test(host)) {
    const known = resolver.resolve(`//${host.replace('*', 'any')}/`)
    return { href: text, host: lower(host), path: path ?? '/', own: known?.own ?? null }
  }
  return resolver.resolve(`//${text}`)
}
