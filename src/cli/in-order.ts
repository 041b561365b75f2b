/**
 * Runs a job for each item, at most `concurrency` at once, and yields the outcomes in the order of the items. When reading
 * the items fails, the outcomes of those before are yielded first.
 */
export async function* mapInOrder<Item, Outcome>(
  items: AsyncIterable<Item>,
  run: (item: Item) => Promise<Outcome>,
  concurrency: number,
): AsyncGenerator<Outcome> {
  const queue: Promise<Outcome>[] = []
  let fault: { readonly error: unknown } | undefined
  try {
    for await (const item of items) {
      const job = run(item)
      job.catch(() => {}) // It is awaited below, maybe after others.
      queue.push(job)
      if (queue.length >= concurrency) yield await (queue.shift() as Promise<Outcome>)
    }
  } catch (error) {
    fault = { error }
  }
  for (const job of queue) yield await job
  if (fault) throw fault.error
}
