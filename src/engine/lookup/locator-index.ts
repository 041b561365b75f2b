import type { Locator } from '../rule/locator.ts'
import { append, pushAll } from '../text/lists.ts'
import { SparseMap } from '../text/sparse-map.ts'
import { lower } from '../text/text.ts'
import type { PageUrl } from '../text/url.ts'

const NOTHING: readonly never[] = []

/** What ends at a point of a path, and how paths go on from there. */
class Node<T> {
  readonly items: T[] = []
  readonly next = new SparseMap<Node<T>>()
  readonly open = new Beginnings<T>()

  /** The node one whole segment further. */
  step(segment: string): Node<T> {
    let node = this.next.get(segment)
    if (node === undefined) this.next.set(segment, (node = new Node<T>()))
    return node
  }
}

/** Beginnings of a segment, by first letter and length. */
class Beginnings<T> {
  readonly #byLetter: Map<number, Map<string, T[]>>[] = []
  readonly #empty: T[] = []

  add(beginning: string, item: T): void {
    if (beginning === '') {
      this.#empty.push(item)
      return
    }
    const letter = beginning.charCodeAt(0) & 127
    const byLength = (this.#byLetter[letter] ??= new Map())
    const ofLength = byLength.get(beginning.length) ?? new Map<string, T[]>()
    byLength.set(beginning.length, ofLength)
    append(ofLength, beginning, item)
  }

  collect(path: string, from: number, to: number, found: T[]): void {
    pushAll(this.#empty, found)
    const byLength = from < to ? this.#byLetter[path.charCodeAt(from) & 127] : undefined
    if (byLength === undefined) return
    for (const [length, items] of byLength)
      if (to - from >= length) pushAll(items.get(path.slice(from, from + length)), found)
  }
}

/** Finds the locators a URL is under by host and path segment: the cost goes by the URL, not by their number. */
export class LocatorIndex<T> {
  readonly #hosts = {
    exact: new Map<string, Node<T>>(),
    below: new Map<string, Node<T>>(),
    start: new Map<string, Node<T>>(),
  }
  /** Longest key of `below` and `start`: longer parts of a host need no lookup. A host may have 127 labels. */
  #longestBelow = 0
  #longestStart = 0
  readonly #anywhere = new Node<T>()
  readonly #root: T[] = []
  /** Filled and emptied by each look-up: most find nothing. */
  readonly #found: T[] = []
  #lastHost: string | undefined
  #lastNodes: readonly Node<T>[] = []

  add(locator: Locator, item: T): void {
    this.#lastHost = undefined
    if (locator.root) {
      this.#root.push(item)
      return
    }
    if (locator.hosts === 'below') this.#longestBelow = Math.max(this.#longestBelow, locator.host.length)
    if (locator.hosts === 'start') this.#longestStart = Math.max(this.#longestStart, locator.host.length)
    let node = locator.hosts === 'any' ? this.#anywhere : getNode(this.#hosts[locator.hosts], locator.host)
    const segments = locator.segments.map(lower)
    const beginning = locator.open ? segments.pop() : undefined
    for (const segment of segments) node = node.step(segment)
    if (beginning === undefined) node.items.push(item)
    else node.open.add(beginning, item)
  }

  /** The items of all locators that `url` is under; an item may come more than once. */
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

  /** Where the paths of a host begin. Pages lead to the same host many times in a row. */
  #findNodes(host: string): readonly Node<T>[] {
    if (host === this.#lastHost) return this.#lastNodes
    const nodes = [this.#hosts.exact.get(host)]
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      if (host.length - dot - 1 <= this.#longestBelow) nodes.push(this.#hosts.below.get(host.slice(dot + 1)))
      if (dot <= this.#longestStart) nodes.push(this.#hosts.start.get(host.slice(0, dot)))
    }
    this.#lastHost = host
    this.#lastNodes = nodes.filter((node) => node !== undefined)
    return this.#lastNodes
  }
}

function getNode<T>(map: Map<string, Node<T>>, key: string): Node<T> {
  let node = map.get(key)
  if (node === undefined) map.set(key, (node = new Node<T>()))
  return node
}

/** Walks the segments of a path from the slash before them. */
function collectItems<T>(start: Node<T> | undefined, path: string, slash: number, found: T[]): void {
  let node = start
  let at = slash
  while (node !== undefined) {
    pushAll(node.items, found)
    if (at < 0) return
    const next = path.indexOf('/', at + 1)
    const end = next < 0 ? path.length : next
    node.open.collect(path, at + 1, end, found)
    node = node.next.getPart(path, at + 1, end)
    at = next
  }
}
