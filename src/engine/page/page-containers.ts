import { formatCountWas } from '../text/count.ts'
import { parseUrl } from '../text/parse-url.ts'
import { buildBase, UrlResolver } from '../text/url.ts'
import { collectBlocks } from './blocks.ts'
import { type Container, type ContainerTag, MAX_TAG_CHARACTERS } from './container/container-types.ts'
import { decodeEscapes, findAddresses } from './container/escapes.ts'
import { isContainer, readContainer } from './container/find-containers.ts'
import { decodeBody } from './page-bodies.ts'
import type { PageBodyInput } from './page-input.ts'
import { NO_ELEMENT, type PageTag, type UrlKind, type UrlUse } from './page-types.ts'
import { collectUrls } from './page-urls.ts'
import { BODY_BOUNDS, MAX_BODY_BYTES } from './select-bodies.ts'
import { buildTape } from './tape.ts'

/** The scripts that were given with a page: containers of tag managers, and all others. */
export interface SortedScripts {
  readonly containers: readonly PageBodyInput[]
  readonly others: readonly PageBodyInput[]
}

/** Separates the containers of tag managers from the other scripts of a page. */
export function sortScripts(scripts: readonly PageBodyInput[]): SortedScripts {
  const containers: PageBodyInput[] = []
  const others: PageBodyInput[] = []
  for (const script of scripts) (isOfContainer(script) ? containers : others).push(script)
  return { containers, others }
}

function isOfContainer({ url, text }: PageBodyInput): boolean {
  const head = typeof text === 'string' ? text.slice(0, HEAD_BYTES) : decodeBody(text.subarray(0, HEAD_BYTES))
  return isContainer(parseUrl(url, PLACEHOLDER)?.href ?? '', head)
}

/** Number of bytes at the beginning of a script by which a container is recognized. */
const HEAD_BYTES = 4096
/** The address of a page that is unknown. `.invalid` is reserved (RFC 2606). */
const PLACEHOLDER = 'http://page.invalid/'

/**
 * Reads the tags of the given containers, those that run on every page first. At most two containers are read, like those of a scan.
 * @param address the URL of the page; null if it is unknown
 */
export function readTags(
  given: readonly PageBodyInput[],
  { address, warnings }: { readonly address: string | null; readonly warnings: string[] },
): PageTag[] {
  const { count } = BODY_BOUNDS.container
  const containers = given
    .filter(({ missing }) => missing === undefined)
    .slice(0, count)
    .flatMap(({ url, text }) => readOne(url, text, address) ?? [])
  const lost = given.filter(({ missing }) => missing !== undefined)
  if (lost.length > 0) {
    const reasons = new Set(lost.map(({ missing }) => missing))
    warnings.push(`${formatCountWas(lost.length, 'tag container')} not read: ${[...reasons].join(', ')}`)
  }
  const reader = new ContainerTagReader(address)
  return containers
    .flatMap((container) => container.tags.map((tag) => reader.read(tag, container)))
    .sort((a, b) => Number(a.isConditional) - Number(b.isConditional))
}

function readOne(url: string, text: string | Uint8Array, address: string | null): Container | null {
  const href = parseUrl(url, address ?? PLACEHOLDER)?.href ?? ''
  const decoded =
    typeof text === 'string' ? text.slice(0, MAX_BODY_BYTES) : decodeBody(text.subarray(0, MAX_BODY_BYTES))
  return readContainer({ href, text: decoded }, address)
}

/** Addresses in code are those of scripts, or of images that count visits. */
const CODE_KINDS: readonly UrlKind[] = ['script', 'asset']

/** Maximum number of tags of a page whose HTML is parsed. A tag takes up to 0.1 ms, and containers of real sites have 20 of them. */
const MAX_PARSED_TAGS = 1000

/** Turns tags into what places of a page read: inline scripts and URLs. The amount of HTML and code is bounded for one page. */
class ContainerTagReader {
  readonly #address: string | null
  readonly #resolver: UrlResolver
  #characters = 0
  #parsed = 0

  constructor(address: string | null) {
    this.#address = address
    this.#resolver = new UrlResolver(buildBase(address, undefined))
  }

  read({ kinds, html, code, urls: own, isConditional }: ContainerTag, { name: through }: Container): PageTag {
    const scripts: string[] = []
    const urls: UrlUse[] = []
    this.#characters += html.length + code.length
    if (this.#characters <= MAX_TAG_CHARACTERS) {
      if (html !== '' && this.#parsed++ < MAX_PARSED_TAGS) this.#readHtml(html, { scripts, urls })
      if (code !== '') scripts.push(decodeEscapes(code))
    }
    for (const script of scripts)
      for (const address of findAddresses(script)) for (const kind of CODE_KINDS) this.#add(kind, address, urls)
    for (const { kind, url } of own) {
      this.#add(kind, url, urls)
      if (kind === 'script') this.#add('asset', url, urls)
    }
    return { through, isConditional, kinds, scripts, urls }
  }

  #readHtml(html: string, into: { scripts: string[]; urls: UrlUse[] }): void {
    const { tape } = buildTape(html)
    const sources = { resolver: this.#resolver, address: this.#address, headers: null, loaded: [] }
    into.urls.push(...collectUrls(tape, sources, []))
    into.scripts.push(...collectBlocks(tape, []).scripts.filter(Boolean).map(decodeEscapes))
  }

  #add(kind: UrlKind, written: string, urls: UrlUse[]): void {
    const url = this.#resolver.resolve(written)
    if (url !== null) urls.push({ kind, rel: [], url, at: NO_ELEMENT })
  }
}
