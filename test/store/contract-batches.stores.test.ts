import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Batch, BatchLine, BatchUrl, ItemCharge } from '../../src/store/batch-types.ts'
import type { Store } from '../../src/store/types.ts'
import { createAccount } from './create-account.ts'
import { findStoreKind } from './open-stores.ts'
import { readUsed } from './read-used.ts'

const newId = (): string => randomUUID().replaceAll('-', '')
const MAX_OPEN = 100
const NOON = new Date('2026-05-17T12:00:00.000Z')

function buildBatch(change: Partial<Batch> = {}): Batch {
  return {
    ...{ id: newId(), key: newId(), counter: newId(), account: null, status: 'waiting', reason: null, total: 3 },
    ...{ include: ['versions'], fresh: false, createdAt: NOON, startedAt: null, finishedAt: null },
    ...{ idempotencyKey: null, fingerprint: 'f', webhook: null },
    ...change,
  }
}

const URLS: readonly BatchUrl[] = [
  { position: 0, url: 'https://a.example/', turn: 0 },
  { position: 1, url: 'https://a.example/\u0000"é', turn: 1 },
  { position: 2, url: 'https://b.example/', turn: 0 },
]
const chargeOf = ({ counter }: Batch, change: Partial<ItemCharge> = {}): ItemCharge => ({
  counter,
  day: '2026-05-17',
  at: NOON,
  quota: 100,
  ...change,
})

async function openBatch(store: Store, change: Partial<Batch> = {}, urls = URLS): Promise<Batch> {
  const batch = buildBatch({ total: urls.length, ...change })
  await store.batches.createBatch(batch, MAX_OPEN)
  await store.batches.addUrls(batch.id, urls)
  await store.batches.openBatch(batch.id)
  return batch
}

/** Reads all lines; the server may show them a little later. */
async function readLines(store: Store, id: string, count: number): Promise<readonly BatchLine[]> {
  const lines: BatchLine[] = []
  let after: string | null = null
  while (lines.length < count) {
    const part = await store.batches.readPart(id, { after, limit: 2 })
    lines.push(...part.lines)
    after = part.cursor
    if (part.lines.length === 0) await nextTurn()
  }
  return lines
}

