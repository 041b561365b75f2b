import { AccountError } from '../../accounts/accounts.ts'
import { Button, LinkButton } from '../components/button.tsx'
import { Form, HiddenFields } from '../components/form.tsx'
import { Page } from '../components/page.tsx'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { definePage, type PageContext } from '../page.ts'
import { recordAction } from '../record-action.ts'
import { welcome } from './first-key.tsx'

interface VerifyProps {
  readonly context: PageContext
  /** From the link. */
  readonly token: string
  readonly errors?: FieldErrors
}

/** Scanners of e-mail open links, which must not use up the token: only the button does. */
function VerifyPage({ context, token, errors = NO_ERRORS }: VerifyProps) {
  return (
    <Page context={context} title="Confirm your e-mail address" width="narrow">
      <p class="lead">One more click, and the address belongs to your account.</p>
      <Form action="/verify" errors={errors}>
        <HiddenFields values={{ token }} />
        <Button>Confirm the address</Button>
      </Form>
    </Page>
  )
}

/** Shown for a link that was used, has expired, or was cut. */
function InvalidLinkPage({ context }: Pick<VerifyProps, 'context'>) {
  return (
    <Page context={context} title="This link is not valid any more" width="narrow">
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
    const logIn = await parts.accounts.verify(token, visitor)
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
