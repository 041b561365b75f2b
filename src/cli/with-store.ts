import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { SetupError } from '../errors.ts'
import { type OpenedStore, openStore } from '../store/open.ts'
import { StoreError } from '../store/types.ts'
import type { CommandIo } from './command.ts'

/**
 * Opens the store that the settings name, runs `work` with it, and closes it. A server may run on the same store.
 * @throws SetupError when the store cannot be used
 */
export async function withStore(
  config: Config,
  { stderr }: Pick<CommandIo, 'stderr'>,
  work: (opened: OpenedStore) => Promise<void>,
): Promise<void> {
  if (config.mongodbUrl === null && !existsSync(config.dataDir))
    stderr.write(`There is no store yet. Creating one in ${config.dataDir}.\n`)
  const opened = await openStore(config, { role: 'tool' })
  try {
    await work(opened)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new SetupError(`The store failed (${error.message}). Check whether the change took effect, then try again.`)
  } finally {
    await opened.store.close().catch(() => {}) // The work has failed already, or all of it is stored.
  }
}
