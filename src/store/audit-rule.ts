import type { AuditAction, AuditEvent } from './audit-types.ts'

/** Events of one kind that an owner causes on a day, in UTC, and that are stored one by one. Later ones are merged into one entry. */
export const MAX_OWN_EVENTS_PER_DAY = 100

/** Newest entries of a harmless kind that are kept for each account. */
export const MAX_HARMLESS_ENTRIES = 100

/** Kinds that say nothing about the security of an account, and that its owner may repeat without effort. */
const HARMLESS: ReadonlySet<AuditAction> = new Set(['account_renamed', 'key_renamed'])

/**
 * How an event is stored. Entries are kept by their age, so that no event of one kind displaces one of another. What the owner of an
 * account does is limited by kind and day, because otherwise the owner could fill the store; what operators do is not.
 */
export interface AuditRule {
  /** Whether all events of a day are one entry for each key, and only the newest such entries are kept. */
  readonly isHarmless: boolean
  /** Events of the day that are stored one by one; null for any number. */
  readonly maxPerDay: number | null
  /** The first millisecond of the day in UTC, and that of the next day. */
  readonly day: readonly [from: Date, until: Date]
}

const DAY_MS = 86_400_000

export function findAuditRule({ action, actor, account, at }: AuditEvent): AuditRule {
  const isOwn = actor !== null && actor === account
  const isHarmless = isOwn && HARMLESS.has(action)
  const from = Math.floor(at.getTime() / DAY_MS) * DAY_MS
  return {
    isHarmless,
    maxPerDay: isHarmless ? 0 : isOwn ? MAX_OWN_EVENTS_PER_DAY : null,
    day: [new Date(from), new Date(from + DAY_MS)],
  }
}

/** The event as part of a merged entry: without what differs between the events of a day. */
export function toMerged(event: AuditEvent, { isHarmless }: AuditRule): AuditEvent {
  return isHarmless ? { ...event, detail: null } : { ...event, detail: null, key: null }
}
