import { ACCOUNT_ERRORS } from '../../accounts/accounts.ts'
import { buildSecret } from '../../keys/key.ts'
import type { Key } from '../../keys/types.ts'
import {
  countKeyChange,
  DEFAULT_OVERLAP,
  findOwnKey,
  findOwnKeyUsage,
  listValidSecrets,
  MAX_VALID_SECRETS,
  OVERLAPS,
  readKeyName,
} from '../account-keys.ts'
import { Button, LinkButton } from '../components/button.tsx'
import { Card, DateTime } from '../components/content.tsx'
import { Field, Select } from '../components/field.tsx'
import { Form, HiddenFields } from '../components/form.tsx'
import { KeyFacts, KeyName, MaskedSecret } from '../components/key-facts.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { definePage, PageError, type PageResult, Redirect, type SessionContext } from '../page.ts'
import { recordAction } from '../record-action.ts'
import type { KeySlotUsage } from '../usage.ts'
import { NewSecretPage } from './new-secret.tsx'

interface KeyPageProps {
  readonly context: SessionContext
  readonly usage: KeySlotUsage
  /** Errors of the form that was sent, by its action. */
  readonly errors: Readonly<Partial<Record<KeyAction, FieldErrors>>>
}

type KeyAction = 'rename' | 'rotate'

function KeyPage({ context, usage, errors }: KeyPageProps) {
  const { key } = usage
  return (
    <Page context={context} title="Key" hasOwnHeading>
      <p class="back">
        <a href="/account/keys">All keys</a>
      </p>
      <h1>
        <KeyName name={key.name} />
      </h1>
      {context.query.text('done') === 'renamed' && (
        <Notice kind="status">
          <p>The key has its new name.</p>
        </Notice>
      )}
      <Card>
        <KeyFacts usage={usage} now={context.now} />
      </Card>
      {key.revokedAt === null && (
        <div class="columns">
          <RotateCard of={key} errors={errors.rotate} />
          <RenameCard context={context} of={key} errors={errors.rename} />
          <RevokeCard of={key} />
        </div>
      )}
    </Page>
  )
}

interface KeyCardProps {
  readonly of: Key
  readonly errors?: FieldErrors
}

function RenameCard({ context, of: key, errors = NO_ERRORS }: KeyCardProps & { readonly context: SessionContext }) {
  const value = Object.keys(errors).length > 0 ? context.form.text('name') : key.name
  return (
    <Card title="Rename">
      <Form action={`/account/keys/${key.id}`} errors={errors}>
        <HiddenFields values={{ action: 'rename' }} />
        <Field name="name" label="Name" value={value} errors={errors} isRequired />
        <Button kind="secondary">Rename</Button>
      </Form>
    </Card>
  )
}

function RotateCard({ of: key, errors = NO_ERRORS }: KeyCardProps) {
  return (
    <Card title="Rotate">
      <p>You get a new secret. Name, usage, slot and plan of the key stay the same.</p>
      <Form action={`/account/keys/${key.id}`} errors={errors}>
        {/* The last characters of the secret: if the form is sent twice, the key is rotated only once. */}
        <HiddenFields values={{ action: 'rotate', secret: key.secrets[0]?.lastFour ?? '' }} />
        <Select
          name="overlap"
          label="End of the previous secret"
          options={[...OVERLAPS].map(([value, { label }]) => [value, label])}
          value={DEFAULT_OVERLAP}
          errors={errors}
        />
        <Button>Rotate</Button>
      </Form>
    </Card>
  )
}

function RevokeCard({ of: key }: KeyCardProps) {
  return (
    <Card title="Revoke">
      <p>
        A revoked key can never be used again. Its slot keeps the requests of this month, and the next key continues
        there.
      </p>
      <p>
        <LinkButton kind="danger" href={`/account/keys/${key.id}/revoke`}>
          Revoke…
        </LinkButton>
      </p>
    </Card>
  )
}

function RevokePage({ context, usage: { key, lastUsedAt } }: Omit<KeyPageProps, 'errors'>) {
  return (
    <Page context={context} title="Revoke this key?" width="narrow">
      <p class="lead">
        <KeyName name={key.name} /> <MaskedSecret secrets={key.secrets} />
      </p>
      <p>
        Programs that use it get 401 within 5 seconds. This cannot be undone.{' '}
        {lastUsedAt === null ? (
          'The key was not used in the last twelve months.'
        ) : (
          <>
            The key was last used at <DateTime at={lastUsedAt} />.
          </>
        )}
      </p>
      <Form action={`/account/keys/${key.id}/revoke`}>
        <p class="buttons">
          <Button kind="danger">Revoke this key</Button>
          <LinkButton kind="secondary" href={`/account/keys/${key.id}`}>
            Keep it
          </LinkButton>
        </p>
      </Form>
    </Page>
  )
}

