import { expect, test } from 'vitest'
import type { BatchJob } from '../../src/batches/process-item.ts'
import { QueueFeeder } from '../../src/batches/queue/feed-queue.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { newFolder } from '../store/open-stores.ts'
import { onFileEnd } from '../support/on-file-end.ts'

const store = await openSqlite({ folder: newFolder(), role: 'server' })
onFileEnd(() => store.close())

async function createBatch(id: string, counter: string, total: number): Promise<void> {
  await store.batches.createBatch({
    ...{ id, key: counter, counter, account: null, status: 'waiting', reason: null, total, include: [], fresh: false },
    ...{ createdAt: new Date(0), startedAt: null, finishedAt: null, idempotencyKey: null, fingerprint: '' },
    webhook: null,
  })
  const urls = Array.from({ length: total }, (_, position) => ({
    position,
    url: `https://${position}.example/`,
    turn: 0,
  }))
  await store.batches.addUrls(id, urls)
  await store.batches.openBatch(id)
}

test('the queue has only the next URLs of each batch, in turns, and is filled again', async () => {
  let now = 1_000_000
  const added: BatchJob[][] = []
  const completed: number[] = []
  const feeder = new QueueFeeder({
    store,
    clock: () => now,
    addJobs: async (jobs) => void added.push([...jobs]),
    onCompleted: () => void completed.push(now),
  })
  await createBatch('large', 'a', 100)
  await createBatch('small', 'b', 2)
  await feeder.feed()
  expect(added[0]).toHaveLength(66)
  expect(added[0].slice(0, 5).map(({ batch, position }) => `${batch} ${position}`)).toEqual([
    'large 0',
    'small 0',
    'large 1',
    'small 1',
    'large 2',
  ])
  await feeder.feed()
  expect(added).toHaveLength(1)
  const failure = { code: 'scan_failed', error: 'It failed.' }
  for (const position of [0, 1]) await store.batches.storeOutcome({ batch: 'small', position }, failure, null)
  await store.batches.storeOutcome({ batch: 'large', position: 0 }, failure, null)
  await feeder.feed()
  expect(added[1].map(({ batch, position }) => `${batch} ${position}`)).toEqual(['large 64'])
  expect(completed).toEqual([now])
  expect((await store.batches.getBatch('small'))?.status).toBe('completed')
  expect((await store.batches.getBatch('large'))?.status).toBe('running')
  // Redis may have lost the jobs.
  now += 5000
  await feeder.feed()
  expect(added[2]).toHaveLength(64)
})
