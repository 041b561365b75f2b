import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../../errors.ts'
import { fingerprintPepper, PEPPER_ID_LENGTH } from '../../keys/key.ts'
import { type GuardedStore, type GuardOptions, guardStore } from '../guard.ts'
import { withKeyCache } from '../mongo/key-cache.ts'
import { AUTH_SECRET, copySecret, loadSecret, PEPPER, readSecret, type SecretFile } from '../secret-file.ts'
import { backupSqlite } from '../sqlite/backup.ts'
import { DATABASE_FILE, hasDatabase } from '../sqlite/database.ts'
import { toSetupError } from '../sqlite/errors.ts'
import { openSqlite } from '../sqlite/sqlite.ts'
import { StoreError } from '../types.ts'

/** Selects the store and its location. */
export interface StoreSettings {
  /** Folder of the embedded store. */
  readonly dataDir: string
  /** Null selects the embedded store. */
  readonly mongodbUrl: string | null
  /** Null selects the pepper that the embedded store generates. Required with MongoDB, whose nodes share a pepper. */
  readonly keyPepper: string | null
  /** A second pepper whose keys are accepted; null or absent for none. */
  readonly keyPepperOld?: string | null
}

/** An open store and the peppers of its keys. */
export interface OpenedStore {
  readonly store: GuardedStore
  /** New secrets are hashed with it. */
  readonly pepper: string
  /** Secrets that are hashed with it are accepted, too. */
  readonly oldPepper: string | null
  /** Id of the pepper that the store was first opened with. */
  readonly firstPepper: string
}

/** Selects the secret that signs the cookies of the portal. */
export interface AuthSettings extends Pick<StoreSettings, 'dataDir' | 'mongodbUrl'> {
  /** Null selects the secret that the embedded store generates. */
  readonly authSecret: string | null
}

export interface OpenStoreOptions {
  /** The embedded store has one server at a time. Tools may run while the server does. */
  readonly role: 'server' | 'tool'
  readonly observe?: GuardOptions['observe']
  readonly onChange?: GuardOptions['onChange']
}

/** Milliseconds that a call to MongoDB may take. Short for a server, whose clients wait, and long for a tool. */
export const MONGO_TIMEOUT_MS = { server: 800, tool: 30_000 } as const

/**
 * Opens the configured store and its pepper.
 * @throws SetupError if the store cannot be opened, or if neither pepper is one of the store
 */
export async function openStore(
  { dataDir, mongodbUrl, keyPepper, keyPepperOld: oldPepper = null }: StoreSettings,
  { role, ...observers }: OpenStoreOptions,
): Promise<OpenedStore> {
  const isEmbedded = mongodbUrl === null
  // The pepper is created before the database. If a database exists, a new pepper would not match its keys.
  const mayCreate = !hasDatabase(dataDir)
  const pepper = keyPepper ?? loadSecret(PEPPER, dataDir, { mayCreate })
  const store = isEmbedded
    ? guardStore(await openSqlite({ folder: dataDir, role }), { timeoutMs: null, ...observers })
    : await openShared(mongodbUrl, { role, ...observers })
  try {
    const source = keyPepper === null ? join(dataDir, PEPPER.file) : PEPPER.setting
    return { store, pepper, oldPepper, firstPepper: await checkPeppers(store, { pepper, oldPepper, source }) }
  } catch (error) {
    await store.close().catch(() => {}) // An error of closing has the same cause and would hide this one.
    if (!(error instanceof StoreError)) throw error
    if (isEmbedded) throw toSetupError(error.cause ?? error, join(dataDir, DATABASE_FILE))
    throw new SetupError(`the store does not answer (${error.message}): check that it is running and can be reached`)
  }
}

/** Loads the MongoDB driver only if it is used, because loading takes a third of a command's time. */
async function openShared(url: string, { role, ...observers }: OpenStoreOptions): Promise<GuardedStore> {
  const { openMongo } = await import('../mongo/mongo.ts')
  const store = guardStore(await openMongo({ url }), { timeoutMs: MONGO_TIMEOUT_MS[role], ...observers })
  return role === 'server' ? withKeyCache(store) : store
}

interface PepperSettings {
  readonly pepper: string
  readonly oldPepper: string | null
  /** The source of the pepper, for the error. */
  readonly source: string
}

/**
 * Compares the peppers with the fingerprints in the store. It contains that of the first pepper it was opened with, and those of
 * peppers that were set together with a known one.
 * @returns the id of the first pepper
 */
async function checkPeppers(
  { settings }: GuardedStore,
  { pepper, oldPepper, source }: PepperSettings,
): Promise<string> {
  const fingerprint = fingerprintPepper(pepper)
  const first = await settings.putIfAbsent('pepper', fingerprint)
  const isKnown = async (one: string): Promise<boolean> =>
    one === first || (await settings.findValue(`pepper ${one}`)) !== null
  const all = oldPepper === null ? [fingerprint] : [fingerprint, fingerprintPepper(oldPepper)]
  const known = await Promise.all(all.map(isKnown))
  if (!known.includes(true))
    throw new SetupError(
      oldPepper === null
        ? `${source} is not the pepper that this store was first opened with, so no existing key would work. Restore the former pepper.`
        : `neither KEY_PEPPER nor KEY_PEPPER_OLD is a pepper of this store, so no existing key would work. Set KEY_PEPPER_OLD to the former pepper.`,
    )
  for (const [i, one] of all.entries()) if (!known[i]) await settings.putIfAbsent(`pepper ${one}`, one)
  return first.slice(0, PEPPER_ID_LENGTH)
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
 * Copies the embedded store and its generated secrets to a folder that can be used as DATA_DIR. A server may run
 * meanwhile. Secrets from settings are not copied.
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
