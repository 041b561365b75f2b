/** Adds an item to the list of a key. */
export function append<K, T>(
  lists: { get(key: K): T[] | undefined; set(key: K, list: T[]): unknown },
  key: K,
  item: T,
): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

/** Adds all items of a list to another list. */
export function pushAll<T>(items: readonly T[] | undefined, into: T[]): void {
  if (items !== undefined) for (let i = 0; i < items.length; i++) into.push(items[i])
}
