import type { Batch } from '../../store/batch-types.ts'

const STATES: Readonly<Record<Batch['status'], string>> = {
  waiting: 'Waiting',
  running: 'Running',
  paused: 'Paused',
  completed: 'Completed',
  cancelled: 'Cancelled',
}

/** What each reason means for the person. */
const REASONS: Readonly<Record<NonNullable<Batch['reason']>, string>> = {
  quota_exceeded: 'The requests of this month are used up. The batch goes on in the next month, or with a larger plan.',
  client: 'You cancelled it.',
  key_revoked: 'Its key was revoked, suspended or has expired.',
  expired: 'It had not ended 40 days after it was submitted.',
}

/** The state of a batch in one word. */
export function describeState({ status }: Pick<Batch, 'status'>): string {
  return STATES[status]
}

/** Why a batch is paused or was cancelled; null if it is neither. */
export function explainReason({ reason }: Pick<Batch, 'reason'>): string | null {
  return reason === null ? null : REASONS[reason]
}

/** Whether a batch has URLs that are still to be scanned. */
export function isOpen({ status }: Pick<Batch, 'status'>): boolean {
  return status !== 'completed' && status !== 'cancelled'
}

/** Formats a time span such as "2 h 5 min". @param seconds at least 0 */
export function formatSpan(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} days ${hours % 24} h`
}
