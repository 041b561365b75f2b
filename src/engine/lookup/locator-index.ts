import type { Locator } from '../rule/locator.ts'
import { Beginnings } from '../text/beginnings.ts'
import { pushAll } from '../text/lists.ts'
import { SparseMap } from '../text/sparse-map.ts'
import { lower } from '../text/text.ts'
import type { PageUrl } from '../text/url.ts'

const NOTHING: readonly never[] = []

/** A node of the path tree: locators that end here, and the segments that follow. */
class PathNode<T> {
  readonly items: T[] = []
  // Most nodes are the end of a locator and have neither.
  next: SparseMap<PathNode<T>> | undefined = undefined
  /** Beginnings of the next segment (`*` locators). */
  open: Beginnings<T> | undefined = undefined

  /** Returns the child for a whole segment and creates it if needed. */
  getChild(segment: string): PathNode<T> {
    this.next ??= new SparseMap()
    let node = this.next.get(segment)
    if (node === undefined) this.next.set(segment, (node = new PathNode<T>()))
    return node
  }
}

/** Finds the locators that a URL is under, by host and path segment. The cost depends on the URL, not on their number. */
export class LocatorIndex<T> {
  readonly #hosts = {
    exact: new SparseMap<PathNode<T>>(),
    below: new SparseMap<PathNode<T>>(),
    start: new SparseMap<PathNode<T>>(),
  }
  readonly #anywhere = new PathNode<T>()
  readonly #root: T[] = []
  /** Reused by each lookup, because most lookups find nothing. */
  readonly #found: T[] = []
  #lastHost: string | undefined
  #lastNodes: readonly PathNode<T>[] = []

  add(locator: Locator, item: T): void {
    this.#lastHost = undefined
    if (locator.root) {
      this.#root.push(item)
      return
    }
    let node = locator.hosts === 'any' ? this.#anywhere : getNode(this.#hosts[locator.hosts], locator.host)
    const segments = locator.segments.map(lower)
    const beginning = locator.open ? segments.pop() : undefined
    for (const segment of segments) node = node.getChild(segment)
    if (beginning === undefined) node.items.push(item)
    else (node.open ??= new Beginnings()).add(beginning, item)
  }

  /** Finds the items of all locators that `url` is under. An item can occur more than once. */
  find(url: PageUrl): readonly T[] {
    const found = this.#found
    const { host } = url
    const path = lower(url.path)
    if (path === '/') pushAll(this.#root, found)
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
      collectItems(this.#anywhere, path, slash, found)
    for (const node of this.#findNodes(host)) collectItems(node, path, 0, found)
    return found.length === 0 ? NOTHING : found.splice(0)
  }

  /** Finds the path trees of a host. The last result is cached, because consecutive URLs of a page often have the same host. */
  #findNodes(host: string): readonly PathNode<T>[] {
    if (host === this.#lastHost) return this.#lastNodes
    const nodes = [this.#hosts.exact.get(host)]
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      nodes.push(this.#hosts.below.getPart(host, dot + 1))
      nodes.push(this.#hosts.start.getPart(host, 0, dot))
    }
    this.#lastHost = host
    this.#lastNodes = nodes.filter((node) => node !== undefined)
    return this.#lastNodes
  }
}

function getNode<T>(map: SparseMap<PathNode<T>>, key: string): PathNode<T> {
  let node = map.get(key)
  if (node === undefined) map.set(key, (node = new PathNode<T>()))
  return node
}

/** Collects items along a path, starting at the segment after `slash`. */
function collectItems<T>(start: PathNode<T> | undefined, path: string, slash: number, found: T[]): void {
  let node = start
  let at = slash
  while (node !== undefined) {
    pushAll(node.items, found)
    if (at < 0) return
    const next = path.indexOf('/', at + 1)
    const end = next < 0 ? path.length : next
    node.open?.collect(path, at + 1, end, found)
    node = node.next?.getPart(path, at + 1, end)
    at = next
  }
}
