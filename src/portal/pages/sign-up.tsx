import { Button, LinkButton } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { Form, HiddenFields } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import type { FormReader } from '../form.ts'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { buildLoginPath, parseLocalPath } from '../local-path.ts'
import { definePage, type PageContext, Redirect } from '../page.ts'
import { recordAction } from '../record-action.ts'
import { welcome } from './first-key.tsx'

/** Values of the form that are kept when it is shown again. The password is not among them. */
interface SignUpValues {
  readonly name: string
  readonly email: string
  /** Token of an invitation; null without one. */
  readonly invite: string | null
  /** The page that the person wanted to open; null for the account page. */
  readonly next: string | null
}

interface SignUpProps {
  readonly context: PageContext
  readonly values: SignUpValues
  readonly errors?: FieldErrors
}

function SignUpPage({ context, values, errors = NO_ERRORS }: SignUpProps) {
  const { invite, next } = values
  return (
    <Page context={context} title="Create your account" width="narrow">
      <p class="lead">You get an API key immediately.</p>
      <Form action="/signup" errors={errors}>
        <HiddenFields values={{ invite, next }} />
        <SignUpFields values={values} errors={errors} />
        {!context.parts.accounts.canMail && (
          <p class="hint">
            This service sends no e-mail. If you forget your password, its operator can give you a link to reset it.
          </p>
        )}
        <Button>Create account</Button>
      </Form>
      <p>
        Already have an account? <a href={buildLoginPath(next)}>Log in</a>.
      </p>
    </Page>
  )
}

function SignUpFields({ values, errors }: Required<Pick<SignUpProps, 'values' | 'errors'>>) {
  return (
    <>
      <Field name="name" label="Name" autocomplete="name" value={values.name} errors={errors} isRequired />
      <Field
        name="email"
        label="E-mail address"
        type="email"
        autocomplete="username"
        value={values.email}
        errors={errors}
        isRequired
      />
      <Field
        name="password"
        label="Password"
        type="password"
        autocomplete="new-password"
        hint="At least 10 characters. A sentence is easy to remember."
        errors={errors}
        isRequired
      />
    </>
  )
}

/** Explains why sign-up is not possible here, and whom to contact. */
function ClosedPage({ context, errors = NO_ERRORS }: Pick<SignUpProps, 'context' | 'errors'>) {
  const isByInvite = context.parts.accounts.signUp === 'invite'
  return (
    <Page context={context} title={isByInvite ? 'Sign-up is by invitation' : 'Sign-up is closed'} width="narrow">
      {Object.values(errors).map((sentence) => (
        <Notice key={sentence} kind="error">
          <p>{sentence}</p>
        </Notice>
      ))}
      <p class="lead">
        {isByInvite
          ? 'Open the link of your invitation to create an account. If you have none, ask the operator of this service.'
          : 'New accounts are created by the operator of this service. Ask the operator for one.'}
      </p>
      <p>
        <LinkButton href="/login">Log in</LinkButton>
      </p>
    </Page>
  )
}

function MailedPage({ context, email }: { readonly context: PageContext; readonly email: string }) {
  return (
    <Page context={context} title="Check your e-mail" width="narrow">
      <p class="lead">
        We sent a link to <strong>{email}</strong>. Open it and enter your password to get your API key.
      </p>
      <p>
        Nothing arrived after a few minutes? Check your spam folder, or <a href="/signup">check the address</a>.
      </p>
    </Page>
  )
}

/** The destination after sign-up: `next`, or the page that scans what was entered on the start page. */
function findNext(query: FormReader): string | null {
  const url = query.text('url')
  return url === '' ? parseLocalPath(query.text('next')) : `/scan?url=${encodeURIComponent(url)}`
}

async function showForm(context: PageContext) {
  const { account, parts, query } = context
  const next = findNext(query)
  const invite = query.text('invite') || null
  if (account !== null) return new Redirect(next ?? '/account')
  const { signUp } = parts.accounts
  if (signUp === 'off' || (signUp === 'invite' && invite === null)) return <ClosedPage context={context} />
  if (signUp === 'invite' && invite !== null)
    try {
      await parts.accounts.checkInvite(invite, context.visitor)
    } catch (error) {
      return <ClosedPage context={context} errors={context.explain(error)} />
    }
  return <SignUpPage context={context} values={{ name: '', email: '', invite, next }} />
}

/** The form was sent again, usually by reloading the page that showed the key. */
function RepeatedPage({ context }: { readonly context: PageContext }) {
  return (
    <Page context={context} title="Your account exists" width="narrow">
      <p class="lead">
        Your API key was shown once, on the page before. If you have not copied it, rotate the key to get a new secret.
      </p>
      <p>
        <LinkButton href="/account/keys">Your API keys</LinkButton>
      </p>
    </Page>
  )
}

async function signUp(context: PageContext) {
  const { form, parts, visitor } = context
  if (context.account !== null && context.account.email === form.text('email').toLowerCase())
    return <RepeatedPage context={context} />
  const values = {
    name: form.text('name'),
    email: form.text('email'),
    invite: form.text('invite') || null,
    next: parseLocalPath(form.text('next')),
  }
  try {
    const result = await parts.accounts.register({ ...values, password: form.secret('password') }, visitor)
    if (result === 'mailed') return <MailedPage context={context} email={values.email} />
    await recordAction({ ...context, account: result.account }, { action: 'account_created' })
    return await welcome(context, result, values.next)
  } catch (error) {
    return <SignUpPage context={context} values={values} errors={context.explain(error)} />
  }
}

export const SIGN_UP_PAGES = [
  definePage({ method: 'GET', path: '/signup', needs: 'nothing', handle: showForm }),
  definePage({ method: 'POST', path: '/signup', needs: 'nothing', handle: signUp }),
]
