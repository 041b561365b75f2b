import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import pino from 'pino'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { BatchMaintenance } from '../../src/batches/maintain-batches.ts'
import { buildWebhookSecret, WebhookSender } from '../../src/batches/webhook.ts'
import { parseAllowed } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY, type Policy } from '../../src/fetch/policy.ts'
import type { Batch, BatchChange, BatchWebhook } from '../../src/store/batch-types.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { newFolder } from '../store/open-stores.ts'
import { onFileEnd } from '../support/on-file-end.ts'

const PEPPER = 'a pepper of the tests, long enough'
const NOW = Date.UTC(2026, 4, 10, 12)
const LOCAL: Policy = { ...DEFAULT_POLICY, allow: [parseAllowed('127.0.0.1')].flatMap((one) => one ?? []) }

interface Received {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A receiver that responds with a status: 302 leads to /other. */
async function openReceiver(status: number): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    received.push({ path: request.url ?? '', headers: request.headers, body: await text(request) })
    response.writeHead(status, { location: '/other' }).end('not read')
  })
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

const store = await openSqlite({ folder: newFolder(), role: 'server' })
onFileEnd(() => store.close())

let batches = 0
/** Creates a completed batch whose webhook is due. */
async function createEnded(url: string, attempts: BatchWebhook['attempts'] = []): Promise<Batch> {
  const id = `batch${++batches}`
  const batch: Batch = {
    ...{ id, key: 'key', counter: 'counter', account: null, status: 'waiting', reason: null, total: 1, include: [] },
    ...{ fresh: false, createdAt: new Date(NOW), startedAt: null, finishedAt: null, idempotencyKey: null },
    ...{ fingerprint: '', webhook: { url, state: 'waiting', attempts, nextAt: NOW } },
  }
  await store.batches.createBatch(batch, 1)
  await store.batches.openBatch(id)
  const change: BatchChange = { status: 'completed', finishedAt: new Date(NOW), webhook: batch.webhook }
  await store.batches.changeBatch(id, ['waiting'], change)
  return (await store.batches.getBatch(id)) ?? batch
}

async function send(batch: Batch, policy: Policy): Promise<BatchWebhook | null | undefined> {
  await new WebhookSender({ store, policy, pepper: PEPPER, clock: () => NOW }).send(batch)
  return (await store.batches.getBatch(batch.id))?.webhook
}

test('a message is signed by the Standard Webhooks specification', async () => {
  const { url, received } = await openReceiver(204)
  const batch = await createEnded(url)
  expect(await send(batch, LOCAL)).toMatchObject({ state: 'delivered', nextAt: null, attempts: [{ status: 204 }] })
  const [{ headers, body }] = received
  expect(JSON.parse(body)).toEqual({
    type: 'batch.completed',
    timestamp: '2026-05-10T12:00:00.000Z',
    data: { id: batch.id, status: 'completed', reason: null, total: 1 },
  })
  const id = String(headers['webhook-id'])
  const signature = new Webhook(buildWebhookSecret('counter', PEPPER)).sign(id, new Date(NOW), body)
  expect(headers).toMatchObject({
    'webhook-id': `msg_${batch.id}_${NOW}`,
    'webhook-timestamp': String(NOW / 1000),
    'webhook-signature': signature,
    'content-type': 'application/json',
  })
})

const failed = { at: new Date(NOW).toISOString(), status: 500, error: null }

test.each<[string, number, number, Partial<BatchWebhook>]>([
  ['an error is tried again after ten seconds', 500, 0, { state: 'waiting', nextAt: NOW + 10_000 }],
  ['a second error after a minute', 500, 1, { state: 'waiting', nextAt: NOW + 60_000 }],
  ['the last error ends it', 500, 8, { state: 'failed', nextAt: null }],
  ['410 ends it', 410, 0, { state: 'failed', nextAt: null }],
  ['a redirect is an error and is not followed', 302, 0, { state: 'waiting', nextAt: NOW + 10_000 }],
])('%s', async (_, status, before, wanted) => {
  const { url, received } = await openReceiver(status)
  const after = await send(await createEnded(url, Array(before).fill(failed)), LOCAL)
  expect(after).toMatchObject(wanted)
  expect(after?.attempts).toHaveLength(before + 1)
  expect(after?.attempts.at(-1)).toEqual({ ...failed, status })
  expect(received.map(({ path }) => path)).toEqual(['/hook'])
})

test.each([
  ['an address that is not public', 'http://127.0.0.1/hook'],
  ['a name that is not public', 'https://printer.lan/hook'],
])('nothing is sent to %s', async (_, url) => {
  const after = await send(await createEnded(url), DEFAULT_POLICY)
  expect(after).toMatchObject({ state: 'waiting', attempts: [{ status: null }] })
  expect(after?.attempts[0].error).not.toContain('127.0.0.1')
})

test('a receiver that does not respond does not delay other webhooks', async () => {
  const waiting: (() => void)[] = []
  const count = 3
  let onAllArrived = (): void => {}
  const allArrived = new Promise<void>((resolve) => {
    onAllArrived = resolve
  })
  const server = createServer((request, response) => {
    request.resume()
    waiting.push(() => response.writeHead(204).end())
    // Each is answered only after all have arrived.
    if (waiting.length < count) return
    for (const answer of waiting) answer()
    onAllArrived()
  })
  onFileEnd(() => void server.close().closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const ended = [await createEnded(url), await createEnded(url), await createEnded(url)]
  const parts = { store, policy: LOCAL, clock: () => NOW, log: pino({ level: 'silent' }) }
  const webhooks = new WebhookSender({ ...parts, pepper: PEPPER })
  const settings = { plans: new Map(), batchDays: 7 }
  const maintenance = new BatchMaintenance({ ...parts, settings, webhooks }, { onResumed: () => {} })
  maintenance.start()
  await allArrived
  await maintenance.close()
  const states = await Promise.all(ended.map(async ({ id }) => (await store.batches.getBatch(id))?.webhook?.state))
  expect(states).toEqual(Array(count).fill('delivered'))
})
