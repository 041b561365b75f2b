import type { Config } from '../../config/config.ts'
import { SetupError } from '../../errors.ts'
import { type OpenedStore, openStore } from '../../store/open/open-store.ts'
import { hasDatabase, requireDatabase } from '../../store/sqlite/database.ts'
import { StoreError } from '../../store/types.ts'
import type { CommandIo } from './command.ts'

/** Work of a verb that may be the first one on a new store. Other work needs an existing store. */
export interface StoreCreatingWork {
  readonly createsStore?: boolean
}

/** Marks the work of a verb that may create the embedded store, because it adds the first entries to it. */
export function allowStoreCreation<Work extends object>(work: Work): Work & StoreCreatingWork {
  return Object.assign(work, { createsStore: true })
}

/**
 * Opens the store that the settings name, runs `work` with it, and closes it. A server may run on the same store.
 * @param options.createsStore whether a missing embedded store is created, which is reported
 * @throws SetupError when the store is missing or cannot be used
 */
export async function withStore(
  config: Config,
  { stderr }: Pick<CommandIo, 'stderr'>,
  work: (opened: OpenedStore) => Promise<void>,
  { createsStore = false }: StoreCreatingWork = {},
): Promise<void> {
  if (config.mongodbUrl === null && !createsStore) requireDatabase(config.dataDir)
  if (config.mongodbUrl === null && !hasDatabase(config.dataDir))
    stderr.write(`There is no store yet. Creating one in ${config.dataDir}.\n`)
  const opened = await openStore(config, { role: 'tool' })
  try {
    await work(opened)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new SetupError(`The store failed (${error.message}). Check whether the change took effect, then try again.`)
  } finally {
    await opened.store.close().catch(() => {}) // The work has already failed, or all of it is stored: closing cannot lose anything.
  }
}
