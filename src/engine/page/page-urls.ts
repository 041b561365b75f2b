import { parseUrl } from '../text/parse-url.ts'
import { SparseMap } from '../text/sparse-map.ts'
import type { UrlResolver } from '../text/url.ts'
import { findTemplateContent, readAttribute, readText } from './element.ts'
import { type HeaderLink, readLinkHeaders } from './link-header.ts'
import type { LoadedUrl } from './page-input.ts'
import { NO_ELEMENT, type Page, type Tape, type UrlKind, type UrlUse } from './page-types.ts'

const LOADING_RELS = new Set(
  'stylesheet preload modulepreload icon apple-touch-icon apple-touch-icon-precomposed mask-icon manifest'.split(' '),
)
/** Links of a `Link` header that say which hosts a page uses. The others describe the document, and header clauses read them. */
const HEADER_RELS: ReadonlySet<string> = new Set([...LOADING_RELS, 'preconnect', 'dns-prefetch', 'prefetch'])
const FRAMES = new Map([
  ['iframe', 'src'],
  ['frame', 'src'],
  ['embed', 'src'],
  ['object', 'data'],
])
/** Attributes that a script of the page copies to `src` when the file is due: lazy loading, WP Rocket, consent tools and tag managers. */
const LATE_SOURCES = new Set(['data-src', 'data-lazy-src', 'data-rocket-src', 'data-cmp-src', 'data-gtmsrc'])
// Attributes with one or several URLs of files that the page loads.
const ATTRIBUTES = new SparseMap<'href' | 'one' | 'several' | 'style' | 'data'>()
for (const [name, kind] of [
  ['href', 'href'],
  ['src', 'one'],
  ['poster', 'one'],
  ...Array.from(LATE_SOURCES, (name) => [name, 'one'] as const),
  ['background', 'one'],
  ['srcset', 'several'],
  ['data-srcset', 'several'],
  ['imagesrcset', 'several'],
  ['style', 'style'],
  ['data', 'data'],
] as const)
  ATTRIBUTES.set(name, kind)
// An unquoted URL cannot contain a bracket (CSS syntax), so an unclosed one ends before the next begins.
const CSS_URL = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^"'()\s]+))\s*\)|@import\s+(?:"([^"]*)"|'([^']*)')/gi

/**
 * Maximum number of URL uses that are stored: a style sheet of 4 MB can contain 700,000. The maximum of 711 real pages
 * is 775.
 */
const MAX_USES = 50_000

interface UrlSources {
  readonly resolver: UrlResolver
  /** The URL of the response, which links of its headers are relative to. */
  readonly address: string | null
  readonly headers: Page['headers']
  readonly loaded: readonly LoadedUrl[]
}

/**
 * Collects the URLs of a page outside its templates, in document order, then those that `Link` headers announce, then those that a
 * browser loaded.
 */
export function collectUrls(
  tape: Tape,
  { resolver, address, headers, loaded }: UrlSources,
  warnings: string[],
): UrlUse[] {
  const collector = new UrlCollector(tape, resolver)
  const isInTemplate = findTemplateContent(tape)
  for (let at = 0; at < tape.tags.length && !collector.isFull; at++) if (!isInTemplate(at)) collector.collect(at)
  for (const link of readLinkHeaders(headers)) {
    if (collector.isFull) break
    collector.addHeaderLink(link, address)
  }
  for (const one of loaded) if (!collector.isFull) collector.addLoaded(one)
  if (collector.isFull) warnings.push(`only the first ${MAX_USES} URLs in the page were read`)
  warnings.push(...resolver.warnings)
  return collector.uses
}

const NO_RELS: readonly string[] = []

class UrlCollector {
  readonly uses: UrlUse[] = []
  readonly #tape: Tape
  readonly #resolver: UrlResolver

  constructor(tape: Tape, resolver: UrlResolver) {
    this.#tape = tape
    this.#resolver = resolver
  }

  get isFull(): boolean {
    return this.uses.length >= MAX_USES
  }

  collect(at: number): void {
    const { tags, attributes, names, values } = this.#tape
    const tag = tags[at]
    if (tag === 'style') this.#addStyle(readText(this.#tape, at), at)
    for (let k = attributes[at], end = attributes[at + 1]; k < end; k++) {
      const kind = ATTRIBUTES.get(names[k])
      if (kind === undefined) continue
      const value = values[k]
      if (kind === 'href') this.#addHref(tag, value, at)
      else if (kind === 'style') this.#addStyle(value, at)
      else if (FRAMES.has(tag)) {
        if (FRAMES.get(tag) === names[k] || LATE_SOURCES.has(names[k])) this.#add('frame', value, at)
      } else if (kind === 'several') for (const written of parseSrcset(value)) this.#add('asset', written, at)
      else if (kind === 'one') {
        const url = this.#resolver.resolve(value)
        if (url === null) continue
        if (tag === 'script' && (names[k] === 'src' || LATE_SOURCES.has(names[k])))
          this.uses.push({ kind: 'script', rel: NO_RELS, url, at })
        this.uses.push({ kind: 'asset', rel: NO_RELS, url, at })
      }
    }
  }

  addLoaded({ url, kind }: LoadedUrl): void {
    this.#add(kind, url, NO_ELEMENT)
    if (kind === 'script') this.#add('asset', url, NO_ELEMENT)
  }

  addHeaderLink({ target, rel }: HeaderLink, address: string | null): void {
    if (!rel.some((token) => HEADER_RELS.has(token))) return
    const url = address === null ? target : (parseUrl(target, address)?.href ?? '')
    this.#addLink(rel, url, NO_ELEMENT)
  }

  #add(kind: UrlKind, written: string, at: number, rel = NO_RELS): void {
    const url = this.#resolver.resolve(written)
    if (url !== null) this.uses.push({ kind, rel, url, at })
  }

  #addHref(tag: string, value: string, at: number): void {
    if (tag === 'a' || tag === 'area') this.#add('anchor', value, at)
    if (tag !== 'link') return
    const rel = (readAttribute(this.#tape, at, 'rel') ?? '').toLowerCase().split(/\s+/).filter(Boolean)
    this.#addLink(rel, value, at)
  }

  #addLink(rel: readonly string[], url: string, at: number): void {
    this.#add('link', url, at, rel)
    if (rel.some((token) => LOADING_RELS.has(token))) this.#add('asset', url, at)
  }

  #addStyle(css: string, at: number): void {
    if (!/url\(|@import/i.test(css)) return
    for (const [, a, b, c, d, e] of css.matchAll(CSS_URL)) {
      if (this.isFull) return
      this.#add('asset', a ?? b ?? c ?? d ?? e, at)
    }
  }
}

// A URL contains no white space and does not end in a comma; descriptors follow, up to the next comma (HTML standard).
const CANDIDATE = /([^\s,](?:\S*[^\s,])?)(?:,|[^,]*)/g

/** Returns the URLs of all candidates of a srcset. */
function parseSrcset(srcset: string): string[] {
  return Array.from(srcset.matchAll(CANDIDATE), ([, url]) => url)
}
