import type { ComponentChildren } from 'preact'
import type { Key } from '../../keys/types.ts'
import { LinkButton } from '../components/button.tsx'
import { Card } from '../components/content.tsx'
import { CodeBlock, Secret } from '../components/copy.tsx'
import { KeyName } from '../components/key-facts.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import type { PageContext } from '../page.ts'
import { buildCurlLine } from './first-key.tsx'

interface NewSecretProps {
  readonly context: PageContext<'session'>
  readonly of: Pick<Key, 'name'>
  readonly secret: string
  readonly title: string
  /** Explains when the previous secrets end. */
  readonly children?: ComponentChildren
}

/** Shows a new secret, in the response of the form that made it. */
export function NewSecretPage({ context, of: key, secret, title, children }: NewSecretProps) {
  return (
    <Page context={context} title={title}>
      <Notice kind="status" title="Copy the key now">
        <p>
          This is the key <KeyName name={key.name} />. It is stored only as a hash and cannot be shown again.
        </p>
        {children}
      </Notice>
      <Secret id="key" what="API key" text={secret} />
      <Card title="Try it">
        <p>Paste this line into a terminal. It scans https://example.org and prints the result.</p>
        <CodeBlock id="curl" what="Command line" text={buildCurlLine(context.baseUrl, secret)} />
      </Card>
      <p class="buttons">
        <LinkButton href="/account/keys">Back to your keys</LinkButton>
      </p>
    </Page>
  )
}
