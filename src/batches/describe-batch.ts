import type { BatchInfo } from '../service/response-schemas.ts'
import type { Batch } from '../store/batch-types.ts'
import { type CountedBatch, countFailed } from './batch-service.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

interface DescribeOptions {
  readonly now: number
  /** Days for which results are kept. */
  readonly batchDays: number
  /** The secret of its webhook, which is shown when the batch is submitted. */
  readonly secret?: string
}

/** Describes a batch as clients see it. */
export function describeBatch({ batch, counts }: CountedBatch, { now, batchDays, secret }: DescribeOptions): BatchInfo {
  const { id, status, reason, total, include, fresh, createdAt, startedAt, finishedAt, webhook } = batch
  const failed = countFailed(counts)
  const isCancelled = status === 'cancelled'
  const perMinute = computeRate(batch, counts.succeeded + failed, now)
  const isMoving = status === 'running' && perMinute !== null && perMinute > 0
  return {
    id,
    status,
    reason,
    total,
    counts: {
      waiting: isCancelled ? 0 : counts.waiting,
      succeeded: counts.succeeded,
      failed,
      cancelled: isCancelled ? counts.waiting : 0,
    },
    failures: counts.failures,
    include,
    fresh,
    createdAt: createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
    expiresAt: finishedAt === null ? null : new Date(finishedAt.getTime() + batchDays * DAY_MS).toISOString(),
    perMinute: perMinute === null ? null : Math.round(perMinute * 10) / 10,
    secondsLeft: isMoving ? Math.ceil((counts.waiting / perMinute) * 60) : null,
    webhook: webhook === null ? null : { ...describeWebhook(webhook), ...(secret !== undefined && { secret }) },
  }
}

function describeWebhook({ url, state, attempts, nextAt }: NonNullable<Batch['webhook']>) {
  return { url, state, attempts, nextAt: nextAt === null ? null : new Date(nextAt).toISOString() }
}

/** URLs per minute since the start; null before. */
function computeRate({ startedAt, finishedAt }: Batch, finished: number, now: number): number | null {
  if (startedAt === null) return null
  const ms = (finishedAt?.getTime() ?? now) - startedAt.getTime()
  return ms <= 0 ? null : (finished * MINUTE_MS) / ms
}
