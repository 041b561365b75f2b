import type { Account } from '../store/account-types.ts'
import type { AuditEntry } from '../store/audit-types.ts'
import type { AuditStore } from '../store/types.ts'

/** An event from which a person can tell whose account it is. */
export interface OriginEvent {
  readonly at: Date
  /** Completes the sentence "The account …". */
  readonly text: string
}

/**
 * Lists when and how an account was made, and the changes of its address since, oldest first. Entries of the audit log are kept for
 * a limited time.
 */
export async function listOrigin(
  audit: Pick<AuditStore, 'listAudit'>,
  { id, createdAt }: Pick<Account, 'id' | 'createdAt'>,
): Promise<readonly OriginEvent[]> {
  const entries = await audit.listAudit({ account: id, actions: ['account_created', 'email_changed'] })
  const oldestFirst = entries.toReversed()
  const created = oldestFirst.find(({ action }) => action === 'account_created')
  const changes = oldestFirst.filter(({ action }) => action === 'email_changed')
  const how = created === undefined ? 'was made in a way that is not recorded' : describeCreation(created)
  return [{ at: createdAt, text: how }, ...changes.map(({ at }) => ({ at, text: 'changed its address in the portal' }))]
}

function describeCreation({ command, machine }: AuditEntry): string {
  if (command === null) return 'was made by a sign-up in the portal'
  return `was made with "${command}"${machine === null ? '' : ` on ${machine}`}`
}
