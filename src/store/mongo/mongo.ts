import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, MongoNetworkTimeoutError } from 'mongodb'
import type { Store } from '../types.ts'
import { wrapMethods } from '../wrap-methods.ts'
import { MongoAccounts } from './accounts.ts'
import { MongoAudit } from './audit.ts'
import { MongoBatches } from './batches.ts'
import { getCollections } from './collections.ts'
import { toSetupError, toStoreError } from './errors.ts'
import { fillSlots } from './fill-slots.ts'
import { MongoKeys } from './keys.ts'
import { MongoLink } from './link.ts'
import { prepareDatabase } from './schema.ts'
import { MongoSettings } from './settings.ts'
import { MongoUsage } from './usage.ts'

/** Time limit for MongoDB to respond at the start, in milliseconds. */
const ANSWER_TIMEOUT_MS = 4000
/**
 * Time limit for creating the collections and indexes, in milliseconds. Several nodes that start together wait for each
 * other.
 */
const PREPARE_TIMEOUT_MS = 30_000

/**
 * The share of a charge's time after which the server aborts it (`maxTimeMS`). Without this limit, a charge that waits for a
 * lock or a majority takes effect long after its request got 503: measured 373 in 20 s of `fsync` + lock.
 */
const SERVER_SHARE = 0.75

export interface OpenMongo {
  /** A connection string. */
  readonly url: string
  /**
   * Milliseconds that a charge may take, and may wait for the one before it; 800 by default. The server aborts unfinished
   * charges after three quarters of this time. A higher value also gives every call more time to get a connection.
   */
  readonly queueMs?: number
}

/**
 * Opens a store that several nodes share, in the database that the URL names, or in `siteprint`. Creates missing collections
 * with their indexes and validators.
 * @throws SetupError within a few seconds if MongoDB cannot be reached or refuses access; after half a minute if it takes longer
 *   than that to create them
 */
export async function openMongo({ url, queueMs = 800 }: OpenMongo): Promise<Store> {
  let parts: MongoParts
  const onRenewed = (db: Db): void => {
    parts = buildParts(db, queueMs)
  }
  const link = new MongoLink({ url, waitMs: queueMs, onRenewed })
  parts = buildParts(link.db, queueMs)
  await prepare(link)
  return {
    keys: wrapMethods(() => parts.keys, translateErrors),
    usage: wrapMethods(() => parts.usage, translateErrors),
    accounts: wrapMethods(() => parts.accounts, translateErrors),
    audit: wrapMethods(() => parts.audit, translateErrors),
    batches: wrapMethods(() => parts.batches, translateErrors),
    settings: wrapMethods(() => parts.settings, translateErrors),
    authDatabase: { kind: 'mongodb', get: () => ({ client: link.client, db: link.db }) },
    ping: () => translateErrors('ping', () => parts.settings.probe()),
    readClock: () => translateErrors('readClock', () => readClock(link.db)),
    close: () => link.close(),
  }
}

async function readClock(db: Db): Promise<Date | null> {
  const { localTime } = await db.command({ hello: 1 })
  return localTime instanceof Date ? localTime : null
}

interface MongoParts {
  readonly keys: MongoKeys
  readonly usage: MongoUsage
  readonly accounts: MongoAccounts
  readonly audit: MongoAudit
  readonly batches: MongoBatches
  readonly settings: MongoSettings
}

function buildParts(db: Db, queueMs: number): MongoParts {
  const collections = getCollections(db)
  const { usage, audit, settings } = collections
  const maxTimeMS = Math.ceil(queueMs * SERVER_SHARE)
  const times = { queueMs, maxTimeMS }
  return {
    keys: new MongoKeys(collections),
    usage: new MongoUsage(usage, times),
    accounts: new MongoAccounts(collections),
    audit: new MongoAudit(audit),
    batches: new MongoBatches(collections, times),
    settings: new MongoSettings(settings, maxTimeMS),
  }
}

async function prepare(link: MongoLink): Promise<void> {
  try {
    await limit(link.db.command({ ping: 1 }), ANSWER_TIMEOUT_MS)
    await limit(prepareRepeatedly(link.db), PREPARE_TIMEOUT_MS)
    await fillSlots(getCollections(link.db))
  } catch (error) {
    void link.close()
    throw toSetupError(error, link.hosts)
  }
}

/**
 * Repeats what a slow server did not finish before the time limit of the socket (`SOCKET_MS`), which is meant for requests. Each
 * step does nothing if it has been done.
 */
async function prepareRepeatedly(db: Db): Promise<void> {
  const deadline = performance.now() + PREPARE_TIMEOUT_MS
  for (;;) {
    try {
      return await prepareDatabase(db)
    } catch (error) {
      if (!(error instanceof MongoNetworkTimeoutError) || performance.now() > deadline) throw error
    }
  }
}

async function limit(work: Promise<unknown>, ms: number): Promise<void> {
  const isDone = work.then(() => true)
  if (!(await Promise.race([isDone, sleep(ms, false, { ref: false })]))) throw new Error(`no answer within ${ms} ms`)
}

async function translateErrors<T>(_method: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw toStoreError(error)
  }
}
