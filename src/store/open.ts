import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../errors.ts'
import { hashSecret } from '../keys/key.ts'
import { type GuardedStore, type GuardOptions, guardStore } from './guard.ts'
import { withKeyCache } from './mongo/key-cache.ts'
import { AUTH_SECRET, copySecret, loadSecret, PEPPER, readSecret, type SecretFile } from './secret-file.ts'
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

/** Which secret signs the cookies of the portal. */
export interface AuthSettings extends Pick<StoreSettings, 'dataDir' | 'mongodbUrl'> {
  /** Null selects the secret that the embedded store generates. */
  readonly authSecret: string | null
}

export interface OpenOptions {
  /** The embedded store has one server at a time. Tools may run while the server does. */
  readonly role: 'server' | 'tool'
  readonly observe?: GuardOptions['observe']
  readonly onChange?: GuardOptions['onChange']
}

/** Milliseconds that a call to MongoDB may take. Short for a server, whose clients wait, and long for a tool. */
export const MONGO_TIMEOUT_MS = { server: 800, tool: 30_000 } as const

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
  const pepper = keyPepper ?? loadSecret(PEPPER, dataDir, { mayCreate })
  const store = isEmbedded
    ? guardStore(await openSqlite({ folder: dataDir, role }), { timeoutMs: null, ...observers })
    : await openShared(mongodbUrl, { role, ...observers })
  try {
    await checkPepper(store, pepper, keyPepper === null ? join(dataDir, PEPPER.file) : PEPPER.setting)
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
  const store = guardStore(await openMongo({ url }), { timeoutMs: MONGO_TIMEOUT_MS[role], ...observers })
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
 * The secret that signs the cookies of the portal. The embedded store generates one if none is set; without it, only sessions and
 * links are lost.
 * @throws SetupError if it cannot be read or created, or if it is not set with MongoDB, whose nodes share it
 */
export function loadAuthSecret({ dataDir, mongodbUrl, authSecret }: AuthSettings): string {
  if (authSecret !== null) return authSecret
  if (mongodbUrl === null) return loadSecret(AUTH_SECRET, dataDir, { mayCreate: true })
  throw new SetupError('AUTH_SECRET is required with MONGODB_URL: write at least 32 characters, the same on every node')
}

/**
 * Copies the embedded store and its generated secrets to a folder that can be used as DATA_DIR. A server may run meanwhile. Secrets
 * of settings are not copied.
 * @throws SetupError if the store is not embedded, or either folder cannot be used
 */
export async function backupStore(
  { dataDir, mongodbUrl, keyPepper, authSecret }: StoreSettings & AuthSettings,
  target: string,
): Promise<void> {
  if (mongodbUrl !== null)
    throw new SetupError('MONGODB_URL is set, and MongoDB is backed up with its own tools: run mongodump')
  const pepper = keyPepper === null ? readForBackup(PEPPER, dataDir, target) : null
  if (keyPepper === null && pepper === null)
    throw new SetupError(
      `${dataDir} does not contain a pepper: set DATA_DIR to the data folder of the server, or set KEY_PEPPER`,
    )
  // Missing if the portal has never been on.
  const secret = authSecret === null ? readForBackup(AUTH_SECRET, dataDir, target) : null
  await backupSqlite(dataDir, target)
  if (pepper !== null) copySecret(PEPPER, pepper, target)
  if (secret !== null) copySecret(AUTH_SECRET, secret, target)
}

function readForBackup(secret: SecretFile, folder: string, target: string): string | null {
  if (existsSync(join(target, secret.file)))
    throw new SetupError(`${target} already contains a ${secret.noun}: choose another folder`)
  return readSecret(secret, folder)
}
