import { Button, LinkButton } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Page } from '../components/page.tsx'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { definePage, type PageContext } from '../page.ts'

interface ForgotProps {
  readonly context: PageContext
  readonly email?: string
  readonly errors?: FieldErrors
}

const TITLE = 'Reset your password'

function ForgotPage({ context, email, errors = NO_ERRORS }: ForgotProps) {
  return (
    <Page context={context} title={TITLE} width="narrow">
      <p class="lead">Enter your e-mail address. We send you a link to choose a new password.</p>
      <Form action="/forgot" errors={errors}>
        <Field
          name="email"
          label="E-mail address"
          type="email"
          autocomplete="username"
          value={email}
          errors={errors}
          isRequired
        />
        <Button>Send the link</Button>
      </Form>
    </Page>
  )
}

/** Shown where the service cannot send e-mail. */
function AskOperatorPage({ context }: ForgotProps) {
  return (
    <Page context={context} title={TITLE} width="narrow">
      <p class="lead">This service sends no e-mail. Ask its operator for a link to choose a new password.</p>
      <p class="hint">
        For operators: <code>npm run -s accounts -- reset &lt;email&gt;</code> prints the link.
      </p>
      <p>
        <LinkButton kind="secondary" href="/login">
          Back to log-in
        </LinkButton>
      </p>
    </Page>
  )
}

/** The same whether the address has an account or not. */
function SentPage({ context, email }: Required<Omit<ForgotProps, 'errors'>>) {
  return (
    <Page context={context} title="Check your e-mail" width="narrow">
      <p class="lead">
        If <strong>{email}</strong> has an account, a link is on its way to it. It is valid for at least an hour.
      </p>
      <p>
        Nothing arrived after a few minutes? Check your spam folder, or <a href="/forgot">check the address</a>.
      </p>
    </Page>
  )
}

async function requestReset(context: PageContext) {
  const { form, parts, visitor } = context
  if (!parts.accounts.canMail) return <AskOperatorPage context={context} />
  const email = form.text('email')
  try {
    await parts.accounts.requestReset(email, visitor)
    return <SentPage context={context} email={email} />
  } catch (error) {
    return <ForgotPage context={context} email={email} errors={context.explain(error)} />
  }
}

export const FORGOT_PAGES = [
  definePage({
    method: 'GET',
    path: '/forgot',
    needs: 'nothing',
    handle: async (context) =>
      context.parts.accounts.canMail ? <ForgotPage context={context} /> : <AskOperatorPage context={context} />,
  }),
  definePage({ method: 'POST', path: '/forgot', needs: 'nothing', handle: requestReset }),
]
