import { Button, LinkButton } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Page } from '../components/page.tsx'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { definePage, type PageContext, Redirect } from '../page.ts'
import { recordAction } from '../record-action.ts'

/** The word that the person types to confirm. */
const CONFIRMATION = 'delete'

const SHOW_DELETION = definePage({
  method: 'GET',
  path: '/account/delete',
  needs: 'session',
  handle: async (context) => <DeletionPage context={context} errors={NO_ERRORS} />,
})

const DELETE_ACCOUNT = definePage({
  method: 'POST',
  path: '/account/delete',
  needs: 'session',
  handle: async (context) => {
    const { form, parts, visitor } = context
    if (form.text('confirmation').toLowerCase() !== CONFIRMATION) {
      context.setStatus(422)
      const errors = { confirmation: 'The confirmation is missing.' }
      return <DeletionPage context={context} errors={errors} />
    }
    try {
      context.addCookies(await parts.accounts.remove(form.secret('password'), visitor))
    } catch (error) {
      return <DeletionPage context={context} errors={context.explain(error)} />
    }
    await recordAction(context, { action: 'account_deleted' })
    return new Redirect('/goodbye')
  },
})

/** The page after the deletion. It says nothing about any account, so everyone may open it. */
const GOODBYE = definePage({
  method: 'GET',
  path: '/goodbye',
  needs: 'nothing',
  handle: async (context) => (
    <Page context={context} title="Goodbye" width="narrow">
      <p>Your account was deleted. Its keys stop working within 5 seconds.</p>
      <p>
        <a href="/">Go to the start page</a>
      </p>
    </Page>
  ),
})

interface DeletionProps {
  readonly context: PageContext<'session'>
  readonly errors: FieldErrors
}

function DeletionPage({ context, errors }: DeletionProps) {
  return (
    <Page context={context} title="Delete your account" width="narrow">
      <p>
        This deletes the account <strong>{context.account.email}</strong>. It cannot be undone.
      </p>
      <ul>
        <li>Your keys are revoked. Requests with them get 401 within 5 seconds.</li>
        <li>Your name, e-mail address, password, sessions and stored scans are removed.</li>
        <li>The numbers of requests are kept without a reference to you.</li>
        <li>Records of what was done to the account and its keys are kept. They contain random ids only.</li>
        {context.isAdmin && <li>You lose access to the administration pages of this service.</li>}
      </ul>
      <p>
        To keep your data, <a href="/account/export.json">download it</a> first.
      </p>
      <Form action="/account/delete" errors={errors}>
        <Field
          name="confirmation"
          label={`Type “${CONFIRMATION}” to confirm`}
          value={context.form.text('confirmation')}
          autocomplete="off"
          maxLength={20}
          errors={errors}
          isRequired
        />
        <Field
          name="password"
          type="password"
          label="Your password"
          autocomplete="current-password"
          errors={errors}
          isRequired
        />
        <p class="buttons">
          <Button kind="danger">Delete my account</Button>
          <LinkButton kind="secondary" href="/account/settings">
            Cancel
          </LinkButton>
        </p>
      </Form>
    </Page>
  )
}

export const DELETION_PAGES = [SHOW_DELETION, DELETE_ACCOUNT, GOODBYE]
