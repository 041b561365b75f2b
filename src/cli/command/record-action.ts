import { type NewAuditEvent, recordAudit } from '../../accounts/audit.ts'
import type { OpenedStore } from '../../store/open/open-store.ts'

/** Records an operator's action on the command line. It never fails, because the action has already taken effect. */
export async function recordAction(
  { store }: Pick<OpenedStore, 'store'>,
  action: Omit<NewAuditEvent, 'at' | 'actor' | 'machine'> & { readonly command: string },
  report: (sentence: string) => void,
): Promise<void> {
  const warn = (_: object, message: string): void => report(`Warning: ${message}.`)
  await recordAudit(store, { at: new Date(), ...action }, { warn })
}
