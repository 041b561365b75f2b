import { listOrigin } from '../accounts/origin.ts'
import type { Config } from '../config/config.ts'
import { SetupError } from '../errors.ts'
import type { Account } from '../store/account-types.ts'
import type { OpenedStore } from '../store/open/open-store.ts'
import type { CommandIo } from './command/command.ts'
import { confirm } from './command/confirm.ts'
import { recordAction } from './command/record-action.ts'

interface VerifyOptions {
  readonly config: Pick<Config, 'adminEmails'>
  readonly io: Pick<CommandIo, 'stdin' | 'stderr'>
  /** Whether the confirmation was given as an option. */
  readonly isConfirmed: boolean
}

/**
 * Confirms the address of an account after showing how it was made, and ends its sessions: anyone may have signed up with the
 * address.
 * @throws SetupError if the person does not confirm
 */
export async function verifyAccount(
  account: Account,
  { store }: Pick<OpenedStore, 'store'>,
  { config, io, isConfirmed }: VerifyOptions,
): Promise<void> {
  const { id, email, name } = account
  const report = (sentence: string): void => void io.stderr.write(`${sentence}\n`)
  report(`The account ${id} has the address ${email} and the name ${JSON.stringify(name)}.`)
  for (const { at, text } of await listOrigin(store.audit, account)) report(`${formatTime(at)}: it ${text}.`)
  if (config.adminEmails.includes(email))
    report('The address is in ADMIN_EMAILS: every person who knows its password gets the administration pages.')
  if (!isConfirmed && !(await confirm(io, 'Do you know that the address belongs to the owner of this account?')))
    throw new SetupError(
      'Nothing was changed. To remove an account that another person has made, run "accounts delete".',
    )
  if (!(await store.accounts.verifyAccount(id, email)))
    throw new SetupError('Nothing was changed: the account has another address now. Run the command again.')
  await recordAction({ store }, { command: 'accounts verify', action: 'account_verified', account: id }, report)
  report(`The address of ${id} is confirmed. Its sessions have ended.`)
}

function formatTime(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
