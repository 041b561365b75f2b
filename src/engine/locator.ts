import { parse as parseHost } from 'tldts'
import { lower } from './text.ts'
import type { PageUrl } from './types.ts'
import { parseUrl } from './url.ts'

/** A locator, read: which hosts, and which segments of the path. */
export interface Locator {
  /** `exact` x.y · `below` .x.y · `start` docs.* · `any` no host written. */
  readonly hosts: 'exact' | 'below' | 'start' | 'any'
  readonly host: string
  /** Whole segments; the last one is only a beginning when `open`. */
  readonly segments: readonly string[]
  readonly open: boolean
  /** `/` alone: the root path and nothing else. */
  readonly root: boolean
}

/** Why a text is no locator; `message` is a sentence for its author. */
export class LocatorError extends Error {}

/**
 * Reads `x.y`, `.x.y`, `docs.*`, each with a path or not, `/p/q`, `/`, with `*` at the very end for "however it goes on".
 * @throws LocatorError
 */
export function parseLocator(text: string): Locator {
  if (/^[^/]*:/.test(text) || text.startsWith('//')) throw new LocatorError(`"${text}" has a scheme or a port: write host and path alone`)
  if (/[\s?#\\]|^[^/]*@/.test(text)) throw new LocatorError(`"${text}" has a character that no locator has (space ? # \\, or @ in the host)`)
  if (text === '/') return { hosts: 'any', host: '', segments: [], open: false, root: true }
  const slash = text.indexOf('/')
  const hostText = slash < 0 ? text : text.slice(0, slash)
  const path = slash < 0 ? '' : text.slice(slash)
  if (path.slice(0, -1).includes('*')) throw new LocatorError(`"${text}": a * stands at the very end alone`)
  return { ...readHost(hostText, text), ...readPath(path, text) }
}

function readHost(hostText: string, text: string): Pick<Locator, 'hosts' | 'host'> {
  if (hostText === '') return { hosts: 'any', host: '' }
  const hosts = hostText.startsWith('.') ? 'below' : hostText.endsWith('.*') ? 'start' : 'exact'
  const host = hosts === 'below' ? hostText.slice(1) : hosts === 'start' ? hostText.slice(0, -2) : hostText
  if (!/^[^.*]+(?:\.[^.*]+)*$/.test(host))
    throw new LocatorError(`"${text}": a host is written x.y, .x.y (hosts below it) or docs.* (hosts that begin so)`)
  if (hosts !== 'start') {
    const { isIcann, isPrivate, isIp } = parseHost(host, { allowPrivateDomains: true })
    if (!isIcann && !isPrivate && !isIp)
      throw new LocatorError(`"${text}": the host "${host}" ends in no public suffix; a file is written "/${text}"`)
  }
  return { hosts, host: hosts === 'start' ? lower(host) : punycode(host) }
}

function punycode(host: string): string {
  const url = `http://${host.replaceAll('_', 'x_')}/`
  return /^[\w.-]+$/.test(host) ? lower(host) : (parseUrl(url)?.hostname.replaceAll('x_', '_') ?? lower(host))
}

function readPath(path: string, text: string): Pick<Locator, 'segments' | 'open' | 'root'> {
  const open = path.endsWith('*')
  const segments = path === '' ? [] : path.slice(1, open || path.endsWith('/') ? -1 : undefined).split('/')
  if (path === '/' || (path.startsWith('/') && segments.every((segment) => segment === '')))
    throw new LocatorError(`"${text}" has an empty path: leave the slash away, or write what follows it`)
  return { segments, open, root: false }
}

/** Segments of a URL's path: `/a/b.js` is a, b.js. */
function segmentsOf(path: string): string[] {
  return path.split('/').slice(1)
}

/** Whether a URL is under a locator; ASCII case is ignored unless `exact`. */
export function matchLocator(locator: Locator, url: PageUrl, exact = false): boolean {
  const { hosts, host } = locator
  if (hosts === 'exact' && url.host !== host) return false
  if (hosts === 'below' && !url.host.endsWith(`.${host}`)) return false
  if (hosts === 'start' && !url.host.startsWith(`${host}.`)) return false
  if (locator.root) return url.path === '/'
  const fold = exact ? (text: string) => text : lower
  const wanted = locator.segments.map(fold)
  const path = segmentsOf(fold(url.path))
  const starts = hosts === 'any' ? path.length : 1
  for (let from = 0; from < starts; from++) {
    const fits = wanted.every((segment, i) => {
      const last = locator.open && i === wanted.length - 1
      return last ? path[from + i]?.startsWith(segment) : path[from + i] === segment
    })
    if (fits) return true
  }
  return false
}

interface Node<T> {
  readonly items: T[]
  readonly next: Map<string, Node<T>>
  /** Beginnings of a segment, by their length. */
  readonly open: Map<number, Map<string, T[]>>
}

function newNode<T>(): Node<T> {
  return { items: [], next: new Map(), open: new Map() }
}

function nodeAt<T>(map: Map<string, Node<T>>, key: string): Node<T> {
  let node = map.get(key)
  if (node === undefined) map.set(key, (node = newNode<T>()))
  return node
}

/** Finds the locators a URL is under by host and path segment: the cost goes by the URL, not by their number. */
export class LocatorIndex<T> {
  readonly #hosts = { exact: new Map<string, Node<T>>(), below: new Map<string, Node<T>>(), start: new Map<string, Node<T>>() }
  readonly #anywhere: Node<T> = newNode()
  readonly #root: T[] = []

  add(locator: Locator, item: T): void {
    if (locator.root) {
      this.#root.push(item)
      return
    }
    let node = locator.hosts === 'any' ? this.#anywhere : nodeAt(this.#hosts[locator.hosts], locator.host)
    const segments = locator.segments.map(lower)
    const whole = locator.open ? segments.slice(0, -1) : segments
    for (const segment of whole) node = nodeAt(node.next, segment)
    if (!locator.open) {
      node.items.push(item)
      return
    }
    const beginning = segments[segments.length - 1]
    const ofLength = node.open.get(beginning.length) ?? new Map<string, T[]>()
    node.open.set(beginning.length, ofLength)
    ofLength.set(beginning, [...(ofLength.get(beginning) ?? []), item])
  }

  /** The items of all locators that `url` is under; an item may come more than once. */
  find(url: PageUrl): T[] {
    const found: T[] = []
    const segments = segmentsOf(lower(url.path))
    const { host } = url
    if (url.path === '/') found.push(...this.#root)
    for (let from = 0; from < segments.length; from++) collectFrom(this.#anywhere, segments, from, found)
    if (host === '') return found
    collectFrom(this.#hosts.exact.get(host), segments, 0, found)
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      collectFrom(this.#hosts.below.get(host.slice(dot + 1)), segments, 0, found)
      collectFrom(this.#hosts.start.get(host.slice(0, dot)), segments, 0, found)
    }
    return found
  }
}

function collectFrom<T>(start: Node<T> | undefined, segments: readonly string[], from: number, found: T[]): void {
  let node = start
  for (let i = from; node !== undefined; i++) {
    if (node.items.length > 0) found.push(...node.items)
    const segment = segments[i]
    if (segment === undefined) return
    for (const [length, items] of node.open) {
      const hit = segment.length >= length ? items.get(segment.slice(0, length)) : undefined
      if (hit) found.push(...hit)
    }
    node = node.next.get(segment)
  }
}
