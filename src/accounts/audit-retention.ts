import type { AuditStore } from '../store/types.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

interface RetentionOptions {
  readonly store: { readonly audit: Pick<AuditStore, 'deleteAudit'> }
  /** Days for which entries are kept. */
  readonly days: number
  readonly log: { warn(fields: object, message: string): void }
}

/** Deletes audit entries that are too old, at once and every hour. Several nodes may do so. @returns a function that ends it */
export function startAuditRetention({ store, days, log }: RetentionOptions): () => void {
  const run = async (): Promise<void> => {
    try {
      await store.audit.deleteAudit(new Date(Date.now() - days * DAY_MS))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      log.warn({ why }, 'old audit entries could not be deleted: the server tries again in an hour')
    }
  }
  void run()
  const timer = setInterval(() => void run(), HOUR_MS).unref()
  return () => clearInterval(timer)
}
