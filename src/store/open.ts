import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../errors.ts'
import { hashSecret } from '../keys/key.ts'
import { type GuardedStore, type GuardOptions, guardStore } from './guard.ts'
import { copyPepper, loadPepper, PEPPER_FILE, readPepper } from './pepper.ts'
import { backupSqlite } from './sqlite/backup.ts'
import { DATABASE_FILE } from './sqlite/database.ts'
import { setupFault } from './sqlite/errors.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import { type Store, StoreError } from './types.ts'

/** Which store runs. */
export interface StoreSettings {
  /** Folder of the embedded store. */
  readonly dataDir: string
  /** null for the embedded store. */
  readonly mongodbUrl: string | null
  /** null for the pepper that the embedded store makes; never with MongoDB, whose nodes share one. */
  readonly keyPepper: string | null
}

export interface OpenOptions {
  /** The embedded store has one server at a time; tools run beside it. */
  readonly role: 'server' | 'tool'
  readonly observe?: GuardOptions['observe']
  readonly onChange?: GuardOptions['onChange']
}

/** Milliseconds that a call to MongoDB may take. A client of the API waits for a server; of a tool much more may be asked. */
const TIMEOUT_MS = { server: 800, tool: 30_000 } as const

/**
 * Opens the store that the settings name, and its pepper.
 * @throws SetupError when it cannot be opened, or its keys were made with another pepper
 */
export async function openStore(
  { dataDir, mongodbUrl, keyPepper }: StoreSettings,
  { role, ...watchers }: OpenOptions,
): Promise<{ readonly store: GuardedStore; readonly pepper: string }> {
  const isEmbedded = mongodbUrl === null
  // The pepper is made before the database: where that is, another pepper would not fit its keys.
  const mayMake = !existsSync(join(dataDir, DATABASE_FILE))
  const pepper = keyPepper ?? loadPepper(dataDir, { mayMake })
  const bare = isEmbedded ? await openSqlite({ folder: dataDir, role }) : await openShared(mongodbUrl)
  const store = guardStore(bare, { timeoutMs: isEmbedded ? null : TIMEOUT_MS[role], ...watchers })
  try {
    await checkPepper(store, pepper, keyPepper === null ? join(dataDir, PEPPER_FILE) : 'KEY_PEPPER')
    return { store, pepper }
  } catch (error) {
    await store.close().catch(() => {}) // It fails for the same reason, and would hide the error.
    if (!(error instanceof StoreError)) throw error
    if (isEmbedded) throw setupFault(error.cause ?? error, join(dataDir, DATABASE_FILE))
    throw new SetupError(`the store does not answer (${error.message}): check that it runs and is reached`)
  }
}

/** Who has no MongoDB need not wait for its driver to load: a third of a command's time. */
async function openShared(url: string): Promise<Store> {
  const { openMongo } = await import('./mongo/mongo.ts')
  return openMongo({ url })
}

/** The store keeps a fingerprint of the first pepper that it was opened with. */
async function checkPepper(store: GuardedStore, pepper: string, place: string): Promise<void> {
  const fingerprint = hashSecret('fingerprint of the pepper', pepper)
  if ((await store.keepOnce('pepper', fingerprint)) === fingerprint) return
  throw new SetupError(
    `${place} is not the pepper that this store was first opened with: no key made with that one would be known. Put the former pepper back.`,
  )
}

/**
 * Copies the embedded store and the pepper it keeps to a folder that then serves as a DATA_DIR; a server may run meanwhile.
 * KEY_PEPPER is not copied.
 * @throws SetupError when the store is no embedded one, or either folder cannot be used
 */
export async function backupStore({ dataDir, mongodbUrl, keyPepper }: StoreSettings, target: string): Promise<void> {
  if (mongodbUrl !== null)
    throw new SetupError('MONGODB_URL is set, and MongoDB is backed up with its own tools: run mongodump')
  if (keyPepper !== null) return backupSqlite(dataDir, target)
  if (existsSync(join(target, PEPPER_FILE)))
    throw new SetupError(`${target} holds a pepper already: name another folder`)
  const pepper = readPepper(join(dataDir, PEPPER_FILE))
  if (pepper === null)
    throw new SetupError(`there is no pepper in ${dataDir}: set DATA_DIR to the folder of the server, or KEY_PEPPER`)
  await backupSqlite(dataDir, target)
  copyPepper(pepper, target)
}
