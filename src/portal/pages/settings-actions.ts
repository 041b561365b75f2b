import type { AccountError } from '../../accounts/accounts.ts'
import { buildExport } from '../export.ts'
import { Download, definePage, type PageContext, type PageResult, Redirect } from '../page.ts'
import { isAdminAddress } from '../parts.ts'
import { recordAction } from '../record-action.ts'
import { renderSettings, type SETTINGS_DONE, type SettingsForm } from './settings.tsx'

type SettingDone = keyof typeof SETTINGS_DONE

const SAVE_NAME = definePage({
  method: 'POST',
  path: '/account/settings/name',
  needs: 'session',
  handle: (context) =>
    saveForm(context, { form: 'name' }, async ({ form, parts, visitor }) => {
      await parts.accounts.rename(form.text('name'), visitor)
      await recordAction(context, { action: 'account_renamed' })
      return 'name'
    }),
})

const SAVE_EMAIL = definePage({
  method: 'POST',
  path: '/account/settings/email',
  needs: 'session',
  handle: async (context) => {
    const email = context.form.text('email')
    const refusal = refuseDemotion(context, email)
    if (refusal !== null) {
      context.setStatus(422)
      return await renderSettings(context, { form: 'email', errors: { email: refusal } })
    }
    return await saveForm(context, { form: 'email', fields: { wrong_password: 'email-password' } }, async () => {
      const { parts, form, visitor } = context
      const outcome = await parts.accounts.changeEmail({ email, password: form.secret('email-password') }, visitor)
      if (outcome === 'mailed') return outcome
      await recordAction(context, { action: 'email_changed' })
      return 'email'
    })
  },
})

/** An administrator who changes the address by accident could not undo it. @returns why the address is refused */
function refuseDemotion({ isAdmin, parts }: PageContext<'session'>, email: string): string | null {
  if (!isAdmin) return null
  if (!isAdminAddress(email, parts.settings))
    return 'This address would end your access to the administration pages. Add it to ADMIN_EMAILS first.'
  if (parts.accounts.canMail) return null
  return 'The new address would not be verified, which would end your access to the administration pages. Set SMTP_URL first.'
}

const SAVE_PASSWORD = definePage({
  method: 'POST',
  path: '/account/settings/password',
  needs: 'session',
  handle: (context) =>
    saveForm(context, { form: 'password', fields: { wrong_password: 'current' } }, async ({ form, parts, visitor }) => {
      const passwords = { current: form.secret('current'), password: form.secret('password') }
      context.addCookies(await parts.accounts.changePassword(passwords, visitor))
      await recordAction(context, { action: 'password_changed' })
      return 'password'
    }),
})

const END_SESSION = definePage({
  method: 'POST',
  path: '/account/settings/sessions/end',
  needs: 'session',
  handle: async ({ form, parts, visitor }) => {
    await parts.accounts.endSession(form.text('id'), visitor)
    return showDone('session')
  },
})

const END_OTHER_SESSIONS = definePage({
  method: 'POST',
  path: '/account/settings/sessions/end-others',
  needs: 'session',
  handle: async ({ parts, visitor }) => {
    await parts.accounts.endOtherSessions(visitor)
    return showDone('sessions')
  },
})

const EXPORT = definePage({
  method: 'GET',
  path: '/account/export.json',
  needs: 'session',
  handle: async (context) => {
    const { account, parts, now } = context
    const sessions = await parts.accounts.listSessions(context)
    const data = await buildExport({ store: parts.store, account, sessions, now: new Date(now) })
    return new Download({
      name: `siteprint-${data.exportedAt.toISOString().slice(0, 10)}.json`,
      type: 'application/json; charset=utf-8',
      body: `${JSON.stringify(data, null, 2)}\n`,
    })
  },
})

interface SavedForm {
  readonly form: SettingsForm
  readonly fields?: Partial<Record<AccountError['code'], string>>
}

/** Saves a form, and shows the page again with its errors if the person has to correct it. */
async function saveForm(
  context: PageContext<'session'>,
  { form, fields }: SavedForm,
  save: (context: PageContext<'session'>) => Promise<SettingDone>,
): Promise<PageResult> {
  try {
    return showDone(await save(context))
  } catch (error) {
    return await renderSettings(context, { form, errors: context.explain(error, fields) })
  }
}

function showDone(done: SettingDone): Redirect {
  return new Redirect(`/account/settings?done=${done}`)
}

export const SETTINGS_ACTIONS = [SAVE_NAME, SAVE_EMAIL, SAVE_PASSWORD, END_SESSION, END_OTHER_SESSIONS, EXPORT]
