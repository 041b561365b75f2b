import { nanoid } from 'nanoid'
import { ACCOUNT_ERRORS } from '../../accounts/accounts.ts'
import { buildKey } from '../../keys/key.ts'
import type { Key } from '../../keys/types.ts'
import { formatCount, formatNumber } from '../../views/format-text.ts'
import { buildKeyId, countKeyChange, findAccountPlan, readAllKeyUsage, readKeyName } from '../account-keys.ts'
import { Button, LinkButton } from '../components/button.tsx'
import { Card } from '../components/content.tsx'
import { Field, Select } from '../components/field.tsx'
import { Form, HiddenFields } from '../components/form.tsx'
import { KeyFacts, KeyName } from '../components/key-facts.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { createDefaultKey, DEFAULT_KEY_NAME } from '../default-key.ts'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { definePage, type PageResult, type SessionContext } from '../page.ts'
import { recordAction } from '../record-action.ts'
import type { KeySlotUsage } from '../usage.ts'
import { NewSecretPage } from './new-secret.tsx'

/** Maximum number of revoked keys on the page. */
const MAX_REVOKED_SHOWN = 50

/** Value of the form → revision of the API. */
const REVISIONS: ReadonlyMap<string, 1 | 2 | null> = new Map([
  ['', null],
  ['2', 2],
  ['1', 1],
])

interface KeysProps {
  readonly context: SessionContext
  readonly keys: readonly KeySlotUsage[]
  readonly errors?: FieldErrors
}

function KeysPage({ context, keys, errors = NO_ERRORS }: KeysProps) {
  const active = keys.filter(({ key }) => key.revokedAt === null)
  const revoked = keys.filter(({ key }) => key.revokedAt !== null)
  return (
    <Page context={context} title="Keys">
      {context.query.text('done') === 'revoked' && (
        <Notice kind="status">
          <p>The key is revoked. Every request with it is rejected within 5 seconds.</p>
        </Notice>
      )}
      {keys.length === 0 ? <DefaultKeyCard errors={errors} /> : <KeyList keys={active} now={context.now} />}
      {keys.length > 0 && <NewKeyCard context={context} active={active.length} errors={errors} />}
      {revoked.length > 0 && <RevokedKeys keys={revoked} now={context.now} />}
    </Page>
  )
}

function KeyList({ keys, now }: { readonly keys: readonly KeySlotUsage[]; readonly now: number }) {
  if (keys.length === 0) return <p class="lead">You have no active key.</p>
  return (
    <ul class="keys">
      {keys.map((usage) => (
        <li key={usage.key.id} class="card">
          <h2>
            <KeyName name={usage.key.name} />
          </h2>
          <KeyFacts usage={usage} now={now} />
          <p class="buttons">
            <LinkButton kind="secondary" href={`/account/keys/${usage.key.id}`}>
              Rename, rotate or revoke<span class="hidden"> {usage.key.name}</span>
            </LinkButton>
          </p>
        </li>
      ))}
    </ul>
  )
}

interface NewKeyProps {
  readonly context: SessionContext
  /** Number of keys that are not revoked. */
  readonly active: number
  readonly errors: FieldErrors
}

function NewKeyCard({ context, active, errors }: NewKeyProps) {
  const { name: plan, keys: limit } = findAccountPlan(context)
  const { form } = context
  return (
    <Card title="New key">
      <p>
        You have {formatCount(active, 'key')}. The plan {plan} allows {formatNumber(limit)}. A new key takes a free slot
        of your account, with the requests that were made there this month.
      </p>
      {active < limit || Object.keys(errors).length > 0 ? (
        <div class="slim">
          <Form action="/account/keys" errors={errors}>
            <HiddenFields values={{ form: nanoid() }} />
            <Field name="name" label="Name" value={form.text('name')} errors={errors} hint={NAME_HINT} isRequired />
            <Select
              name="revision"
              label="API revision"
              options={[...REVISIONS.keys()].map((value) => [value, value || 'Default of the service'])}
              value={form.text('revision')}
            />
            <Button>Create key</Button>
          </Form>
        </div>
      ) : (
        <p>{LIMIT_ADVICE}</p>
      )}
    </Card>
  )
}

const NAME_HINT = 'A name that helps you recognize the key, such as the place where you use it.'
const LIMIT_ADVICE = 'To create another one, revoke a key, or ask the operator of this service for a larger plan.'

