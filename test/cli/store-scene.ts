import { join } from 'node:path'
import { hashSecret } from '../../src/keys/key.ts'
import type { Key } from '../../src/keys/types.ts'
import type { GuardedStore } from '../../src/store/guard.ts'
import { openStore } from '../../src/store/open/open-store.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { mongoUrl } from '../support/services.ts'
import { chooseStores } from '../support/stores.ts'

export const KEY_PEPPER = 'a pepper of the tests, at least 32'

/** Settings of a command. */
export type Env = Readonly<Record<string, string>>

/** The settings of a new store: SQLite in `npm test`, MongoDB in the system suite. Null without MongoDB: the suite is skipped. */
export function newStoreEnv(suite: string): Env | null {
  return chooseStores<Env | null>({
    embedded: () => ({ DATA_DIR: join(writeFolder({}), 'data') }),
    servers: () => {
      const url = mongoUrl(suite)
      return url === null ? null : { MONGODB_URL: url, KEY_PEPPER }
    },
  })
}

/** A store that a server uses while commands change it. */
export interface StoreScene {
  readonly env: Env
  readonly store: GuardedStore
  readonly pepper: string
  /** Finds the key with a secret. */
  readonly known: (secret: string) => Promise<Key | null>
}

/** Opens a new store as a server does. It is closed after the tests of this file. */
export async function openStoreScene(suite: string): Promise<StoreScene> {
  const env = newStoreEnv(suite) ?? {}
  const { DATA_DIR: dataDir = '', MONGODB_URL: mongodbUrl = null, KEY_PEPPER: keyPepper = null } = env
  const { store, pepper } = await openStore({ dataDir, mongodbUrl, keyPepper }, { role: 'server' })
  onFileEnd(() => store.close())
  return { env, store, pepper, known: (secret) => store.keys.findKey(hashSecret(secret, pepper)) }
}
