import { SetupError } from '../../errors.ts'
import { fingerprintPepper } from '../../keys/key.ts'
import { PEPPER, readSecret } from '../secret-file.ts'
import { requireDatabase } from '../sqlite/database.ts'
import { openSqliteTransfer } from '../sqlite/transfer.ts'
import type { Row, StoreTransfer } from '../transfer.ts'
import type { StoreSettings } from './open-store.ts'

/**
 * Opens the configured store to export or import it. The embedded store must not be used by a server.
 * @param mayCreate whether a missing embedded store is created
 * @throws SetupError if it cannot be opened
 */
export async function openTransfer(
  { dataDir, mongodbUrl }: StoreSettings,
  { mayCreate }: { readonly mayCreate: boolean },
): Promise<StoreTransfer> {
  if (mongodbUrl !== null) {
    const { openMongoTransfer } = await import('../mongo/transfer.ts')
    return openMongoTransfer(mongodbUrl)
  }
  if (!mayCreate) requireDatabase(dataDir)
  return openSqliteTransfer(dataDir)
}

/** Names of the values that contain the fingerprint of a pepper. */
const isPepper = ({ name }: Row): boolean => name === 'pepper' || `${name}`.startsWith('pepper ')

/**
 * Checks that the pepper of the settings is one of an exported store.
 * @param values the exported rows of the table `values`
 * @throws SetupError if no exported key would work
 */
export function checkExportedPepper({ keyPepper, dataDir, mongodbUrl }: StoreSettings, values: readonly Row[]): void {
  const pepper = keyPepper ?? (mongodbUrl === null ? readSecret(PEPPER, dataDir) : null)
  const known = values.filter(isPepper).map(({ value }) => value)
  if (pepper !== null && known.includes(fingerprintPepper(pepper))) return
  const source = pepper === null ? 'KEY_PEPPER is not set' : 'KEY_PEPPER is not the pepper of the exported store'
  throw new SetupError(
    `${source}, so no exported key would work: set it to the former KEY_PEPPER, or to the content of the file "pepper" in the former DATA_DIR`,
  )
}
