import { Button, LinkButton } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { Form, HiddenFields } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { definePage, type PageContext } from '../page.ts'

interface ResetProps {
  readonly context: PageContext
  /** The token in the link. */
  readonly token: string
  readonly errors?: FieldErrors
}

function ResetPage({ context, token, errors = NO_ERRORS }: ResetProps) {
  return (
    <Page context={context} title="Choose a new password" width="narrow">
      <Form action="/reset" errors={errors}>
        <HiddenFields values={{ token }} />
        <Field
          name="password"
          label="New password"
          type="password"
          autocomplete="new-password"
          hint="At least 10 characters. You will be logged out everywhere."
          errors={errors}
          isRequired
        />
        <Button>Save the password</Button>
      </Form>
      <p>
        Does the link no longer work? <a href="/forgot">Request a new one</a>.
      </p>
    </Page>
  )
}

/** Shown for a link without a token, which was lost in the e-mail or when the link was copied. */
function NoTokenPage({ context }: Pick<ResetProps, 'context'>) {
  context.setStatus(400)
  return (
    <Page context={context} title="This link is not complete" width="narrow">
      <p class="lead">Open the whole link in the e-mail, or request a new one.</p>
      <p>
        <LinkButton href="/forgot">Request a new link</LinkButton>
      </p>
    </Page>
  )
}

async function resetPassword(context: PageContext) {
  const { form, parts, visitor } = context
  const token = form.text('token')
  try {
    context.addCookies(await parts.accounts.resetPassword({ token, password: form.secret('password') }, visitor))
  } catch (error) {
    return <ResetPage context={context} token={token} errors={context.explain(error)} />
  }
  return (
    <Page context={{ ...context, account: null }} title="Your password is changed" width="narrow">
      <Notice kind="status">
        <p>You were logged out everywhere. Log in with the new password.</p>
      </Notice>
      <p>
        <LinkButton href="/login">Log in</LinkButton>
      </p>
    </Page>
  )
}

export const RESET_PAGES = [
  definePage({
    method: 'GET',
    path: '/reset',
    needs: 'nothing',
    handle: async (context) => {
      const token = context.query.text('token')
      return token === '' ? <NoTokenPage context={context} /> : <ResetPage context={context} token={token} />
    },
  }),
  definePage({ method: 'POST', path: '/reset', needs: 'nothing', handle: resetPassword }),
]
