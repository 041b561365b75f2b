import { parseUrl } from '../text/parse-url.ts'
import { lower } from '../text/text.ts'
import type { Page } from './page-types.ts'

const MAX_HEADERS = 200

/** The known parts of a response. Absent and null mean that a part was not looked at. */
export interface PageInput {
  /** The final URL, http or https. */
  readonly url?: string | null
  readonly status?: number | null
  /** An object by name, or pairs of name and value: a list, a `Headers` or a `Map`. */
  readonly headers?:
    | Readonly<Record<string, string | readonly string[]>>
    | Iterable<readonly [string, string | readonly string[]]>
    | null
  /** The body. Bytes are decoded by byte order mark, header or meta tag. */
  readonly html?: string | Uint8Array | null
  readonly dns?: Readonly<Record<string, readonly string[]>> | null
  readonly tls?: { readonly issuer?: string | null; readonly names?: readonly string[] } | null
  /** The address that answered: IPv4 or IPv6. */
  readonly address?: string | null
  /** The network of the address; null if the address has none that is known. Commands and the service look it up. */
  readonly network?: { readonly asn: number; readonly name: string } | null
  readonly robots?: string | null
  readonly favicon?: number | null
  /** Scripts that the page loads by their URLs, and style sheets that it links. */
  readonly scripts?: readonly PageBodyInput[] | null
  readonly styles?: readonly PageBodyInput[] | null
  /**
   * URLs that a browser loaded for the page, including those that are not in its HTML because a script requested them.
   */
  readonly loaded?: readonly LoadedUrl[] | null
  /** Properties of `window` in a browser that has run the page, by their path; '' for an object or a function. */
  readonly globals?: Readonly<Record<string, string>> | null
  /** Cookies that the page has set in a browser, by name, in addition to those of its response. */
  readonly cookies?: Readonly<Record<string, string>> | null
}

/** A URL that a browser loaded. */
export interface LoadedUrl {
  /** As in the page, or absolute. */
  readonly url: string
  /** A script, a frame, or anything else that counts as an asset. */
  readonly kind: 'script' | 'asset' | 'frame'
}

/** A script or style sheet. */
export interface PageBodyInput {
  /** As in the page, or absolute. */
  readonly url: string
  /** The body. Bytes are decoded as UTF-8. */
  readonly text: string | Uint8Array
  /** Whether the body continues after `text`. */
  readonly isCut?: boolean
  /** Why the body could not be read, for the warnings, such as `with status 404`. `text` is then ignored. */
  readonly missing?: string
}

/** Checks the types, because JavaScript callers may pass anything and a wrong value must not count as an absent one. */
export function checkInput({ status, html, tls, address, network, robots, favicon, ...files }: PageInput): void {
  const { scripts, styles, loaded, globals, cookies } = files
  demand(areTexts(globals), 'globals must be {path: text} or null')
  demand(areTexts(cookies), 'cookies must be {name: value} or null')
  demand(isNothing(status) || Number.isInteger(status), 'status must be a whole number or null')
  demand(isNothing(html) || isText(html) || isBytes(html), 'html must be a string, a Uint8Array or null')
  demand(isNothing(robots) || isText(robots), 'robots must be a string or null')
  demand(isNothing(favicon) || Number.isInteger(favicon), 'favicon must be a whole number or null')
  demand(areBodies(scripts), 'scripts must be a list of {url, text}, where text is a string or a Uint8Array, or null')
  demand(areBodies(styles), 'styles must be a list of {url, text}, where text is a string or a Uint8Array, or null')
  demand(areLoaded(loaded), 'loaded must be a list of {url, kind}, where kind is script, asset or frame, or null')
  demand(isNothing(address) || isText(address), 'address must be a string or null')
  const { asn, name } = Object(network) as NonNullable<PageInput['network']>
  demand(
    isNothing(network) || (Number.isInteger(asn) && isText(name)),
    'network must be {asn, name}, a whole number and a string, or null',
  )
  if (isNothing(tls)) return
  const { issuer, names } = Object(tls) as NonNullable<PageInput['tls']>
  const isTls = typeof tls === 'object' && (isNothing(issuer) || isText(issuer)) && (isNothing(names) || isTexts(names))
  demand(isTls, 'tls must be {issuer, names}, a string and a list of strings, or null')
}

