import { AccountError } from '../../accounts/accounts.ts'
import { Button, LinkButton } from '../components/button.tsx'
import { Form, HiddenFields } from '../components/form.tsx'
import { Page } from '../components/page.tsx'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { definePage, type PageContext, Redirect } from '../page.ts'

interface LogInLinkProps {
  readonly context: PageContext
  readonly email: string
  readonly errors?: FieldErrors
}

/** Asks for a link by e-mail, because many wrong passwords were entered today. The same whether the address has an account or not. */
export function NeedsLinkPage({ context, email, errors = NO_ERRORS }: LogInLinkProps) {
  return (
    <Page context={context} title="Log in with a link" width="narrow">
      <p class="lead">
        Many wrong passwords were entered for <strong>{email}</strong> today. A browser that you have not logged in with
        before therefore needs a link, which we send to this address.
      </p>
      <Form action="/login/link" errors={errors}>
        <HiddenFields values={{ email }} />
        <p class="buttons">
          <Button>Send me a link</Button>
          <LinkButton kind="secondary" href="/login">
            Back to log-in
          </LinkButton>
        </p>
      </Form>
      <p class="quiet">
        Browsers that have logged in before need no link. A <a href="/forgot">new password</a> also allows this browser
        to log in.
      </p>
    </Page>
  )
}

function SentPage({ context, email }: LogInLinkProps) {
  return (
    <Page context={context} title="Check your e-mail" width="narrow">
      <p class="lead">
        If <strong>{email}</strong> has an account, a link is on its way to it. Open it in this browser and enter your
        password.
      </p>
      <p>
        Nothing arrived after a few minutes? Check your spam folder, or <a href="/login">check the address</a>.
      </p>
    </Page>
  )
}

/** Whether an error of a log-in asks for a link. */
export function isLinkNeeded(error: unknown): boolean {
  return error instanceof AccountError && error.code === 'needs_link'
}

/** Sends a link with which a browser that the account does not know can log in. */
export const LOG_IN_LINK = definePage({
  method: 'POST',
  path: '/login/link',
  needs: 'nothing',
  handle: async (context) => {
    const { form, parts, visitor } = context
    if (!parts.accounts.canMail) return new Redirect('/forgot')
    const email = form.text('email')
    try {
      await parts.accounts.requestLogInLink(email, visitor)
      return <SentPage context={context} email={email} />
    } catch (error) {
      return <NeedsLinkPage context={context} email={email} errors={context.explain(error)} />
    }
  },
})
