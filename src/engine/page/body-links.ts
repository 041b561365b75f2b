import { buildBase, type PageUrl, UrlResolver } from '../text/url.ts'
import { findContainers } from './container/find-containers.ts'
import type { LinkTags } from './link-tags.ts'
import type { TagAttributes } from './tag-reader.ts'

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

/** Types of scripts that browsers run (HTML standard and RFC 9239). */
const SCRIPT_TYPE = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script)?$/i

/** What a document links to. */
export interface DocumentLinks {
  readonly links: readonly BodyLink[]
  /** The containers of tag managers. */
  readonly containers: readonly ContainerLink[]
}

/**
 * Finds the scripts and style sheets that a current browser loads because of the tags of a document, in their order,
 * each URL once, and the containers of tag managers that tags or inline scripts name.
 * @param address the page's URL; null if it is unknown
 */
export function findDocumentLinks(
  { tags, frames, snippets, baseHref }: LinkTags,
  address: string | null,
): DocumentLinks {
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