/**
 * Checks an input like `buildPage`, without building the page, and returns a copy that can be sent to another thread, which
 * a `Headers` object cannot.
 * @throws TypeError like `buildPage`
 */
export function preparePageInput(input: PageInput): PageInput {
  const { url, status, html, dns, tls, address, network, robots, favicon, scripts, styles, loaded, globals, cookies } =
    input
  const headers = isIterable(input.headers) ? [...input.headers] : input.headers
  const known = { url, status, headers, html, dns, tls, address, network, robots, favicon }
  const prepared = { ...known, scripts, styles, loaded, globals, cookies } as PageInput
  checkInput(prepared)
  readAddress(url)
  readHeaders(headers, [])
  readDns(dns)
  return prepared
}

export function readAddress(url: PageInput['url']): string | null {
  if (isNothing(url)) return null
  const parsed = parseUrl(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new TypeError('url must be an absolute http or https URL')
  parsed.hash = ''
  return parsed.href
}

export function readHeaders(headers: PageInput['headers'], warnings: string[]): Page['headers'] {
  if (isNothing(headers)) return null
  const sentence =
    'headers must be {name: value}, pairs of name and value, or null; each value must be a string or a list of strings'
  demand(typeof headers === 'object', sentence)
  const pairs: (readonly [string, string])[] = []
  for (const pair of isIterable(headers) ? headers : Object.entries(headers)) {
    demand(Array.isArray(pair) && pair.length === 2 && isText(pair[0]), sentence)
    const [name, values] = pair
    for (const value of Array.isArray(values) ? values : [values]) {
      demand(isText(value), sentence)
      pairs.push([lower(name), value.trim()])
    }
  }
  if (pairs.length > MAX_HEADERS) warnings.push(`only the first ${MAX_HEADERS} of ${pairs.length} headers were read`)
  return pairs.slice(0, MAX_HEADERS)
}

export function readDns(dns: PageInput['dns']): Page['dns'] {
  if (isNothing(dns)) return null
  const sentence = 'dns must be {type: [record, …]} with strings as records, or null'
  demand(typeof dns === 'object', sentence)
  const records = Object.entries(dns).map(([type, list]) => {
    demand(isTexts(list), sentence)
    return [lower(type), list.map((record) => record.trim())] as const
  })
  return Object.fromEntries(records)
}

function demand(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new TypeError(sentence)
}

function areBodies(bodies: PageInput['scripts']): boolean {
  if (isNothing(bodies)) return true
  const isBody = (body: Partial<PageBodyInput> | null): boolean =>
    typeof body === 'object' &&
    body !== null &&
    isText(body.url) &&
    (isText(body.text) || isBytes(body.text)) &&
    (isNothing(body.missing) || isText(body.missing))
  return Array.isArray(bodies) && bodies.every(isBody)
}

function areLoaded(loaded: PageInput['loaded']): boolean {
  if (isNothing(loaded)) return true
  const isLoaded = (one: Partial<LoadedUrl> | null): boolean =>
    typeof one === 'object' && one !== null && isText(one.url) && ['script', 'asset', 'frame'].includes(one.kind ?? '')
  return Array.isArray(loaded) && loaded.every(isLoaded)
}

function areTexts(texts: unknown): boolean {
  return isNothing(texts) || (typeof texts === 'object' && !Array.isArray(texts) && isTexts(Object.values(texts)))
}

function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}

/** Whether a value is a Uint8Array, even one from another realm, whose class differs. */
function isBytes(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Uint8Array]'
}

function isIterable<T>(value: object | Iterable<T> | null | undefined): value is Iterable<T> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}
