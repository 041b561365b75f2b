import { join } from 'node:path'
import { buildKey, hashSecret } from '../../src/keys/key.ts'
import { openStore } from '../../src/store/open/open-store.ts'
import type { Store } from '../../src/store/types.ts'
import { createAccount, writeRow } from '../store/create-account.ts'
import { sampleKey, sampleSecret } from '../store/sample-key.ts'
import { type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { type Env, KEY_PEPPER } from './store-scene.ts'

export const at = (ms: number): Date => new Date(Date.UTC(2026, 4, 1) + ms)
const MONTHS = ['2026-04', '2026-05', '2026-06']

/** Runs the command `service`. */
export const service = (env: Env, ...args: string[]): Promise<Outcome> => smallProject().run('service', args, { env })

export const openTool = (env: Env) =>
  openStore(
    { dataDir: env.DATA_DIR ?? '', mongodbUrl: env.MONGODB_URL ?? null, keyPepper: env.KEY_PEPPER ?? null },
    { role: 'tool' },
  )

/** Everything that the store shows, through its own methods. */
async function describeStore({ keys, usage, accounts, audit, batches, settings }: Store, hashes: readonly string[]) {
  const listed = await keys.listKeys()
  const slots = await keys.listSlots()
  const counters = [...listed, ...slots].map(({ counter }) => counter).concat('key_deleted')
  const people = (await accounts.listAccounts({ search: '', month: '2026-05', offset: 0, limit: 100 })).accounts
  const byText = (rows: readonly object[]) => rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort()
  return {
    listed,
    slots,
    found: await Promise.all(hashes.map((hash) => keys.findKey(hash))),
    months: byText((await Promise.all(MONTHS.map((month) => usage.listMonth(month)))).flat()),
    days: byText(await usage.listDays(counters, '2026-01', '2026-12')),
    people,
    scans: await Promise.all(people.map(async ({ id }) => accounts.getScan(id, `scan of ${id}`))),
    invite: await accounts.findInvite('invite', at(0)),
    audit: await audit.listAudit({ account: null, limit: 100 }),
    value: await settings.findValue('some value'),
    batch: await batches.getBatch('batch1'),
    waiting: await batches.listWaiting('batch1', { turn: 0, position: 0 }, 10),
    lines: (await batches.readPart('batch1', { after: null, limit: 10 })).lines,
  }
}

/** A key of the filled store, and its secret. */
export const { key: usable, secret } = buildKey({
  ...{ name: 'one\0two 🏄', email: 'a@a.example', plan: 'pro', revision: 1 },
  ...{ now: at(1), pepper: KEY_PEPPER },
})
const hashes = [hashSecret(secret, KEY_PEPPER), 'hash of an account']

async function fillStore(store: Store): Promise<void> {
  await store.keys.createKey(usable)
  const change = { expiresAt: at(9), perMinute: 7, perMonth: 0, revokedAt: at(5), suspendedAt: at(4) }
  await store.keys.createKey(
    sampleKey({ ...change, secrets: [sampleSecret(), sampleSecret(at(3)), sampleSecret(at(2))] }),
  )
  const ann = await createAccount(store, { email: 'ann@a.example', emailVerified: true, plan: 'starter' })
  await createAccount(store, { email: 'bob@a.example', name: '$where' })
  for (const lastFour of ['aaaa', 'bbbb']) {
    const hash = lastFour === 'aaaa' ? hashes[1] : lastFour
    const key = sampleKey({ account: ann, secrets: [{ hash, lastFour, expiresAt: null }] })
    await store.keys.createAccountKey(key, 9)
  }
  // A slot whose first key was deleted and whose second key is revoked.
  const [deleted, revoked] = [sampleKey({ account: ann }), sampleKey({ account: ann })]
  await store.keys.createAccountKey(deleted, 9)
  await store.keys.deleteKey(deleted.id)
  await store.keys.createAccountKey(revoked, 9)
  await store.usage.charge({ counter: deleted.id, day: '2026-05-03', quota: 99, at: at(124) })
  await store.keys.revokeKey(revoked.id, at(6))
  const webhook = { url: 'https://h.example/', state: 'waiting', attempts: [], nextAt: null } as const
  await store.batches.createBatch(
    {
      ...{
        id: 'batch1',
        key: usable.id,
        counter: usable.counter,
        account: ann,
        status: 'waiting',
        reason: null,
        total: 2,
      },
      ...{ include: ['meta'], fresh: true, createdAt: at(1), startedAt: null, finishedAt: null, webhook },
      ...{ idempotencyKey: 'a "key"', fingerprint: 'f' },
    },
    1,
  )
  const url = { url: 'https://a.example/\0é', turn: 0 }
  await store.batches.addUrls(
    'batch1',
    [0, 1].map((position) => ({ ...url, position })),
  )
  await store.batches.openBatch('batch1')
  const failure = { code: 'scan_failed', error: 'It "failed".' }
  await store.batches.storeOutcome({ batch: 'batch1', position: 0 }, failure, null)
  await store.batches.changeBatch('batch1', ['waiting'], { status: 'cancelled', finishedAt: at(8) })
  await writeRow(store, 'credentials', {
    ...{ id: 'cred', accountId: ann, providerId: 'credential', userId: ann, password: 'scrypt$x' },
    ...{ createdAt: at(1), updatedAt: at(2) },
  })
  for (const [key, day] of [
    [usable.id, '2026-04-30'],
    [usable.id, '2026-05-01'],
    [usable.id, '2026-05-31'],
    [usable.id, '2026-05-31'],
    ['key_deleted', '2026-05-02'],
  ])
    await store.usage.charge({ counter: key, day, quota: 99, at: at(123) })
  await store.usage.touch({ counter: usable.id, day: '2026-06-01', at: at(456) })
  const entry = { at: 1, result: '{"a":"ü"}', extras: '{}' }
  await store.accounts.addScan(
    { id: `scan of ${ann}`, account: ann, url: 'https://a.example', builder: null, at: at(7), entry },
    9,
  )
  await store.accounts.createInvite({ hash: 'invite', expiresAt: new Date('2099-01-01T00:00:00.001Z') })
  const nothing = { actor: null, account: null, key: null, detail: null, command: null, machine: null }
  for (const detail of ['first', 'second'])
    await store.audit.addAudit({ ...nothing, at: at(1), action: 'api_on', detail })
  await store.audit.addAudit({ ...nothing, at: at(2), action: 'key_revoked', account: ann, command: 'c', machine: 'm' })
  await store.settings.putIfAbsent('some value', 'x')
}

/** A store with something of every kind, for exports. */
export interface FilledStore {
  readonly source: { readonly DATA_DIR: string; readonly KEY_PEPPER: string }
  /** Path of a file in the folder of this scene. */
  readonly file: (name: string) => string
  /** Reads everything from the store of these settings. */
  readonly read: (env: Env) => ReturnType<typeof describeStore>
}

/** Fills a new embedded store. */
export async function openFilledStore(): Promise<FilledStore> {
  const folder = writeFolder({})
  const file = (name: string): string => join(folder, name)
  const source = { DATA_DIR: file('source'), KEY_PEPPER }
  const { store } = await openTool(source)
  await fillStore(store)
  await store.close()
  const read = async (env: Env) => {
    const opened = await openTool(env)
    const found = await describeStore(opened.store, hashes)
    await opened.store.close()
    return found
  }
  return { source, file, read }
}
