import { AccountError } from '../../accounts/accounts.ts'
import { Button, LinkButton } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { Form, HiddenFields } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { definePage, type PageContext } from '../page.ts'
import { recordAction } from '../record-action.ts'
import { welcome } from './first-key.tsx'

interface VerifyProps {
  readonly context: PageContext
  /** The token in the link. */
  readonly token: string
  readonly errors?: FieldErrors
}

/**
 * Scanners of e-mail open links, which must not use up the token: only the buttons do. With a session, the link is that of a new
 * address in most cases, which needs no password.
 */
function VerifyPage({ context, token, errors = NO_ERRORS }: VerifyProps) {
  const needsPassword = context.account === null || errors !== NO_ERRORS
  return (
    <Page context={context} title="Confirm your e-mail address" width="narrow">
      <p class="lead">
        {needsPassword
          ? 'Enter your password to confirm that the address is yours.'
          : 'One more click confirms that the address is yours.'}
      </p>
      <Form action="/verify" errors={errors}>
        <HiddenFields values={{ token }} />
        {needsPassword && <PasswordField errors={errors} />}
        <p class="buttons">
          <Button>Confirm the address</Button>
          <Button kind="secondary" name="discard" value="yes">
            This was not me
          </Button>
        </p>
      </Form>
    </Page>
  )
}

function PasswordField({ errors }: Required<Pick<VerifyProps, 'errors'>>) {
  return (
    <Field
      name="password"
      label="Password"
      type="password"
      autocomplete="current-password"
      hint="The one that you chose at sign-up. To confirm a changed address, enter your current one."
      errors={errors}
      isRequired
    />
  )
}

function DiscardedPage({ context }: Pick<VerifyProps, 'context'>) {
  return (
    <Page context={context} title="The link no longer works" width="narrow">
      <Notice kind="status">
        <p>Your address was not confirmed. There is nothing else to do.</p>
      </Notice>
    </Page>
  )
}

/** Shown for a link that was used, has expired, or was cut. */
function InvalidLinkPage({ context }: Pick<VerifyProps, 'context'>) {
  return (
    <Page context={context} title="This link is no longer valid" width="narrow">
      <p class="lead">
        If you have confirmed the address before, log in. Otherwise sign up again with the same address to get a new
        link.
      </p>
      <p class="buttons">
        <LinkButton href="/login">Log in</LinkButton>
        <LinkButton kind="secondary" href="/signup">
          Sign up
        </LinkButton>
      </p>
    </Page>
  )
}

async function verify(context: PageContext) {
  const { form, parts, visitor } = context
  const token = form.text('token')
  try {
    if (form.has('discard')) {
      await parts.accounts.discard(token, visitor)
      return <DiscardedPage context={context} />
    }
    const logIn = await parts.accounts.verify({ token, password: form.secret('password') }, visitor)
    await recordAction({ ...context, account: logIn.account }, { action: 'account_verified' })
    return await welcome(context, logIn, null)
  } catch (error) {
    const errors = context.explain(error)
    const isInvalid = error instanceof AccountError && error.code === 'invalid_token'
    return isInvalid ? (
      <InvalidLinkPage context={context} />
    ) : (
      <VerifyPage context={context} token={token} errors={errors} />
    )
  }
}

export const VERIFY_PAGES = [
  definePage({
    method: 'GET',
    path: '/verify',
    needs: 'nothing',
    handle: async (context) => {
      const token = context.query.text('token')
      if (token !== '') return <VerifyPage context={context} token={token} />
      context.setStatus(400)
      return <InvalidLinkPage context={context} />
    },
  }),
  definePage({ method: 'POST', path: '/verify', needs: 'nothing', handle: verify }),
]
