import { type Batch, type BatchReason, OPEN_STATUSES } from '../store/batch-types.ts'
import type { Store } from '../store/types.ts'

/**
 * Completes a batch in which every URL has an outcome, and makes its webhook due.
 * @returns whether it is completed now
 */
export async function completeBatch({ batches }: Pick<Store, 'batches'>, batch: Batch, now: number): Promise<boolean> {
  const [left] = await batches.listWaiting(batch.id, { turn: 0, position: 0 }, 1)
  if (left !== undefined) return false
  await endBatch({ batches }, batch, { status: 'completed', reason: null, now })
  // Every URL has its outcome, so the charges are final.
  await batches.settleBatch(batch.id)
  return true
}

/** Ends a batch, and makes its webhook due. A batch that has already ended stays as it is. */
export async function endBatch(
  { batches }: Pick<Store, 'batches'>,
  { id, webhook }: Pick<Batch, 'id' | 'webhook'>,
  {
    status,
    reason,
    now,
  }: { readonly status: 'completed' | 'cancelled'; readonly reason: BatchReason | null; readonly now: number },
): Promise<void> {
  const due = webhook === null ? {} : { webhook: { ...webhook, state: 'waiting', nextAt: now } as const }
  await batches.changeBatch(id, OPEN_STATUSES, { status, reason, finishedAt: new Date(now), ...due })
}
