import { loadConfig } from '../../config/config.ts'
import { SetupError } from '../../errors.ts'
import { type CommandIo, EXIT } from '../command/command.ts'
import { formatRows } from '../command/format-rows.ts'
import { type Given, readTextOption } from '../command/verbs.ts'
import { withStore } from '../command/with-store.ts'

/** Codes of URLs that failed for reasons of the service. */
const OWN_CODES = ['internal'] as const
const MAX_SHOWN = 100

/** The verb `batches`: batches with URLs that failed for reasons of the service, which can be retried. */
export function showFailedBatches(given: Given, io: CommandIo): () => Promise<number> {
  const retried = readTextOption(given, 'retry')
  return async () => {
    await withStore(loadConfig(io.env), io, async ({ store: { batches } }) => {
      if (retried !== undefined) {
        if ((await batches.getBatch(retried)) === null) throw new SetupError(`there is no batch "${retried}"`)
        io.stderr.write(`${await batches.retryFailures(retried, OWN_CODES)} URLs are scanned again.\n`)
        return
      }
      const found = await batches.listFailedBatches(OWN_CODES, MAX_SHOWN)
      const rows = []
      for (const { id, key, status, createdAt } of found) {
        const { failures } = await batches.countItems(id)
        rows.push([id, createdAt.toISOString(), status, key, String(failures.internal ?? 0)])
      }
      if (rows.length > 0) io.stdout.write(formatRows(['BATCH', 'SUBMITTED', 'STATUS', 'KEY', 'FAILED'], rows))
      else io.stderr.write('No URL of a batch has failed for a reason of the service.\n')
    })
    return EXIT.ok
  }
}
