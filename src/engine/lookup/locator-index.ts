import type { Locator } from '../rule/locator.ts'
import { Beginnings, BeginningsBuilder } from '../text/beginnings.ts'
import { PackedLists, packLists } from '../text/packed-lists.ts'
import { PackedMap, PackedMapBuilder } from '../text/packed-map.ts'
import { Sections } from '../text/sections.ts'
import { lower } from '../text/text.ts'
import type { PageUrl } from '../text/url.ts'

const NOTHING: readonly never[] = []
/** The kinds of hosts of a locator, as scopes of the map of hosts. */
const SCOPES = { exact: 0, below: 1, start: 2 } as const
/** The node of locators without a host, and the list of the locators that are the root path. */
const ANYWHERE = 0
const ROOT = 1
/** Whether segments follow a node, and whether beginnings of segments do. */
const HAS_NEXT = 1
const HAS_OPEN = 2

/**
 * Finds the locators that a URL is under, by host and path segment, each with an item, which is a number. The cost depends on the
 * URL, not on the number of locators. Hosts and segments lead to the nodes of a tree; locators end in nodes.
 */
export class LocatorIndex {
  readonly #hosts: PackedMap
  readonly #nodeOfHost: Uint32Array
  /** Segments by the node that they follow. */
  readonly #segments: PackedMap
  readonly #nodeOfSegment: Uint32Array
  readonly #open: Beginnings
  readonly #flags: Uint8Array
  readonly #items: PackedLists
  /** Reused by each lookup, because most lookups find nothing. */
  readonly #found: number[] = []
  #lastHost: string | undefined
  #lastNodes: readonly number[] = []

  constructor(sections: Sections) {
    this.#hosts = new PackedMap(sections.at('hosts'))
    this.#nodeOfHost = sections.words('nodeOfHost')
    this.#segments = new PackedMap(sections.at('segments'))
    this.#nodeOfSegment = sections.words('nodeOfSegment')
    this.#open = new Beginnings(sections.at('open'))
    this.#flags = sections.bytes('flags')
    this.#items = new PackedLists(sections.at('items'))
  }

  /** Finds the items of all locators that `url` is under. An item can occur more than once. */
  find(url: PageUrl): readonly number[] {
    const found = this.#found
    const { host } = url
    const path = lower(url.path)
    if (path === '/') this.#items.pushAll(ROOT, found)
    if (this.#flags[ANYWHERE] !== 0)
      for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
        this.#collect(ANYWHERE, path, slash)
    for (const node of this.#findNodes(host)) this.#collect(node, path, 0)
    return found.length === 0 ? NOTHING : found.splice(0)
  }

  /** Finds the nodes of a host. The last result is cached, because consecutive URLs of a page often have the same host. */
  #findNodes(host: string): readonly number[] {
    if (host === this.#lastHost) return this.#lastNodes
    const found = [this.#hosts.find(host, 0, host.length, SCOPES.exact)]
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      found.push(this.#hosts.find(host, dot + 1, host.length, SCOPES.below))
      found.push(this.#hosts.find(host, 0, dot, SCOPES.start))
    }
    this.#lastHost = host
    this.#lastNodes = found.filter((number) => number >= 0).map((number) => this.#nodeOfHost[number])
    return this.#lastNodes
  }

  /** Collects items along a path, starting at the segment after `slash`. */
  #collect(start: number, path: string, slash: number): void {
    let node = start
    let at = slash
    for (;;) {
      this.#items.pushAll(node, this.#found)
      const flags = this.#flags[node]
      if (at < 0 || flags === 0) return
      const next = path.indexOf('/', at + 1)
      const to = next < 0 ? path.length : next
      if ((flags & HAS_OPEN) !== 0) this.#open.collect(path, { from: at + 1, to, scope: node }, this.#found)
      const segment = (flags & HAS_NEXT) === 0 ? -1 : this.#segments.find(path, at + 1, to, node)
      if (segment < 0) return
      node = this.#nodeOfSegment[segment]
      at = next
    }
  }
}

/** Collects the locators of a `LocatorIndex`. */
export class LocatorIndexBuilder {
  readonly #hosts = new PackedMapBuilder()
  readonly #nodeOfHost: number[] = []
  readonly #segments = new PackedMapBuilder()
  readonly #nodeOfSegment: number[] = []
  readonly #open = new BeginningsBuilder()
  readonly #flags: number[] = [0, 0]
  readonly #items: number[][] = [[], []]

  add(locator: Locator, item: number): void {
    if (locator.root) {
      this.#items[ROOT].push(item)
      return
    }
    let node =
      locator.hosts === 'any'
        ? ANYWHERE
        : this.#follow(this.#hosts.add(locator.host, SCOPES[locator.hosts]), this.#nodeOfHost)
    const segments = locator.segments.map(lower)
    const beginning = locator.open ? segments.pop() : undefined
    for (const segment of segments) {
      this.#flags[node] |= HAS_NEXT
      node = this.#follow(this.#segments.add(segment, node), this.#nodeOfSegment)
    }
    if (beginning === undefined) this.#items[node].push(item)
    else {
      this.#flags[node] |= HAS_OPEN
      this.#open.add(beginning, item, node)
    }
  }

  /** Returns the node of a host or segment, and creates it if it is new. */
  #follow(number: number, nodes: number[]): number {
    if (number === nodes.length) {
      nodes.push(this.#items.push([]) - 1)
      this.#flags.push(0)
    }
    return nodes[number]
  }

  pack(into: Sections): void {
    this.#hosts.pack(into.at('hosts'))
    into.put('nodeOfHost', Uint32Array.from(this.#nodeOfHost))
    this.#segments.pack(into.at('segments'))
    into.put('nodeOfSegment', Uint32Array.from(this.#nodeOfSegment))
    this.#open.pack(into.at('open'))
    into.put('flags', Uint8Array.from(this.#flags))
    packLists(this.#items, into.at('items'))
  }

  build(): LocatorIndex {
    const sections = new Sections()
    this.pack(sections)
    return new LocatorIndex(sections)
  }
}
