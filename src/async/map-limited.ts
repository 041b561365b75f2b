/** Runs a function on each item, on at most `limit` items at a time. The results are in the order of the items. */
export async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length)
  const left = items.entries()
  const work = async (): Promise<void> => {
    for (const [i, item] of left) results[i] = await run(item)
  }
  await Promise.all(Array.from({ length: limit }, work))
  return results
}