/** For an account that never had a key: the service failed between the creation of the account and that of its key. */
function DefaultKeyCard({ errors }: Pick<KeysProps, 'errors'>) {
  return (
    <Card title="Your first key">
      <p>You have no key yet. With a key, programs can use the API on your behalf.</p>
      <Form action="/account/keys" errors={errors}>
        <HiddenFields values={{ action: 'default' }} />
        <Button>Create your default key</Button>
      </Form>
    </Card>
  )
}

function RevokedKeys({ keys, now }: { readonly keys: readonly KeySlotUsage[]; readonly now: number }) {
  const newest = keys.toSorted((a, b) => Number(b.key.revokedAt) - Number(a.key.revokedAt)).slice(0, MAX_REVOKED_SHOWN)
  return (
    <details class="revoked">
      <summary>{formatCount(keys.length, 'revoked key')}</summary>
      {keys.length > newest.length && <p>The last {formatNumber(newest.length)} of them:</p>}
      <ul class="keys">
        {newest.map((usage) => (
          <li key={usage.key.id} class="card">
            <h2>
              <KeyName name={usage.key.name} />
            </h2>
            <KeyFacts usage={usage} now={now} />
          </li>
        ))}
      </ul>
    </details>
  )
}

async function showKeys(context: SessionContext, errors: FieldErrors = NO_ERRORS): Promise<PageResult> {
  return <KeysPage context={context} keys={await readAllKeyUsage(context)} errors={errors} />
}

/**
 * Creates a key. A form that is sent a second time creates none, and redirects to the key that was created the first
 * time.
 */
async function createKey(context: SessionContext): Promise<PageResult> {
  const { account, form, now, parts } = context
  const name = readKeyName(form.text('name'))
  const revision = REVISIONS.get(form.text('revision'))
  if (name === null || revision === undefined) {
    context.setStatus(422)
    return await showKeys(
      context,
      name === null ? { name: ACCOUNT_ERRORS.invalid_name } : { revision: UNKNOWN_REVISION },
    )
  }
  await countKeyChange(context)
  const { id: owner, email, plan } = account
  const built = buildKey({ name, email, plan, revision, account: owner, now: new Date(now), pepper: parts.pepper })
  const key = form.text('form') === '' ? built.key : { ...built.key, id: buildKeyId(owner, form.text('form')) }
  if (await parts.store.keys.createAccountKey(key, findAccountPlan(context).keys)) {
    await recordAction(context, { action: 'key_created', key: key.id })
    return <NewSecretPage context={context} of={key} secret={built.secret} title="Your new key" />
  }
  const existing = await parts.store.keys.getKey(key.id)
  context.setStatus(409)
  if (existing?.account === owner) return <CreatedBeforePage context={context} of={existing} />
  return await showKeys(context, { '': `You have as many keys as your plan allows. ${LIMIT_ADVICE}` })
}

const UNKNOWN_REVISION = 'Choose a revision from the list.'

/** Creates the default key. The second of two requests finds it. */
async function createFirstKey(context: SessionContext): Promise<PageResult> {
  const secret = await createDefaultKey(context.account, context.parts, context.now)
  if (secret !== null)
    return <NewSecretPage context={context} of={{ name: DEFAULT_KEY_NAME }} secret={secret} title="Your default key" />
  context.setStatus(409)
  return await showKeys(context, { '': `Your account already has, or had, a key. ${SECRET_ADVICE}` })
}

const SECRET_ADVICE = 'If you did not see the secret of a key, rotate the key: that gives it a new one.'

function CreatedBeforePage({
  context,
  of: key,
}: {
  readonly context: SessionContext
  readonly of: Pick<Key, 'id' | 'name'>
}) {
  return (
    <Page context={context} title="This key already exists">
      <p class="lead">
        The form was sent twice. It created one key, <KeyName name={key.name} />, whose secret was shown once.
      </p>
      <p>{SECRET_ADVICE}</p>
      <p class="buttons">
        <LinkButton href={`/account/keys/${key.id}`}>Rotate the key</LinkButton>
        <LinkButton kind="secondary" href="/account/keys">
          Back to your keys
        </LinkButton>
      </p>
    </Page>
  )
}

/** The list of an account's keys, and the forms that create one. */
export const KEYS_PAGES = [
  definePage({
    method: 'GET',
    path: '/account/keys',
    needs: 'session',
    handle: (context) => showKeys(context),
  }),
  definePage({
    method: 'POST',
    path: '/account/keys',
    needs: 'session',
    handle: (context) => (context.form.text('action') === 'default' ? createFirstKey(context) : createKey(context)),
  }),
]
