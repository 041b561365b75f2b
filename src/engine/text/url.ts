import { getDomain } from 'tldts'
import { lower } from './text.ts'

/** A URL as the page has it, resolved against the page and its `<base>`. */
export interface PageUrl {
  /** Without fragment. Without scheme and host when the page's own address is unknown and the URL was written relative. */
  readonly href: string
  /** Lower case, punycode, without port; '' when unknown. */
  readonly host: string
  /** From the first slash, without query; percent-encoding as written. */
  readonly path: string
  /** Whether it is the page's own site (same registrable domain); null when that cannot be told. */
  readonly own: boolean | null
}

/** What a written URL is resolved against. */
export interface UrlBase {
  /** The address that `<base>` and the page's URL give; `http://page.invalid/` when neither does. */
  readonly href: string
  /** Host of the page itself; null when its URL is unknown. */
  readonly pageHost: string | null
}

/** Stands for an unknown address; `.invalid` is reserved (RFC 2606), so no page has it. */
const NOWHERE_HOST = 'page.invalid'
const NOWHERE = `http://${NOWHERE_HOST}/`

// What WHATWG parsing leaves as it is: a name host without escapes, a path without dot segments or characters to encode.
const ABSOLUTE =
  /^(https?:)?\/\/((?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]*)(\/[\w!$&'()*+,;=:@~%./-]*)?(?:\?([\w!$&()*+,;=:@~%./?-]*))?(?:#.*)?$/i
const ROOTED = /^(\/(?!\/)[\w!$&'()*+,;=:@~%./-]*)(?:\?([\w!$&()*+,;=:@~%./?-]*))?(?:#[^\t\n\r]*)?$/
// Empty, a fragment alone, or a scheme that is not http or https (a `data:` URL can be megabytes long).
const FOREIGN = /^(?:#|$|(?!https?:)[a-z][a-z0-9+.-]*:)/i
// What WHATWG parsing takes away before it reads: control characters at the front, tabs and line ends everywhere.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is meant.
const IGNORED = /^[\x00-\x20]+|[\t\n\r]+/g
const DOTS = /\/(?:\.|%2e)/i
const PUNYCODE = /(?:^|\.)xn--/i

/**
 * Parses a URL; null when it is none. `URL.canParse` will not do: Node 20 says no to `https://bücher.example/` once
 * the call is hot (its fast path takes Latin-1 for UTF-8), and so does every URL with an accent in it.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

/** The registrable domain of a host, private suffixes counted (a.github.io is not b.github.io); the host where there is none. */
function findSite(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}

/** The base for URLs of a page: its address, as `<base href>` moves it. */
export function buildBase(pageUrl: string | null, baseHref: string | undefined): UrlBase {
  const page = pageUrl === null ? null : new URL(pageUrl)
  let href = page?.href ?? NOWHERE
  const moved = baseHref === undefined ? null : parseUrl(baseHref, href)
  if (moved !== null && /^https?:$/.test(moved.protocol)) href = moved.href
  return { href, pageHost: page?.hostname ?? null }
}

/** Whether a path has a segment that parsing would take away. */
function hasDots(path: string): boolean {
  return (path.includes('/.') || path.includes('%')) && DOTS.test(path)
}

/** Different URLs that are resolved: one costs up to 10 µs. The most of 711 real pages are 593. */
const MAX_URLS = 10_000
/** Characters of all resolved URLs together: with a `<base>` of 60 kB, 10,000 short links would take 600 MB. */
const MAX_CHARACTERS = 8 * 1024 * 1024

/** Resolves URLs as they are written in one page, up to the bounds above; remembers what it has seen. */
export class UrlResolver {
  readonly #href: string
  readonly #protocol: string
  readonly #origin: string
  readonly #host: string
  readonly #pageSite: string | null
  readonly #seen = new Map<string, PageUrl | null>()
  readonly #sites = new Map<string, string>()
  #characters = 0
  #left = 0

  constructor(base: UrlBase) {
    const { href, protocol, origin, hostname } = new URL(base.href)
    this.#href = href
    this.#protocol = protocol
    this.#origin = origin
    this.#host = hostname
    this.#pageSite = base.pageHost === null ? null : findSite(base.pageHost)
  }

  /** One sentence when URLs were left out. */
  get warnings(): string[] {
    return this.#left === 0
      ? []
      : [
          `${this.#left} URLs were not looked at: only ${MAX_URLS} different ones of ${MAX_CHARACTERS} characters together are`,
        ]
  }

  /** @returns null for what is not http or https, is empty or a fragment alone, and for URLs beyond the bound. */
  resolve(written: string): PageUrl | null {
    const known = this.#seen.get(written)
    if (known !== undefined) return known
    if (this.#seen.size >= MAX_URLS || this.#characters >= MAX_CHARACTERS) {
      this.#left++
      return null
    }
    const trimmed = written.trim()
    const url = this.#quick(trimmed) ?? (FOREIGN.test(trimmed) ? null : this.#parse(trimmed))
    this.#seen.set(written, url)
    this.#characters += url?.href.length ?? 0
    return url
  }

  /** Most URLs of most pages need no parser; a property test holds this to `#parse`. */
  #quick(written: string): PageUrl | null {
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
    const nowhere = !hosted && this.#host === NOWHERE_HOST
    const tail = query ? `${path}?${query}` : path
    const own = !hosted ? true : this.#pageSite === null ? null : this.#site(host) === this.#pageSite
    return { href: nowhere ? tail : parts.origin + tail, host: nowhere ? '' : host, path, own }
  }

  #site(host: string): string {
    let site = this.#sites.get(host)
    if (site === undefined) this.#sites.set(host, (site = findSite(host)))
    return site
  }
}

/**
 * Reads a value that is a URL or a host: `https://x.y/p`, `//x.y/p`, `/p`, `x.y`, `x.y/p`, `*.x.y`, `x.y.` (DNS).
 * A value of an attribute (`asUrl`) is never a bare host.
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
