import type { SessionInfo } from '../../accounts/types.ts'
import type { Account } from '../../store/account-types.ts'
import { Button, LinkButton } from '../components/button.tsx'
import { Card, DateTime } from '../components/content.tsx'
import { Field } from '../components/field.tsx'
import { Form, HiddenFields } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { describeBrowser } from '../describe-browser.ts'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { definePage, type PageContext } from '../page.ts'

/** Completed action → the sentence that reports it on the page. */
export const SETTINGS_DONE = {
  name: 'Your name was changed.',
  email: 'Your e-mail address was changed. It is not verified, because this service cannot send e-mail.',
  mailed: 'A link was sent to the new address. The address is changed when you open the link.',
  password: 'Your password was changed. All other sessions were ended.',
  session: 'The session was ended.',
  sessions: 'All other sessions were ended.',
} as const

export type SettingsForm = 'name' | 'email' | 'password'

/** A form that could not be saved. */
export interface FailedForm {
  readonly form: SettingsForm
  readonly errors: FieldErrors
}

export const SETTINGS = definePage({
  method: 'GET',
  path: '/account/settings',
  needs: 'session',
  handle: async (context) => await renderSettings(context, null),
})

/** Renders the page of settings. @param failed the form that was posted and could not be saved */
export async function renderSettings(context: PageContext<'session'>, failed: FailedForm | null) {
  const sessions = await context.parts.accounts.listSessions(context)
  const done = context.query.text('done')
  return (
    <Page context={context} title="Settings">
      {Object.hasOwn(SETTINGS_DONE, done) && (
        <Notice kind="status">
          <p>{SETTINGS_DONE[done as keyof typeof SETTINGS_DONE]}</p>
        </Notice>
      )}
      <div class="columns">
        <div>
          <NameForm context={context} failed={failed} />
          <EmailForm context={context} failed={failed} />
          <PasswordForm account={context.account} failed={failed} />
        </div>
        <div>
          <Sessions sessions={sessions} />
          <DataCards />
        </div>
      </div>
    </Page>
  )
}

function DataCards() {
  return (
    <>
      <Card title="Your data">
        <p>
          One JSON file with everything that this service stores about you: account, keys (without their secrets),
          requests by month and day, sessions, scans, and what was done to your account.
        </p>
        <LinkButton kind="secondary" href="/account/export.json">
          Download your data
        </LinkButton>
      </Card>
      <Card title="Delete your account">
        <p>Your keys stop working and your personal data is removed. The next page explains what happens.</p>
        <LinkButton kind="danger" href="/account/delete">
          Delete your account…
        </LinkButton>
      </Card>
    </>
  )
}

interface SettingsFormProps {
  readonly context: PageContext<'session'>
  readonly failed: FailedForm | null
}

function findErrors(failed: FailedForm | null, form: SettingsForm): FieldErrors {
  return failed?.form === form ? failed.errors : NO_ERRORS
}

function NameForm({ context: { account, form }, failed }: SettingsFormProps) {
  const errors = findErrors(failed, 'name')
  const value = failed?.form === 'name' ? form.text('name') : account.name
  return (
    <Card title="Name">
      <Form action="/account/settings/name" errors={errors}>
        <Field name="name" label="Name" value={value} autocomplete="name" maxLength={100} errors={errors} isRequired />
        <Button>Save name</Button>
      </Form>
    </Card>
  )
}

function EmailForm({ context: { account, form, parts }, failed }: SettingsFormProps) {
  const errors = findErrors(failed, 'email')
  const effect = parts.accounts.canMail
    ? 'We send a link to the new address. The address is changed when you open the link.'
    : 'The address is changed immediately. It stays unverified, because this service cannot send e-mail.'
  return (
    <Card title="E-mail address">
      <p>
        Your address is <strong>{account.email}</strong> ({account.isVerified ? 'verified' : 'not verified'}).
      </p>
      <Form action="/account/settings/email" errors={errors}>
        <Field
          name="email"
          type="email"
          label="New e-mail address"
          hint={effect}
          value={failed?.form === 'email' ? form.text('email') : ''}
          autocomplete="email"
          maxLength={254}
          errors={errors}
          isRequired
        />
        <Field
          name="email-password"
          type="password"
          label="Your password"
          autocomplete="current-password"
          errors={errors}
          isRequired
        />
        <Button>Change e-mail address</Button>
      </Form>
    </Card>
  )
}

function PasswordForm({ account, failed }: { readonly account: Account; readonly failed: FailedForm | null }) {
  const errors = findErrors(failed, 'password')
  return (
    <Card title="Password">
      <Form action="/account/settings/password" errors={errors}>
        {/* Password managers find the account by this field. */}
        <input type="text" name="username" autocomplete="username" value={account.email} readOnly hidden />
        <Field
          name="current"
          type="password"
          label="Current password"
          autocomplete="current-password"
          errors={errors}
          isRequired
        />
        <Field
          name="password"
          type="password"
          label="New password"
          hint="At least 10 characters. All other sessions are ended."
          autocomplete="new-password"
          errors={errors}
          isRequired
        />
        <Button>Change password</Button>
      </Form>
    </Card>
  )
}

function Sessions({ sessions }: { readonly sessions: readonly SessionInfo[] }) {
  const isAlone = sessions.every(({ isCurrent }) => isCurrent)
  return (
    <Card title="Sessions">
      <p>The browsers that are logged in to your account.</p>
      <ul class="rows">
        {sessions.map((session) => (
          <li key={session.id}>
            <div>
              <strong>{describeBrowser(session.userAgent)}</strong>
              <br />
              <span class="quiet">
                Started <DateTime at={session.createdAt} />
              </span>
            </div>
            {session.isCurrent ? <span class="quiet">This browser</span> : <EndSession session={session} />}
          </li>
        ))}
      </ul>
      {!isAlone && (
        <Form action="/account/settings/sessions/end-others">
          <Button kind="secondary">Sign out all other sessions</Button>
        </Form>
      )}
    </Card>
  )
}

function EndSession({ session: { id, userAgent, createdAt } }: { readonly session: SessionInfo }) {
  return (
    <Form action="/account/settings/sessions/end">
      <HiddenFields values={{ id }} />
      <Button kind="secondary">
        Sign out
        <span class="hidden">
          {' '}
          {describeBrowser(userAgent)}, started <DateTime at={createdAt} />
        </span>
      </Button>
    </Form>
  )
}
