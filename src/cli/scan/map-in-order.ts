/**
 * Runs a job for each item, at most `concurrency` at a time, and yields the results in the order of the items. When reading
 * the items fails, the results of the items before are yielded first.
 */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  run: (item: Item) => Promise<Result>,
  concurrency: number,
): AsyncGenerator<Result> {
  const queue: Promise<Result>[] = []
  let failure: { readonly error: unknown } | undefined
  try {
    for await (const item of items) {
      const job = run(item)
      job.catch(() => {}) // Prevents an unhandled rejection: it is awaited below, possibly after other jobs.
      queue.push(job)
      if (queue.length >= concurrency) yield await (queue.shift() as Promise<Result>)
    }
  } catch (error) {
    failure = { error }
  }
  for (const job of queue) yield await job
  if (failure) throw failure.error
}
