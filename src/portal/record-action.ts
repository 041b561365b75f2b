import { type NewAuditEvent, recordAudit } from '../accounts/audit.ts'
import type { PageContext } from './page.ts'

/** An action. Without `account`, it concerns the account of the session. */
type SessionAction = Pick<NewAuditEvent, 'action'> & Partial<Pick<NewAuditEvent, 'account' | 'key' | 'detail'>>

/** Records an action of the session's account. Call it after the action: it never fails. */
export async function recordAction(
  { account, now, parts }: Pick<PageContext<'session'>, 'account' | 'now' | 'parts'>,
  action: SessionAction,
): Promise<void> {
  await recordAudit(parts.store, { at: new Date(now), actor: account.id, account: account.id, ...action }, parts.log)
}