const kind = findStoreKind('store-batches')
describe.skipIf(kind.isMissing).each([kind])('batches in $name', ({ openBoth }) => {
  let store: Store
  let other: Store
  beforeAll(async () => {
    ;[store, other] = await openBoth()
  })
  afterAll(async () => {
    await store?.close()
    await other?.close()
  })

  test('a batch is found once it is open, with its URLs in their turns', async () => {
    const wanted = buildBatch()
    await store.batches.createBatch(wanted, MAX_OPEN)
    expect(await other.batches.getBatch(wanted.id)).toBeNull()
    await store.batches.addUrls(wanted.id, URLS.slice(0, 2))
    await store.batches.addUrls(wanted.id, URLS)
    await store.batches.openBatch(wanted.id)
    expect(await other.batches.getBatch(wanted.id)).toEqual(wanted)
    const start = { turn: 0, position: 0 }
    expect(await other.batches.listWaiting(wanted.id, start, 10)).toEqual([URLS[0], URLS[2], URLS[1]])
    expect(await other.batches.listWaiting(wanted.id, { turn: 0, position: 1 }, 1)).toEqual([URLS[2]])
    expect((await store.batches.listOpenBatches()).map(({ id }) => id)).toContain(wanted.id)
    expect(await store.batches.countItems(wanted.id)).toEqual({ waiting: 3, succeeded: 0, failures: {} })
  })

  test('an idempotency key of the same counter finds the batch', async () => {
    const first = await openBatch(store, { idempotencyKey: 'order "7"' })
    const repeated = buildBatch({ counter: first.counter, idempotencyKey: 'order "7"' })
    expect(await other.batches.createBatch(repeated, 1)).toMatchObject({
      batch: { id: first.id, idempotencyKey: 'order "7"' },
      isNew: false,
      isOpen: true,
    })
    const same = buildBatch({ idempotencyKey: 'order "7"' })
    expect(await other.batches.createBatch(same, MAX_OPEN)).toMatchObject({ isNew: true })
  })

  test('requests at the same time do not exceed the limit of open batches', async () => {
    const counter = newId()
    const old = await openBatch(store, { counter })
    await openBatch(store, { counter })
    const ended = await openBatch(store, { counter, createdAt: new Date(NOON.getTime() + 1) })
    await store.batches.changeBatch(ended.id, ['waiting'], { status: 'completed', finishedAt: NOON })
    const create = (n: number) => [store, other][n % 2].batches.createBatch(buildBatch({ counter }), 4)
    const created = await Promise.all(Array.from({ length: 12 }, (_, n) => create(n)))
    // One after the other, because several that compete for the last place may all be rejected.
    for (const n of [0, 1]) created.push(await create(n))
    expect(created.filter((one) => one !== null)).toHaveLength(2)
    expect(await other.batches.countOpen(counter)).toBe(4)
    for (const one of created) if (one !== null) await store.batches.openBatch(one.batch.id)
    expect([await create(0), await store.batches.countOpen(counter)]).toEqual([null, 4])
    await store.batches.changeBatch(old.id, ['waiting'], { status: 'cancelled', finishedAt: NOON })
    expect(await create(1)).toMatchObject({ isNew: true })
  })

  test('a batch that was withdrawn is not opened, and its idempotency key can be used again', async () => {
    const counter = newId()
    const open = await openBatch(store, { counter })
    const named = (): Batch => buildBatch({ counter, idempotencyKey: 'a' })
    const rejected = named()
    expect(await store.batches.createBatch(rejected, 1)).toBeNull()
    await store.batches.addUrls(rejected.id, URLS).catch(() => {})
    expect(await other.batches.openBatch(rejected.id)).toBe(false)
    await store.batches.changeBatch(open.id, ['waiting'], { status: 'cancelled', finishedAt: NOON })
    expect(await other.batches.createBatch(named(), 1)).toMatchObject({ isNew: true, isOpen: false })
  })

  test('a URL gets one outcome, and a success is charged once', async () => {
    const batch = await openBatch(store)
    const item = { batch: batch.id, position: 0 }
    const results = await Promise.all(
      [store, other, store, other].map(({ batches }, n) =>
        batches.storeOutcome(item, { result: `{"n":${n}}` }, chargeOf(batch)),
      ),
    )
    expect(results.filter((one) => one === 'stored')).toHaveLength(1)
    const failure = { code: 'scan_failed', error: 'The "site" failed.' }
    expect(await store.batches.storeOutcome({ ...item, position: 2 }, failure, null)).toBe('stored')
    expect(await store.batches.storeOutcome({ ...item, position: 2 }, { result: '{}' }, chargeOf(batch))).toBe(
      'already',
    )
    expect(await store.batches.countItems(batch.id)).toEqual({ waiting: 1, succeeded: 1, failures: { scan_failed: 1 } })
    await store.batches.storeOutcome({ ...item, position: 1 }, { result: '{"n":9}' }, chargeOf(batch))
    await store.batches.changeBatch(batch.id, ['waiting'], { status: 'completed', finishedAt: NOON })
    await store.batches.settleBatch(batch.id)
    expect(await readUsed(store, batch.counter, '2026-05')).toBe(2)
    const lines = await readLines(store, batch.id, 3)
    expect(lines.map(({ position, url }) => [position, url])).toEqual([0, 2, 1].map((n) => [n, URLS[n].url]))
    expect(lines[1]).toMatchObject(failure)
    expect(lines[2]).toMatchObject({ result: '{"n":9}' })
  })

  test('a charge whose outcome was not stored is settled, and one after the end is not made', async () => {
    const batch = await openBatch(store)
    for (const position of [0, 1])
      await store.batches.storeOutcome({ batch: batch.id, position }, { result: '{}' }, chargeOf(batch))
    await store.batches.changeBatch(batch.id, ['waiting'], { status: 'cancelled', reason: 'client', finishedAt: NOON })
    await Promise.all([store.batches.settleBatch(batch.id), other.batches.settleBatch(batch.id)])
    await store.batches.settleBatch(batch.id)
    expect(await readUsed(other, batch.counter, '2026-05')).toBe(2)
    expect((await store.usage.listDays([batch.counter], '2026-05')).map(({ used }) => used)).toEqual([2])
    expect(await store.batches.listUnsettledBatches(Date.now())).not.toContainEqual(
      expect.objectContaining({ id: batch.id }),
    )
  })

  test('nothing is stored beyond the quota', async () => {
    const batch = await openBatch(store)
    const charge = chargeOf(batch, { quota: 1 })
    const outcomes = []
    for (const position of [0, 1])
      outcomes.push(await store.batches.storeOutcome({ batch: batch.id, position }, { result: '{}' }, charge))
    expect(outcomes).toEqual(['stored', 'quota'])
    expect(await readUsed(store, batch.counter, '2026-05')).toBe(1)
    expect((await store.batches.countItems(batch.id)).waiting).toBe(2)
  })

  test('failures can be retried, and their lines come again', async () => {
    const batch = await openBatch(store)
    const fail = (code: string) => ({ code, error: 'It failed.' })
    for (const [position, code] of ['internal', 'scan_failed', 'scan_failed'].entries())
      await store.batches.storeOutcome({ batch: batch.id, position }, fail(code), null)
    await store.batches.changeBatch(batch.id, ['waiting'], { status: 'completed', finishedAt: NOON })
    await store.batches.settleBatch(batch.id)
    const [, , last] = await readLines(store, batch.id, 3)
    expect(last.position).toBe(2)
    const { cursor } = await store.batches.readPart(batch.id, { after: null, limit: 10 })
    expect((await store.batches.listFailedBatches(['internal'], 10)).map(({ id }) => id)).toContain(batch.id)
    expect(await other.batches.retryFailures(batch.id, ['scan_failed'])).toBe(2)
    expect(await store.batches.getBatch(batch.id)).toMatchObject({ status: 'waiting', finishedAt: null })
    const outcome = await store.batches.storeOutcome(
      { batch: batch.id, position: 2 },
      { result: '{}' },
      chargeOf(batch),
    )
    expect(outcome).toBe('stored')
    await store.batches.changeBatch(batch.id, ['waiting'], { status: 'completed', finishedAt: NOON })
    await store.batches.settleBatch(batch.id)
    const part = await store.batches.readPart(batch.id, { after: cursor, limit: 10 })
    expect(part.lines.map(({ position }) => position)).toEqual([2])
    expect(await readUsed(store, batch.counter, '2026-05')).toBe(1)
  })

  test('counts our own failures', async () => {
    const batch = await openBatch(store)
    const counts = [await store.batches.countTry(batch.id, 1), await other.batches.countTry(batch.id, 1)]
    expect([...counts, await store.batches.countTry(batch.id, 0)]).toEqual([1, 2, 1])
  })

  test('changes only a batch in one of the states, and lists due webhooks', async () => {
    const webhook = { url: 'https://hook.example/', state: 'waiting', attempts: [], nextAt: null } as const
    const batch = await openBatch(store, { webhook })
    expect(await store.batches.changeBatch(batch.id, ['running'], { status: 'paused' })).toBe(false)
    const due = { ...webhook, nextAt: NOON.getTime() }
    expect(await other.batches.changeBatch(batch.id, ['waiting'], { status: 'completed', webhook: due })).toBe(true)
    expect((await store.batches.listDueWebhooks(NOON.getTime())).map(({ id }) => id)).toContain(batch.id)
    expect((await store.batches.listDueWebhooks(NOON.getTime() - 1)).map(({ id }) => id)).not.toContain(batch.id)
    await store.batches.changeBatch(batch.id, ['completed'], { webhook: { ...due, state: 'delivered', nextAt: null } })
    expect(await store.batches.listDueWebhooks(NOON.getTime())).not.toContainEqual(
      expect.objectContaining({ id: batch.id }),
    )
    expect(await store.batches.getBatch(batch.id)).toMatchObject({
      status: 'completed',
      webhook: { state: 'delivered' },
    })
  })

  test('lists the batches of counters in pages, newest first', async () => {
    const counters = [newId(), newId()]
    const made = []
    for (let n = 0; n < 3; n++)
      made.push(await openBatch(store, { counter: counters[n % 2], createdAt: new Date(NOON.getTime() + n) }))
    const [oldest, middle, newest] = made.map(({ id }) => id)
    const first = await store.batches.listBatches({ counters, limit: 2 })
    expect(first.map(({ id }) => id)).toEqual([newest, middle])
    const second = await store.batches.listBatches({ counters, limit: 2, before: middle })
    expect(second.map(({ id }) => id)).toEqual([oldest])
    const own = await store.batches.listBatches({ counters: [counters[1]], limit: 2 })
    expect(own.map(({ id }) => id)).toEqual([middle])
    expect(await store.batches.listBatches({ counters: [], limit: 2 })).toEqual([])
  })

  test('deletes what is old or was never opened, and nothing else', async () => {
    const kept = await openBatch(store, { createdAt: new Date(0) })
    const old = await openBatch(store)
    await store.batches.changeBatch(old.id, ['waiting'], { status: 'cancelled', finishedAt: new Date(1000) })
    const unopened = buildBatch({ createdAt: new Date(1000) })
    await store.batches.createBatch(unopened, MAX_OPEN)
    while (await store.batches.deleteBatches({ before: 1001, unopened: 1001 }));
    expect(await store.batches.getBatch(old.id)).toBeNull()
    expect(await store.batches.countItems(old.id)).toMatchObject({ waiting: 0 })
    await store.batches.openBatch(unopened.id)
    expect(await store.batches.getBatch(unopened.id)).toBeNull()
    expect(await store.batches.getBatch(kept.id)).not.toBeNull()
  })

  test('batches are deleted with their account', async () => {
    const account = await createAccount(store)
    const batch = await openBatch(store, { account })
    await store.accounts.deleteAccount(account, NOON)
    while (await store.batches.deleteBatches({ before: 0, unopened: 0 }));
    expect(await store.batches.getBatch(batch.id)).toBeNull()
    expect((await store.batches.countItems(batch.id)).waiting).toBe(0)
    const outcome = await other.batches.storeOutcome(
      { batch: batch.id, position: 0 },
      { result: '{}' },
      chargeOf(batch),
    )
    expect([outcome, await readUsed(store, batch.counter, '2026-05')]).toEqual(['already', 0])
  })
})
