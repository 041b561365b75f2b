import { afterEach, expect, test } from 'vitest'
import { QueueFeeder, type RankedJob } from '../../src/batches/queue/feed-queue.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { newFolder } from '../store/open-stores.ts'
import { onFileEnd } from '../support/on-file-end.ts'

const store = await openSqlite({ folder: newFolder(), role: 'server' })
onFileEnd(() => store.close())
afterEach(async () => {
  for (const { id } of await store.batches.listOpenBatches())
    await store.batches.changeBatch(id, ['waiting', 'running'], { status: 'cancelled' })
})

async function createBatch(id: string, counter: string, total: number): Promise<void> {
  await store.batches.createBatch(
    {
      ...{
        id,
        key: counter,
        counter,
        account: null,
        status: 'waiting',
        reason: null,
        total,
        include: [],
        fresh: false,
      },
      ...{ createdAt: new Date(0), startedAt: null, finishedAt: null, idempotencyKey: null, fingerprint: '' },
      webhook: null,
    },
    100,
  )
  const urls = Array.from({ length: total }, (_, position) => ({
    position,
    url: `https://${position}.example/`,
    turn: 0,
  }))
  await store.batches.addUrls(id, urls)
  await store.batches.openBatch(id)
}

/** A feeder with a queue of which tests take jobs. */
function openFeeder(clock: () => number) {
  const queue = new Map<string, RankedJob>()
  const added: RankedJob[][] = []
  const completed: number[] = []
  const sort = (): RankedJob[] => [...queue.values()].sort((a, b) => a.priority - b.priority)
  const name = ({ job }: RankedJob): string => `${job.batch} ${job.position}`
  const feeder = new QueueFeeder({
    store,
    clock,
    addJobs: async (jobs) => {
      added.push([...jobs])
      for (const job of jobs) if (!queue.has(name(job))) queue.set(name(job), job)
    },
    readFirstPriority: async () => sort().at(0)?.priority ?? null,
    emptyQueue: async () => queue.clear(),
    onCompleted: () => void completed.push(clock()),
  })
  /** Processes the first jobs. @returns their names */
  const take = async (count: number): Promise<string[]> => {
    const taken = sort().slice(0, count)
    for (const ranked of taken) {
      queue.delete(name(ranked))
      await store.batches.storeOutcome(ranked.job, { code: 'scan_failed', error: 'It failed.' }, null)
    }
    return taken.map(name)
  }
  return { feeder, queue, added, completed, take }
}

test('the queue has only the next URLs of each batch, in turns, and is filled again', async () => {
  let now = 1_000_000
  const { feeder, added, completed, take } = openFeeder(() => now)
  await createBatch('large', 'a', 100)
  await createBatch('small', 'b', 2)
  await feeder.feed()
  expect(added[0]).toHaveLength(66)
  await feeder.feed()
  expect(added).toHaveLength(1)
  expect(await take(3)).toEqual(['large 0', 'small 0', 'large 1'])
  expect(await take(1)).toEqual(['small 1'])
  await feeder.feed()
  expect(added[1].map(({ job }) => `${job.batch} ${job.position}`)).toEqual(['large 64', 'large 65'])
  expect(completed).toEqual([now])
  expect((await store.batches.getBatch('small'))?.status).toBe('completed')
  expect((await store.batches.getBatch('large'))?.status).toBe('running')
  // Redis may have lost the jobs: they are added again, with the same priorities.
  now += 5000
  await feeder.feed()
  expect(added[2]).toHaveLength(64)
  expect(added[2][0].priority).toBe(3)
})

test.each([
  ['another key', 'other', 13],
  ['the same key', 'many', 16],
])('a small batch of %s is not behind the URLs that already wait', async (_, counter, most) => {
  const { feeder, take } = openFeeder(() => 0)
  const [large, small] = [`${counter}-large`, `${counter}-small`]
  await createBatch(large, 'many', 300)
  for (let round = 0; round < 5; round++) {
    await feeder.feed()
    await take(40)
  }
  await createBatch(small, counter, 10)
  await feeder.feed()
  const taken = (await take(most)).filter((name) => name.startsWith(small))
  expect(taken).toHaveLength(10)
})

test('a key with many batches gets as much as a key with one, and a new leader fills the queue again', async () => {
  const { feeder, queue, added, take } = openFeeder(() => 0)
  for (let n = 0; n < 4; n++) await createBatch(`part-${n}`, 'parts', 50)
  await createBatch('whole', 'wholes', 50)
  await feeder.feed()
  const taken = await take(32)
  expect(taken.filter((name) => name.startsWith('whole')).length).toBeGreaterThanOrEqual(15)
  feeder.reset()
  await feeder.feed()
  // The first URLs, which cost less, are done.
  expect(added[1][0].priority).toBe(4)
  expect(queue.size).toBe(added[1].length)
})
