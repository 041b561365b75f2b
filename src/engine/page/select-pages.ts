import { findSite } from '../text/url.ts'
import { readAttribute } from './element.ts'
import { findHeader } from './find-header.ts'
import { findPurpose, namesAction } from './link-purposes.ts'
import type { Page } from './page-types.ts'

/** Maximum number of links that are looked at. */
const MAX_LINKS = 10_000
/** Maximum number of pages that are selected: several for each that is read, because some cannot be. */
const MAX_SELECTED = 12
/** Longer addresses are not selected. */
const MAX_HREF_CHARACTERS = 500

/** Links that their author asks not to follow, or did not write. */
const UNFOLLOWED = new Set(['nofollow', 'ugc', 'sponsored'])
/** Endings of the names of pages. A file with any other one is not a page. */
const PAGE_ENDINGS = new Set('html htm xhtml shtml php asp aspx jsp cfm'.split(' '))
const ENDING = /\.([a-z][a-z0-9]{0,7})$/i
/** Subdomains that serve files, mail, another language or another size of the same site. */
const MINOR_LABEL =
  /^(?:[a-z]{2}(?:-[a-z]{2})?|m|mobile|amp|www\d?|static|cdn\d?|img|images|assets|media|files|mail|webmail|ftp)$/
const LANGUAGE = /^[a-z]{2}(?:[-_][a-z]{2})?$/i

/** How likely another system is behind a link, the most likely first. */
const RANKS = { hostWithPurpose: 0, host: 1, purpose: 2, folder: 3, minorHost: 4 } as const

interface PageCandidate {
  readonly href: string
  readonly host: string
  readonly purpose: string | null
  readonly rank: number
  /** Number of folders. */
  readonly depth: number
}

/**
 * Selects the pages of the same site that are likely to show other systems than a page, from its links. Of each host and first folder
 * only one is selected, so that neither a calendar nor a list of articles fills the selection.
 * @returns addresses without query and fragment, the most promising first; empty if the page asks not to follow its links
 */
export function selectPages(page: Page): string[] {
  if (page.url === null || forbidsFollowing(page)) return []
  const front = new URL(page.url.href)
  const reader = new LinkReader(front)
  /** Host and first folder → the page that is selected of them. */
  const best = new Map<string, PageCandidate>()
  let links = 0
  for (const { kind, url, at } of page.urls) {
    if (kind !== 'anchor') continue
    if (++links > MAX_LINKS) break
    const found = reader.read(url.href)
    if (found === null || isUnfollowed(page, at)) continue
    const known = best.get(found.group)
    if (known === undefined || found.candidate.depth < known.depth) best.set(found.group, found.candidate)
  }
  return orderCandidates([...best.values()]).slice(0, MAX_SELECTED)
}

/** Puts one page for each purpose and host before all others. */
function orderCandidates(candidates: readonly PageCandidate[]): string[] {
  const sorted = [...candidates].sort((a, b) => a.rank - b.rank || a.depth - b.depth)
  const seen = new Set<string>()
  const [first, later]: [string[], string[]] = [[], []]
  for (const { href, host, purpose, rank } of sorted) {
    const isOther = rank !== RANKS.purpose && rank !== RANKS.folder
    const marks = [...(purpose === null ? [] : [purpose]), ...(isOther ? [`//${host}`] : [])]
    const list = marks.some((mark) => seen.has(mark)) ? later : first
    for (const mark of marks) seen.add(mark)
    list.push(href)
  }
  return [...first, ...later]
}

/** Whether the page asks not to follow its links, by `<meta name=robots>` or the header `X-Robots-Tag`. */
function forbidsFollowing({ tape, headers }: Page): boolean {
  const forbids = (text: string | undefined): boolean => /(?:^|[\s,:])(?:nofollow|none)(?:$|[\s,])/i.test(text ?? '')
  if (forbids(findHeader(headers, 'x-robots-tag'))) return true
  for (let at = tape.tags.indexOf('meta'); at >= 0; at = tape.tags.indexOf('meta', at + 1))
    if (/^robots$/i.test(readAttribute(tape, at, 'name') ?? '') && forbids(readAttribute(tape, at, 'content')))
      return true
  return false
}

function isUnfollowed({ tape }: Page, at: number): boolean {
  if (at < 0) return false
  const rel = (readAttribute(tape, at, 'rel') ?? '').toLowerCase().split(/\s+/)
  return rel.some((token) => UNFOLLOWED.has(token)) || readAttribute(tape, at, 'download') !== undefined
}

/** Reads the links of one page. */
class LinkReader {
  readonly #front: URL
  readonly #site: string
  readonly #home: string
  /** Host → whether it belongs to the site. */
  readonly #hosts = new Map<string, boolean>()

  constructor(front: URL) {
    this.#front = front
    this.#site = findSite(front.hostname)
    this.#home = dropWww(front.host)
  }

  /** @returns null for a link that is not a page of the site worth reading */
  read(href: string): { readonly group: string; readonly candidate: PageCandidate } | null {
    if (href.length > MAX_HREF_CHARACTERS || href.startsWith('/')) return null
    const url = new URL(href)
    // A query selects, sorts or does something. What is wanted are pages that a menu names.
    if (url.search !== '' || url.pathname.includes(';') || !this.#isOwn(url.hostname)) return null
    const segments = url.pathname.split('/').filter(Boolean)
    if (segments.some(namesAction) || !isPage(segments.at(-1))) return null
    const folders = LANGUAGE.test(segments[0] ?? '') ? segments.slice(1) : segments
    const head = (folders[0] ?? '').toLowerCase().replace(ENDING, '')
    const isHome = dropWww(url.host) === this.#home
    if (isHome && (head === '' || head === 'index' || url.pathname === this.#front.pathname)) return null
    const host = dropWww(url.host)
    const label = isHome ? null : url.hostname.slice(0, -this.#site.length - 1).split('.')[0]
    const purpose = (label ? findPurpose(label) : null) ?? findPurpose(head)
    const rank = rankLink({ label, isHome, purpose })
    url.hash = ''
    return { group: `${host}/${head}`, candidate: { href: url.href, host, purpose, rank, depth: segments.length } }
  }

  #isOwn(host: string): boolean {
    let isOwn = this.#hosts.get(host)
    if (isOwn === undefined) this.#hosts.set(host, (isOwn = findSite(host) === this.#site))
    return isOwn
  }
}

function rankLink(link: { readonly label: string | null; readonly isHome: boolean; readonly purpose: string | null }) {
  const { label, isHome, purpose } = link
  if (isHome) return purpose === null ? RANKS.folder : RANKS.purpose
  if (purpose !== null) return RANKS.hostWithPurpose
  return label !== null && MINOR_LABEL.test(label) ? RANKS.minorHost : RANKS.host
}

function isPage(file = ''): boolean {
  const ending = ENDING.exec(file)?.[1]
  return ending === undefined || PAGE_ENDINGS.has(ending.toLowerCase())
}

function dropWww(host: string): string {
  return host.replace(/^www\./, '')
}
