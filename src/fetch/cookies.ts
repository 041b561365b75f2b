import { CookieJar } from 'tough-cookie'

/** Maximum number of characters of one `Set-Cookie` header; browsers must accept as many bytes (RFC 6265, 6.1). */
const MAX_COOKIE_CHARACTERS = 4096
/** Maximum number of `Set-Cookie` headers of one host that are stored; browsers must accept as many per domain (RFC 6265, 6.1). */
const MAX_STORED_PER_HOST = 50
/** Maximum number of `Set-Cookie` headers of all hosts that are stored. */
const MAX_STORED = 100
/** Maximum number of characters of a `Cookie` header. Many servers reject a request with 8 KiB of headers. */
const MAX_SENT_CHARACTERS = 6144
/** Characters that a header may contain. Others would make the request fail. */
const HEADER_TEXT = /^[\x20-\x7e\x80-\xff]*$/

/**
 * The cookies of one scan, which end with it. A cookie is sent only to the hosts for which it was set: never for a public suffix, nor by
 * a host outside of its domain, and a cookie with `Secure` only over https (RFC 6265, 5.3 and 5.4).
 */
export class ScanCookies {
  readonly #jar = new CookieJar(undefined, { prefixSecurity: 'silent' })
  readonly #storedPerHost = new Map<string, number>()
  #stored = 0

  /** Stores the cookies of a response. Cookies that are malformed, too large, too many or for other hosts are ignored. */
  store(headers: readonly (readonly [string, string])[], url: URL): void {
    for (const [name, value] of headers) if (name === 'set-cookie') this.#storeOne(value, url)
  }

  #storeOne(text: string, url: URL): void {
    const storedForHost = this.#storedPerHost.get(url.hostname) ?? 0
    if (this.#stored >= MAX_STORED || storedForHost >= MAX_STORED_PER_HOST) return
    if (text.length > MAX_COOKIE_CHARACTERS || !HEADER_TEXT.test(text)) return
    if (this.#jar.setCookieSync(text, url.href, { ignoreError: true }) === undefined) return
    this.#stored++
    this.#storedPerHost.set(url.hostname, storedForHost + 1)
  }

  /** Builds the `Cookie` header of a request: as many whole cookies as may be sent; empty if there are none. */
  format(url: URL): string {
    if (this.#stored === 0) return ''
    let header = ''
    for (const cookie of this.#jar.getCookiesSync(url.href, { expire: true })) {
      const next = `${header}${header === '' ? '' : '; '}${cookie.cookieString()}`
      if (next.length <= MAX_SENT_CHARACTERS) header = next
    }
    return header
  }
}