async function showKey(context: SessionContext, errors: KeyPageProps['errors'] = {}): Promise<PageResult> {
  return <KeyPage context={context} usage={await findOwnKeyUsage(context)} errors={errors} />
}

/** Shows the page again with what is wrong with one of its forms. */
async function showErrors(context: SessionContext, errors: KeyPageProps['errors']): Promise<PageResult> {
  context.setStatus(422)
  return await showKey(context, errors)
}

async function changeKey(context: SessionContext): Promise<PageResult> {
  const key = await findOwnKey(context)
  if (key.revokedAt !== null) throw new PageError(409, REVOKED)
  return await (context.form.text('action') === 'rotate' ? rotateKey(context, key) : renameKey(context, key))
}

const REVOKED = 'This key is revoked and cannot be changed. Create another one on the page of your keys.'

async function renameKey(context: SessionContext, key: Key): Promise<PageResult> {
  const name = readKeyName(context.form.text('name'))
  if (name === null) return await showErrors(context, { rename: { name: ACCOUNT_ERRORS.invalid_name } })
  await context.parts.store.keys.renameKey(key.id, name)
  await recordAction(context, { action: 'key_renamed', key: key.id })
  return new Redirect(`/account/keys/${key.id}?done=renamed`)
}

async function rotateKey(context: SessionContext, key: Key): Promise<PageResult> {
  const { form, now, parts } = context
  const overlap = OVERLAPS.get(form.text('overlap'))
  const sentence = overlap === undefined ? 'Choose a time from the list.' : findObstacle(context, key, overlap.ms)
  if (overlap === undefined || sentence !== null)
    return await showErrors(context, { rotate: { overlap: sentence ?? '' } })
  await countKeyChange(context)
  const { stored, secret } = buildSecret({ pepper: parts.pepper })
  const oldEndAt = new Date(now + overlap.ms)
  if (!(await parts.store.keys.rotateKey(key.id, { secret: stored, oldEndAt, now: new Date(now) })))
    throw new PageError(409, REVOKED)
  await recordAction(context, { action: 'key_rotated', key: key.id })
  return (
    <NewSecretPage context={context} of={key} secret={secret} title="Your new secret">
      <p>
        {overlap.ms === 0 ? (
          'The previous secret is rejected within 5 seconds.'
        ) : (
          <>
            The previous secret stays valid until <DateTime at={oldEndAt} />.
          </>
        )}
      </p>
    </NewSecretPage>
  )
}

/** Explains why a key is not rotated; null if it is. */
function findObstacle({ form, now }: SessionContext, key: Key, overlapMs: number): string | null {
  if (form.text('secret') !== key.secrets[0]?.lastFour)
    return 'The key was rotated after this page was opened. If you did not see its new secret, rotate it again.'
  if (overlapMs > 0 && listValidSecrets(key, now).length >= MAX_VALID_SECRETS)
    return `The key has ${MAX_VALID_SECRETS} valid secrets. End them immediately, or wait until one ends.`
  return null
}

async function showRevoke(context: SessionContext): Promise<PageResult> {
  const usage = await findOwnKeyUsage(context)
  if (usage.key.revokedAt !== null) return new Redirect(DONE)
  return <RevokePage context={context} usage={usage} />
}

/** Revokes a key. The second of two tabs finds it revoked, which is what the person wanted. */
async function revokeKey(context: SessionContext): Promise<PageResult> {
  const { id, revokedAt } = await findOwnKey(context)
  await context.parts.store.keys.revokeKey(id, new Date(context.now))
  if (revokedAt === null) await recordAction(context, { action: 'key_revoked', key: id })
  return new Redirect(DONE)
}

const DONE = '/account/keys?done=revoked'

/** The page of one key with the forms that change it. For them, a key of another account does not exist. */
export const KEY_PAGES = [
  definePage({
    method: 'GET',
    path: '/account/keys/:id',
    needs: 'session',
    handle: (context) => showKey(context),
  }),
  definePage({ method: 'POST', path: '/account/keys/:id', needs: 'session', handle: changeKey }),
  definePage({ method: 'GET', path: '/account/keys/:id/revoke', needs: 'session', handle: showRevoke }),
  definePage({ method: 'POST', path: '/account/keys/:id/revoke', needs: 'session', handle: revokeKey }),
]
