import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../errors.ts'
import { hashSecret } from '../keys/key.ts'
import { type GuardedStore, type GuardOptions, guardStore } from './guard.ts'
import { withKeyCache } from './mongo/key-cache.ts'
import { copyPepper, loadPepper, PEPPER_FILE, readPepper } from './pepper.ts'
import { backupSqlite } from './sqlite/backup.ts'
import { DATABASE_FILE } from './sqlite/database.ts'
import { toSetupError } from './sqlite/errors.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import { StoreError } from './types.ts'

/** Which store is used, and where. */
export interface StoreSettings {
  /** Folder of the embedded store. */
  readonly dataDir: string
  /** Null selects the embedded store. */
  readonly mongodbUrl: string | null
  /** Null selects the pepper that the embedded store generates. Required with MongoDB, whose nodes share a pepper. */
  readonly keyPepper: string | null
}

export interface OpenOptions {
  /** The embedded store has one server at a time. Tools may run while the server does. */
  readonly role: 'server' | 'tool'
  readonly observe?: GuardOptions['observe']
  readonly onChange?: GuardOptions['onChange']
}

/** Milliseconds that a call to MongoDB may take. Short for a server, whose clients wait, and long for a tool. */
const TIMEOUT_MS = { server: 800, tool: 30_000 } as const

/**
 * Opens the configured store and its pepper.
 * @throws SetupError if the store cannot be opened, or if its keys were created with another pepper
 */
export async function openStore(
  { dataDir, mongodbUrl, keyPepper }: StoreSettings,
  { role, ...observers }: OpenOptions,
): Promise<{ readonly store: GuardedStore; readonly pepper: string }> {
  const isEmbedded = mongodbUrl === null
  // The pepper is created before the database. If a database exists, a new pepper would not match its keys.
  const mayCreate = !existsSync(join(dataDir, DATABASE_FILE))
  const pepper = keyPepper ?? loadPepper(dataDir, { mayCreate })
  const store = isEmbedded
    ? guardStore(await openSqlite({ folder: dataDir, role }), { timeoutMs: null, ...observers })
    : await openShared(mongodbUrl, { role, ...observers })
  try {
    await checkPepper(store, pepper, keyPepper === null ? join(dataDir, PEPPER_FILE) : 'KEY_PEPPER')
    return { store, pepper }
  } catch (error) {
    await store.close().catch(() => {}) // An error of closing has the same cause and would hide this one.
    if (!(error instanceof StoreError)) throw error
    if (isEmbedded) throw toSetupError(error.cause ?? error, join(dataDir, DATABASE_FILE))
    throw new SetupError(`the store does not answer (${error.message}): check that it is running and can be reached`)
  }
}

/** Loads the MongoDB driver only if it is used, because loading takes a third of a command's time. */
async function openShared(url: string, { role, ...observers }: OpenOptions): Promise<GuardedStore> {
  const { openMongo } = await import('./mongo/mongo.ts')
  const store = guardStore(await openMongo({ url }), { timeoutMs: TIMEOUT_MS[role], ...observers })
  return role === 'server' ? withKeyCache(store) : store
}

/** Compares the pepper with the fingerprint in the store, which is that of the first pepper it was opened with. */
async function checkPepper(store: GuardedStore, pepper: string, source: string): Promise<void> {
  const fingerprint = hashSecret('fingerprint of the pepper', pepper)
  if ((await store.settings.putIfAbsent('pepper', fingerprint)) === fingerprint) return
  throw new SetupError(
    `${source} is not the pepper that this store was first opened with, so no existing key would work. Restore the former pepper.`,
  )
}

/**
 * Copies the embedded store and its generated pepper to a folder that can be used as DATA_DIR. A server may run meanwhile. The
 * pepper of KEY_PEPPER is not copied.
 * @throws SetupError if the store is not embedded, or either folder cannot be used
 */
export async function backupStore({ dataDir, mongodbUrl, keyPepper }: StoreSettings, target: string): Promise<void> {
  if (mongodbUrl !== null)
    throw new SetupError('MONGODB_URL is set, and MongoDB is backed up with its own tools: run mongodump')
  if (keyPepper !== null) return backupSqlite(dataDir, target)
  if (existsSync(join(target, PEPPER_FILE)))
    throw new SetupError(`${target} already contains a pepper: choose another folder`)
  const pepper = readPepper(join(dataDir, PEPPER_FILE))
  if (pepper === null)
    throw new SetupError(
      `${dataDir} does not contain a pepper: set DATA_DIR to the data folder of the server, or set KEY_PEPPER`,
    )
  await backupSqlite(dataDir, target)
  copyPepper(pepper, target)
}
