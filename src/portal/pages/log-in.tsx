import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { Form, HiddenFields } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { buildLoginPath, parseLocalPath } from '../local-path.ts'
import { definePage, type PageContext, Redirect } from '../page.ts'
import { isLinkNeeded, LOG_IN_LINK, NeedsLinkPage } from './log-in-link.tsx'

interface LogInProps {
  readonly context: PageContext
  /** The page to open after log-in; null for the account page. */
  readonly next: string | null
  /** The token of a link that allows this browser to log in; null without one. */
  readonly link: string | null
  readonly email?: string
  readonly errors?: FieldErrors
}

function LogInPage({ context, next, link, email, errors = NO_ERRORS }: LogInProps) {
  return (
    <Page context={context} title="Log in" width="narrow">
      {context.query.has('ended') && (
        <Notice kind="warning">Your session has ended. Log in and send the form again.</Notice>
      )}
      <Form action="/login" errors={errors}>
        <HiddenFields values={{ next, link }} />
        <Field
          name="email"
          label="E-mail address"
          type="email"
          autocomplete="username"
          value={email}
          errors={errors}
          isRequired
        />
        <Field
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          errors={errors}
          isRequired
        />
        <Button>Log in</Button>
      </Form>
      <p>
        <a href="/forgot">Forgot your password?</a>
      </p>
      {context.parts.accounts.signUp !== 'off' && (
        <p>
          No account yet? <a href={buildLoginPath(next, '/signup')}>Sign up</a>.
        </p>
      )}
    </Page>
  )
}

/** After log-in without a destination: an account without any key goes to its keys, where the first one is offered. */
async function findDestination({ parts }: PageContext, account: string): Promise<string> {
  return (await parts.store.keys.listAccountKeys(account)).length === 0 ? '/account/keys' : '/account'
}

async function logIn(context: PageContext) {
  const { form, parts, visitor } = context
  const next = parseLocalPath(form.text('next'))
  const email = form.text('email')
  const link = form.text('link') || null
  try {
    const password = form.secret('password')
    const { account, cookies } = await parts.accounts.logIn({ email, password, ...(link && { link }) }, visitor)
    context.addCookies(cookies)
    return new Redirect(next ?? (await findDestination(context, account.id)))
  } catch (error) {
    const errors = context.explain(error)
    if (isLinkNeeded(error)) return <NeedsLinkPage context={context} email={email} />
    return <LogInPage context={context} next={next} link={link} email={email} errors={errors} />
  }
}

export const LOG_IN_PAGES = [
  definePage({
    method: 'GET',
    path: '/login',
    needs: 'nothing',
    handle: async (context) => {
      const next = parseLocalPath(context.query.text('next'))
      if (context.account !== null) return new Redirect(next ?? '/account')
      return <LogInPage context={context} next={next} link={context.query.text('link') || null} />
    },
  }),
  definePage({ method: 'POST', path: '/login', needs: 'nothing', limit: 'own', handle: logIn }),
  LOG_IN_LINK,
]
