import { buildBase, type PageUrl, UrlResolver } from '../text/url.ts'
import { findContainers } from './container/find-containers.ts'
import { readTags, type TagAttributes, type WantedTags } from './tag-reader.ts'

/** A script or style sheet to which a page links. */
export interface BodyLink {
  readonly kind: 'script' | 'style'
  readonly url: PageUrl
  readonly isModule: boolean
  /** Whether the page only preloads the script as a module, which another script then imports. */
  readonly isPreload: boolean
}

/** A container of a tag manager: the file that lists its tags, and the file that the page loads. */
export interface ContainerLink extends BodyLink {
  readonly loaded: string
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
/** The frame of Google Tag Manager for browsers without scripts. */
const FRAME_OF_CONTAINER = /\/ns\.html\?((?:[\w-]{1,20}=[\w-]{0,64}&){0,4}id=GTM-[A-Z0-9]{4,12})/
const SCRIPT_ATTRIBUTES: ReadonlySet<string> = new Set(['src', 'type', 'nomodule'])
const LINK_ATTRIBUTES: ReadonlySet<string> = new Set(['href', 'rel', 'disabled'])
const WANTED: WantedTags = new Map([
  ['script', SCRIPT_ATTRIBUTES],
  ['link', LINK_ATTRIBUTES],
  ['base', new Set(['href'])],
  ['iframe', new Set(['src'])],
])

/** What a document links to. */
export interface DocumentLinks {
  readonly links: readonly BodyLink[]
  /** The containers of tag managers. */
  readonly containers: readonly ContainerLink[]
}

/**
 * Finds the scripts and style sheets that a current browser loads because of the tags of a document, in their order,
 * each URL once, and the containers of tag managers that tags or inline scripts name. Only the tags are read, because the work is done
 * on the fetch thread.
 * @param address the page's URL; null if it is unknown
 */
export function findDocumentLinks(html: string, address: string | null): DocumentLinks {
  const { tags, frames, snippets, baseHref } = readLinkTags(html.slice(0, MAX_LINK_CHARACTERS))
  const resolver = new UrlResolver(buildBase(address, baseHref))
  const links = findBodyLinks(tags, resolver)
  const scripts = links.filter(({ kind }) => kind === 'script').map(({ url }) => url.href)
  const framed = frames.flatMap((src) => resolver.resolve(src)?.href ?? [])
  const containers = findContainers([...scripts, ...framed], snippets).flatMap(({ href, loaded }) => {
    const link = resolveLink('script', href, resolver, { isModule: false, isPreload: false })
    return link === null ? [] : [{ ...link, loaded }]
  })
  return { links, containers }
}

function findBodyLinks(tags: LinkTags['tags'], resolver: UrlResolver): BodyLink[] {
  const links = new Map<string, BodyLink>()
  for (const { attributes, isScript } of tags) {
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

interface LinkTags {
  readonly tags: readonly { readonly isScript: boolean; readonly attributes: TagAttributes }[]
  /** Addresses of frames that name a container. */
  readonly frames: readonly string[]
  readonly snippets: readonly string[]
  readonly baseHref: string | undefined
}

/** Maximum number of inline scripts that are searched for containers. */
const MAX_SNIPPETS = 1000

/** Reads the tags that can link to a script or style sheet, and the base of relative URLs. */
function readLinkTags(html: string): LinkTags {
  const tags: LinkTags['tags'][number][] = []
  const frames: string[] = []
  const snippets: string[] = []
  let baseHref: string | undefined
  const visit = (tag: string, attributes: TagAttributes): boolean => {
    const isScript = tag === 'script'
    if (tag === 'base') baseHref ??= attributes.get('href')
    else if (tag === 'iframe') addFrame(attributes.get('src') ?? '', frames)
    else if (attributes.has(isScript ? 'src' : 'rel')) tags.push({ isScript, attributes })
    return tags.length < MAX_LINKS
  }
  readTags(html, WANTED, visit, (text) => {
    if (snippets.length < MAX_SNIPPETS) snippets.push(text)
  })
  return { tags, frames, snippets, baseHref }
}

/** Adds the address of the script for which the frame of a tag manager stands where scripts are off. */
function addFrame(src: string, frames: string[]): void {
  const found = FRAME_OF_CONTAINER.exec(src)
  if (found !== null && frames.length < MAX_LINKS) frames.push(src.replace(found[0], `/gtm.js?${found[1]}`))
}

function readScript(attributes: TagAttributes, resolver: UrlResolver): BodyLink | null {
  const type = attributes.get('type')?.split(';')[0].trim() ?? ''
  if (attributes.has('nomodule') || !SCRIPT_TYPE.test(type)) return null
  return resolveLink('script', attributes.get('src'), resolver, { isModule: /^module$/i.test(type), isPreload: false })
}

function readLink(attributes: TagAttributes, resolver: UrlResolver): BodyLink | null {
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
