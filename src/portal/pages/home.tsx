import { Button, LinkButton } from '../components/button.tsx'
import { Card } from '../components/content.tsx'
import { Field } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { definePage, type PageContext } from '../page.ts'

/** A response of the API, shortened to the essential fields. */
const EXAMPLE = `GET /api/v1/scan?url=https://bakery.example

{
  "builder": "Webflow",
  "confidence": "high",
  "category": "website-builder",
  "isAiNative": false,
  "siteType": "local-business",
  "hosting": "Webflow",
  "technologies": ["Webflow", "Google Analytics"],
  …
}`

export const HOME = definePage({
  method: 'GET',
  path: '/',
  needs: 'nothing',
  handle: async (context) => <HomePage context={context} />,
})

function HomePage({ context }: { readonly context: PageContext }) {
  return (
    <Page context={context} title="What is this site made with?" hasOwnHeading>
      <section class="hero">
        <h1>What is this site made with?</h1>
        <p class="lead">
          Siteprint reads a web page and reports the website builder or CMS, the technologies with their versions, the
          hosting provider and the type of site.
        </p>
        <ScanForm context={context} />
      </section>
      <div class="columns">
        <Features />
        <Card title="One request, one answer">
          <pre class="example">{EXAMPLE}</pre>
        </Card>
      </div>
      <NextSteps context={context} />
    </Page>
  )
}

/** Redirects to the scan; for a person without a session to sign-up, and from there to the scan. */
function ScanForm({ context: { account, parts } }: { readonly context: PageContext }) {
  const action = account !== null ? '/scan' : parts.accounts.signUp === 'open' ? '/signup' : '/scan'
  return (
    <form class="scan" method="get" action={action} noValidate>
      <Field name="url" label="Address of a page" type="url" placeholder="example.org" isRequired />
      <Button>Scan</Button>
    </form>
  )
}

function Features() {
  return (
    <Card title="What you get">
      <ul class="features">
        <li>
          <strong>The builder, with a confidence.</strong> Website builders, AI builders, CMS, shops, documentation
          generators and more.
        </li>
        <li>
          <strong>Evidence for every statement.</strong> Which rule matched, where, and on which text.
        </li>
        <li>
          <strong>A plain HTTP API.</strong> One GET request with a key, one JSON object back. Only successful scans
          count.
        </li>
      </ul>
    </Card>
  )
}

function NextSteps({ context: { account, parts } }: { readonly context: PageContext }) {
  return (
    <p class="buttons">
      {account !== null ? (
        <LinkButton href="/account/keys">Your API keys</LinkButton>
      ) : parts.accounts.signUp === 'off' ? (
        <LinkButton href="/login">Log in</LinkButton>
      ) : (
        <LinkButton href="/signup">Get an API key</LinkButton>
      )}
      <LinkButton kind="secondary" href="/docs">
        Read the documentation
      </LinkButton>
    </p>
  )
}
