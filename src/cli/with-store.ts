import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { SetupError } from '../errors.ts'
import { openStore } from '../store/open.ts'
import { type Store, StoreError } from '../store/types.ts'

/** What a command works with. */
export interface Opened {
  readonly store: Store
  readonly pepper: string
}

/**
 * Runs with the store that the server's settings name, beside a server if one runs.
 * @throws SetupError when the store cannot be used
 */
export async function withStore(config: Config, run: (opened: Opened) => Promise<void>): Promise<void> {
  if (config.mongodbUrl === null && !existsSync(config.dataDir))
    process.stderr.write(`There is no store yet: one is made in ${config.dataDir}\n`)
  const { store, pepper } = await openStore(config, { role: 'tool' })
  try {
    await run({ store, pepper })
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new SetupError(`The store failed (${error.message}): look what came of it, then try again`)
  } finally {
    await store.close().catch(() => {}) // Where it fails, so did the command, or all is written.
  }
}
