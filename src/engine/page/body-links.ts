import type { TokenizerCallbacks } from 'htmlparser2'
import { buildBase, type PageUrl, UrlResolver } from '../text/url.ts'
import { EntityDecoder } from './entity-decoder.ts'
import { QuickTokenizer } from './quick-tokenizer.ts'

/** A script or style sheet to which a page links. */
export interface BodyLink {
  readonly kind: 'script' | 'style'
  readonly url: PageUrl
  readonly isModule: boolean
  /** Whether the page only preloads the script as a module, which another script then imports. */
  readonly isPreload: boolean
}

/**
 * Maximum number of characters of a document in which links are searched: this takes 6 ms, and up to 25 ms on a hostile
 * page.
 */
export const MAX_LINK_CHARACTERS = 1024 * 1024
/** Maximum number of links of all kinds together that are read. */
const MAX_LINKS = 1000
/** Types of scripts that browsers run (HTML standard and RFC 9239). */
const SCRIPT_TYPE = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script)?$/i
// Browsers do not load what is inside these elements while scripting is on.
const INERT: ReadonlySet<string> = new Set(['noscript', 'template'])
const READ_TAGS: ReadonlySet<string> = new Set(['script', 'link', 'base'])
const LONGEST_TAG = 'noscript'.length
const READ_ATTRIBUTES: ReadonlySet<string> = new Set(['src', 'href', 'rel', 'type', 'nomodule', 'disabled'])
const LONGEST_ATTRIBUTE = 'nomodule'.length

/**
 * Finds the scripts and style sheets that a current browser loads because of the tags of a document, in their order,
 * each URL once. Only the tags are read, because the work is done on the fetch thread.
 * @param address the page's URL; null if it is unknown
 */
export function findBodyLinks(html: string, address: string | null): readonly BodyLink[] {
  const head = html.slice(0, MAX_LINK_CHARACTERS)
  const finder = new LinkFinder(head)
  const tokenizer = new QuickTokenizer({ decodeEntities: false }, finder)
  finder.stop = () => tokenizer.pause()
  tokenizer.write(head)
  if (!finder.isFull) tokenizer.end()
  finder.stop = () => {} // The two no longer refer to each other, so both are freed early.
  const resolver = new UrlResolver(buildBase(address, finder.baseHref))
  const links = new Map<string, BodyLink>()
  for (const { attributes, isScript } of finder.tags) {
    const link = isScript ? readScript(attributes, resolver) : readLink(attributes, resolver)
    if (link === null) continue
    const known = links.get(link.url.href)
    // The first tag of a URL counts, but one that loads a script comes before one that only preloads it.
    if (known !== undefined && (link.isPreload || !known.isPreload)) continue
    links.delete(link.url.href)
    links.set(link.url.href, link)
  }
  return [...links.values()]
}

type Attributes = ReadonlyMap<string, string>

function readScript(attributes: Attributes, resolver: UrlResolver): BodyLink | null {
  const type = attributes.get('type')?.split(';')[0].trim() ?? ''
  if (attributes.has('nomodule') || !SCRIPT_TYPE.test(type)) return null
  return resolveLink('script', attributes.get('src'), resolver, { isModule: /^module$/i.test(type), isPreload: false })
}

function readLink(attributes: Attributes, resolver: UrlResolver): BodyLink | null {
  const rels = new Set(attributes.get('rel')?.toLowerCase().split(/\s+/))
  const href = attributes.get('href')
  if (rels.has('modulepreload')) return resolveLink('script', href, resolver, { isModule: true, isPreload: true })
  if (!rels.has('stylesheet') || rels.has('alternate') || attributes.has('disabled')) return null
  return resolveLink('style', href, resolver, { isModule: false, isPreload: false })
}

function resolveLink(
  kind: BodyLink['kind'],
  written: string | undefined,
  resolver: UrlResolver,
  flags: Pick<BodyLink, 'isModule' | 'isPreload'>,
): BodyLink | null {
  const url = written === undefined ? null : resolver.resolve(written)
  return url && { kind, url, ...flags }
}

/** Collects the attributes of the tags that can link to a script or style sheet. */
class LinkFinder implements TokenizerCallbacks {
  readonly tags: { readonly isScript: boolean; readonly attributes: Attributes }[] = []
  baseHref: string | undefined
  stop: () => void = () => {}
  readonly #html: string
  readonly #decoder: EntityDecoder
  /** Name of the open inert element, and the number of open elements of that name. */
  #inert = ''
  #inertDepth = 0
  #tag = ''
  #name = ''
  #value = ''
  #attributes = new Map<string, string>()

  constructor(html: string) {
    this.#html = html
    this.#decoder = new EntityDecoder(html)
  }

  get isFull(): boolean {
    return this.tags.length >= MAX_LINKS
  }

  onopentagname(start: number, end: number): void {
    this.#tag = ''
    if (end - start > LONGEST_TAG) return
    const name = this.#html.slice(start, end).toLowerCase()
    if (this.#inert === '' && INERT.has(name)) this.#inert = name
    // Browsers do not nest `<noscript>`, because they treat its content as text.
    if (name === this.#inert && (name === 'template' || this.#inertDepth === 0)) this.#inertDepth++
    if (this.#inert !== '' || !READ_TAGS.has(name)) return
    this.#tag = name
    this.#attributes = new Map()
  }

  onclosetag(start: number, end: number): void {
    if (end - start !== this.#inert.length || this.#html.slice(start, end).toLowerCase() !== this.#inert) return
    if (--this.#inertDepth === 0) this.#inert = ''
  }

  onattribname(start: number, end: number): void {
    this.#name = ''
    this.#value = ''
    if (this.#tag === '' || end - start > LONGEST_ATTRIBUTE) return
    const name = this.#html.slice(start, end).toLowerCase()
    if (READ_ATTRIBUTES.has(name)) this.#name = name
  }

  onattribdata(start: number, end: number): void {
    if (this.#name !== '') this.#value = this.#decoder.decodeAttribute(start, end)
  }

  /** The first of several attributes with the same name counts. */
  onattribend(): void {
    if (this.#name !== '' && !this.#attributes.has(this.#name)) this.#attributes.set(this.#name, this.#value)
  }

  onopentagend(): void {
    if (this.#tag === 'base') this.baseHref ??= this.#attributes.get('href')
    else if (this.#attributes.has(this.#tag === 'script' ? 'src' : 'rel'))
      this.tags.push({ isScript: this.#tag === 'script', attributes: this.#attributes })
    this.#tag = ''
    this.#attributes = new Map()
    if (this.isFull) this.stop()
  }

  onselfclosingtag(): void {
    this.onopentagend()
  }

  isInForeignContext(): boolean {
    return false
  }

  onattribentity(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
  ontext(): void {}
  ontextentity(): void {}
}
