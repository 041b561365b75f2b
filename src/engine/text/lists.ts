/** Adds an item to the list that stands under a key. */
export function append<K, T>(
  lists: { get(key: K): T[] | undefined; set(key: K, list: T[]): unknown },
  key: K,
  item: T,
): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

/** Adds all items of a list, if there is one, to another. */
export function pushAll<T>(items: readonly T[] | undefined, into: T[]): void {
  if (items !== undefined) for (let i = 0; i < items.length; i++) into.push(items[i])
}
