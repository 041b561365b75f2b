import type { NewAuditEvent } from '../../accounts/audit.ts'
import { definePage, type PageContext, type PageDefinition, PageError, Redirect } from '../page.ts'
import { recordAction } from '../record-action.ts'
import { type ADMIN_DONE, renderAccount, requireAccount } from './admin-account.tsx'

type AccountActionDone = keyof typeof ADMIN_DONE
/** An action as it is recorded. */
type Recorded = Pick<NewAuditEvent, 'action' | 'key' | 'detail'>

const CHANGE_PLAN = defineAction('plan', 'plan', async ({ form, params, parts }) => {
  const plan = form.text('plan')
  if (!parts.settings.plans.has(plan)) throw new PageError(400, 'There is no such plan.')
  requireFound(await parts.store.accounts.setAccountPlan(params.id, plan))
  return { action: 'plan_changed', detail: plan }
})

const SUSPEND_ACCOUNT = defineAction('suspend', 'suspended', async (context) => {
  const { account, now, params, parts } = context
  if (account.id === params.id)
    throw new PageError(409, 'You cannot suspend your own account. Another administrator can suspend it.')
  const { suspendedAt } = await requireAccount(context)
  if (suspendedAt !== null) throw new PageError(409, 'This account is already suspended.')
  requireFound(await parts.store.accounts.suspendAccount(params.id, new Date(now)))
  return { action: 'account_suspended' }
})

const RESUME_ACCOUNT = defineAction('resume', 'resumed', async ({ params, parts }) => {
  requireFound(await parts.store.accounts.suspendAccount(params.id, null))
  return { action: 'account_resumed' }
})

const VERIFY_ACCOUNT = defineAction('verify', 'verified', async (context) => {
  const { form, params, parts } = context
  await requireAccount(context)
  // The address that the page has shown: the owner may have changed it since.
  if (!(await parts.store.accounts.verifyAccount(params.id, form.text('email'))))
    throw new PageError(409, 'The account has another e-mail address now. Open its page again.')
  return { action: 'account_verified' }
})

const ATTACH_KEY = definePage({
  method: 'POST',
  path: '/admin/accounts/:id/keys',
  needs: 'admin',
  handle: async (context) => {
    const { form, parts } = context
    const { id } = await requireAccount(context)
    const key = form.text('key')
    if (await parts.store.keys.attachKey(key, id)) {
      await recordAction(context, { action: 'key_attached', account: id, key })
      return showDone(id, 'attached')
    }
    context.setStatus(422)
    const sentence =
      'No key without an account has this id, or it is revoked, or the account is suspended. Check the id.'
    return await renderAccount(context, { key: sentence })
  },
})

/** Defines a form on the page of an account: it acts, records the action, and shows the page again. */
function defineAction(
  name: string,
  done: AccountActionDone,
  act: (context: PageContext<'admin'>) => Promise<Recorded>,
): PageDefinition {
  return definePage({
    method: 'POST',
    path: `/admin/accounts/:id/${name}`,
    needs: 'admin',
    handle: async (context) => {
      const action = await act(context)
      await recordAction(context, { ...action, account: context.params.id })
      return showDone(context.params.id, done)
    },
  })
}

function requireFound(isFound: boolean): void {
  if (!isFound) throw new PageError(404, 'There is no such account. It may have been deleted.')
}

function showDone(id: string, done: AccountActionDone): Redirect {
  return new Redirect(`/admin/accounts/${encodeURIComponent(id)}?done=${done}`)
}

export const ADMIN_ACTIONS = [CHANGE_PLAN, SUSPEND_ACCOUNT, RESUME_ACCOUNT, VERIFY_ACCOUNT, ATTACH_KEY]
