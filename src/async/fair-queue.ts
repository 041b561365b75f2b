/** Waiting items of one client, or of the narrower groups inside a group of clients. */
interface ClientGroup<T> {
  count: number
  readonly items: T[]
  /** In the order in which they are served next. */
  readonly groups: Map<string, ClientGroup<T>>
}

/**
 * A bounded queue that serves groups of clients in turn, at each level of a path such as network, subnet, address. However many
 * items one group adds, an item of another group is taken after one turn. If the queue is full, the most crowded group loses
 * its newest item. Paths that begin with the same name have the same length.
 */
export class FairQueue<T> {
  readonly #maxSize: number
  readonly #root: ClientGroup<T> = openGroup()

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  get size(): number {
    return this.#root.count
  }

  /** @returns the item that leaves because the queue is full, possibly the added one; null if none has to leave */
  add(path: readonly string[], item: T): T | null {
    let group = this.#root
    group.count++
    for (const name of path) {
      const inner = group.groups.get(name) ?? openGroup<T>()
      group.groups.set(name, inner)
      inner.count++
      group = inner
    }
    group.items.push(item)
    return this.size > this.#maxSize ? removeNewest(this.#root, path) : null
  }

  /** Removes the item whose turn it is; null if the queue is empty. */
  take(): T | null {
    return takeFrom(this.#root)
  }
}

function openGroup<T>(): ClientGroup<T> {
  return { count: 0, items: [], groups: new Map() }
}

function takeFrom<T>(group: ClientGroup<T>): T | null {
  if (group.count === 0) return null
  group.count--
  const [next] = group.groups
  if (next === undefined) return group.items.shift() ?? null
  const [name, inner] = next
  const item = takeFrom(inner)
  group.groups.delete(name)
  if (inner.count > 0) group.groups.set(name, inner) // Behind all others.
  return item
}

/** @param path of the item that was added last: of groups that are equally crowded, its own loses an item */
function removeNewest<T>(group: ClientGroup<T>, [own, ...rest]: readonly string[]): T | null {
  group.count--
  if (group.groups.size === 0) return group.items.pop() ?? null
  let name = own
  let crowded = group.groups.get(own)
  for (const [otherName, other] of group.groups)
    if (crowded === undefined || other.count > crowded.count) [name, crowded] = [otherName, other]
  if (crowded === undefined) return null
  const item = removeNewest(crowded, name === own ? rest : [])
  if (crowded.count === 0) group.groups.delete(name)
  return item
}
