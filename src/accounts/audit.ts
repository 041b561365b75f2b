import { hostname } from 'node:os'
import type { AuditEntry, AuditEvent } from '../store/audit-types.ts'
import type { AuditStore } from '../store/types.ts'

/** Completes the name of the action of an entry if it contains several events. */
export function describeCount({ count, firstAt }: Pick<AuditEntry, 'count' | 'firstAt'>): string {
  return firstAt === null ? '' : ` ${count} times since ${firstAt.toISOString().slice(11, 19)} UTC`
}

/** The values of a new event; absent values are null. */
export type NewAuditEvent = Pick<AuditEvent, 'at' | 'action'> & Partial<AuditEvent>

interface AuditLog {
  warn(fields: object, message: string): void
}

/** Records an action that has already taken effect. An error is logged and not thrown, because it must not hide the action. */
export async function recordAudit(
  { audit }: { readonly audit: AuditStore },
  event: NewAuditEvent,
  log: AuditLog,
): Promise<void> {
  const nothing = { actor: null, account: null, key: null, detail: null, command: null }
  const complete = { ...nothing, machine: hostname(), ...event }
  try {
    await audit.addAudit(complete)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    log.warn({ ...complete, why }, 'an action took effect, but its audit entry could not be written')
  }
}
