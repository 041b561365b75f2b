import type { VNode } from 'preact'
import type { LogIn } from '../../accounts/types.ts'
import { StoreError } from '../../store/types.ts'
import { LinkButton } from '../components/button.tsx'
import { Card } from '../components/content.tsx'
import { CodeBlock, Secret } from '../components/copy.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { createDefaultKey } from '../default-key.ts'
import type { PageContext } from '../page.ts'

/** The command line that makes a first request with a key. */
export function buildCurlLine(baseUrl: string, secret: string): string {
  return `curl -s -H 'Authorization: Bearer ${secret}' '${baseUrl}/api/v1/scan?url=https://example.org'`
}

/** Logs in a new account, creates its default key, and shows it. The account stays if the key cannot be created. */
export async function welcome(context: PageContext, { account, cookies }: LogIn, next: string | null): Promise<VNode> {
  context.addCookies(cookies)
  const page = { context: { ...context, account }, next }
  try {
    const secret = await createDefaultKey(account, context.parts, context.now)
    return secret === null ? <ConfirmedPage {...page} /> : <FirstKeyPage {...page} secret={secret} />
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    context.parts.log.warn({ why: error.message }, 'a default key could not be created')
    return <NoKeyPage {...page} />
  }
}

interface WelcomeProps {
  readonly context: PageContext<'session'>
  /** The page that the person wanted to open; null for the account page. */
  readonly next: string | null
}

function FirstKeyPage({ context, next, secret }: WelcomeProps & { readonly secret: string }) {
  return (
    <Page context={context} title="Your API key">
      <Notice kind="status" title="Your account is ready">
        <p>Copy the key now. It is stored only as a hash and cannot be shown again.</p>
      </Notice>
      <Secret id="key" what="API key" text={secret} />
      <Card title="Try it">
        <p>Paste this line into a terminal. It scans https://example.org and prints the result.</p>
        <CodeBlock id="curl" what="Command line" text={buildCurlLine(context.baseUrl, secret)} />
      </Card>
      <Card title="What next">
        <p class="buttons">
          <LinkButton href={next ?? '/scan'}>{next === null ? 'Scan in the browser' : 'Continue'}</LinkButton>
          <LinkButton kind="secondary" href="/docs">
            Read the documentation
          </LinkButton>
          <LinkButton kind="secondary" href="/account/keys">
            Manage your keys
          </LinkButton>
        </p>
      </Card>
    </Page>
  )
}

function NoKeyPage({ context }: WelcomeProps) {
  context.setStatus(503)
  return (
    <Page context={context} title="Your account is ready, but has no key yet">
      <Notice kind="warning">
        <p>The key could not be created, because the service cannot write its data at the moment.</p>
        <p>Your account was created. Open your keys in a minute to create the key.</p>
      </Notice>
      <p>
        <LinkButton href="/account/keys">Your keys</LinkButton>
      </p>
    </Page>
  )
}

/** The account already had a key: the address was changed, or the link was opened twice. */
function ConfirmedPage({ context, next }: WelcomeProps) {
  return (
    <Page context={context} title="Your address is confirmed">
      <p class="lead">{context.account.email} now belongs to your account.</p>
      <p>
        <LinkButton href={next ?? '/account'}>Continue</LinkButton>
      </p>
    </Page>
  )
}
