import { listOrigin, type OriginEvent } from '../../accounts/origin.ts'
import { formatMonth } from '../../keys/calendar.ts'
import { hasExpired } from '../../keys/key.ts'
import type { Key } from '../../keys/types.ts'
import type { Account } from '../../store/account-types.ts'
import type { AccountUsage } from '../../store/types.ts'
import { Facts } from '../../views/facts.tsx'
import { formatNumber } from '../../views/format-text.ts'
import { Table } from '../../views/table.tsx'
import { AdminNav } from '../components/admin-nav.tsx'
import { Button } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Card, DateTime } from '../components/content.tsx'
import { Field, Select } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { definePage, type PageContext, PageError } from '../page.ts'
import { isAdminAddress } from '../parts.ts'
import { buildUsage } from '../usage.ts'
import { describeState } from './admin-accounts.tsx'

/** Completed action → the sentence that reports it on the page. */
export const ADMIN_DONE = {
  plan: 'The plan of the account and of its keys was changed.',
  suspended: 'The account is suspended. Its keys stop working within 5 seconds.',
  resumed: 'The suspension was lifted. The keys work again within 5 seconds.',
  verified: 'The e-mail address is now verified.',
  attached: 'The key now belongs to the account.',
} as const

/** The data of the page. */
interface AccountDetails {
  readonly account: Account
  /** The keys, slots and usage of the current month. */
  readonly usage: AccountUsage
  /** How the account was made; empty if its address is verified. */
  readonly origin: readonly OriginEvent[]
}

export const ADMIN_ACCOUNT = definePage({
  method: 'GET',
  path: '/admin/accounts/:id',
  needs: 'admin',
  handle: async (context) => await renderAccount(context, NO_ERRORS),
})

/** Finds the account that the path of a page names. @throws PageError 404 */
export async function requireAccount({ params, parts }: PageContext<'admin'>): Promise<Account> {
  const account = await parts.store.accounts.getAccount(params.id)
  if (account === null) throw new PageError(404, 'There is no such account. It may have been deleted.')
  return account
}

/** Renders the page of an account. @param errors what is wrong with the form that attaches a key */
export async function renderAccount(context: PageContext<'admin'>, errors: FieldErrors) {
  const { now, parts } = context
  const month = formatMonth(now)
  const [account, usage] = await Promise.all([
    requireAccount(context),
    parts.store.accounts.readUsage(context.params.id, { since: month, first: month, last: month }),
  ])
  const origin = account.isVerified ? [] : await listOrigin(parts.store.audit, account)
  return <AccountPage context={context} details={{ account, usage, origin }} errors={errors} />
}

interface DetailProps {
  readonly context: PageContext<'admin'>
  readonly details: AccountDetails
}

function AccountPage({ context, details, errors }: DetailProps & { readonly errors: FieldErrors }) {
  const { account, origin } = details
  const done = context.query.text('done')
  return (
    <Page context={context} title={account.email}>
      <AdminNav path={context.path} />
      {Object.hasOwn(ADMIN_DONE, done) && (
        <Notice kind="status">
          <p>{ADMIN_DONE[done as keyof typeof ADMIN_DONE]}</p>
        </Notice>
      )}
      <Card title="Account">
        <Facts
          facts={[
            ['Name', account.name],
            ['Plan', account.plan],
            ['Created', <DateTime at={account.createdAt} unit="day" />],
            ['Status', describeState(account)],
          ]}
        />
        <p>
          Id <code>{account.id}</code> ·{' '}
          <a href={`/admin/audit?account=${encodeURIComponent(account.id)}`}>What was done to this account</a>
        </p>
      </Card>
      <Keys context={context} details={details} />
      <Slots context={context} details={details} />
      <div class="columns">
        <div>
          <PlanForm context={context} account={account} />
          <AttachForm context={context} account={account} errors={errors} />
        </div>
        <div>
          {!account.isVerified && <VerifyForm context={context} account={account} origin={origin} />}
          <Suspension context={context} account={account} />
        </div>
      </div>
    </Page>
  )
}

function describeKeyState(key: Key, now: number): string {
  if (key.revokedAt !== null) return 'revoked'
  if (key.suspendedAt !== null) return 'suspended'
  return hasExpired(key, now) ? 'expired' : 'active'
}

function Keys({ context: { now }, details: { usage } }: DetailProps) {
  const { keys, slots } = usage
  const numbers = new Map(slots.map(({ slot, counter }) => [counter, slot + 1]))
  return (
    <Card title="Keys">
      {keys.length === 0 ? (
        <p>The account has no keys.</p>
      ) : (
        <Table
          caption="Keys"
          hasHiddenCaption
          head={['Name', 'Id', 'Ends in', 'Created', 'Slot', 'Status']}
          numeric={[4]}
          rows={keys.map((key) => [
            key.name,
            <code>{key.id}</code>,
            key.secrets[0]?.lastFour,
            <DateTime at={key.createdAt} unit="day" />,
            `${numbers.get(key.counter) ?? ''}`,
            describeKeyState(key, now),
          ])}
        />
      )}
    </Card>
  )
}

/** The requests of the slots. A slot keeps them when its key is replaced, so that they are not those of one key. */
function Slots({ context: { now, parts }, details: { usage } }: DetailProps) {
  const month = formatMonth(now)
  const { slots } = buildUsage(usage, { month, now, plans: parts.settings.plans })
  if (slots.length === 0) return null
  return (
    <Card title="Slots">
      <Table
        caption="Slots"
        hasHiddenCaption
        head={['Slot', 'Key', `Requests in ${month}`, 'Left']}
        numeric={[0, 2, 3]}
        rows={slots.map(({ slot, keys, used, left }) => [
          `${slot}`,
          left === null ? 'none' : keys[0]?.name,
          formatNumber(used),
          left === null ? '' : formatNumber(left),
        ])}
      />
    </Card>
  )
}

interface AccountFormProps {
  readonly context: PageContext<'admin'>
  readonly account: Account
}

function PlanForm({ context: { parts }, account: { id, plan } }: AccountFormProps) {
  const names = [...parts.settings.plans.keys()]
  // The plan may have been removed from the file of plans. It is still the one that the account has.
  const options = names.includes(plan) ? names : [plan, ...names]
  return (
    <Card title="Plan">
      <Form action={buildAction(id, 'plan')}>
        <Select name="plan" label="Plan" options={options.map((name) => [name, name])} value={plan} />
        <Button kind="secondary">Change plan</Button>
      </Form>
    </Card>
  )
}

interface VerifyFormProps extends AccountFormProps {
  readonly origin: readonly OriginEvent[]
}

function VerifyForm({ context: { parts }, account: { id, email }, origin }: VerifyFormProps) {
  return (
    <Card title="Verification">
      <Confirm
        kind="primary"
        label="Verify the e-mail address…"
        action={buildAction(id, 'verify')}
        values={{ email }}
        button="The address belongs to this person"
      >
        <p>Confirm only if you know that {email} belongs to the person who has this account:</p>
        <ul>
          {origin.map(({ at, text }) => (
            <li>
              <DateTime at={at} />: it {text}.
            </li>
          ))}
        </ul>
        <p>Its sessions end, and its owner logs in again.</p>
        {isAdminAddress(email, parts.settings) && (
          <Notice kind="warning">
            <p>
              The address is in ADMIN_EMAILS: every person who knows the password will have access to the administration
              pages.
            </p>
          </Notice>
        )}
      </Confirm>
    </Card>
  )
}

function AttachForm({
  account: { id },
  context: { form },
  errors,
}: AccountFormProps & { readonly errors: FieldErrors }) {
  return (
    <Card title="Attach a key">
      <Form action={buildAction(id, 'keys')} errors={errors}>
        <Field
          name="key"
          label="Id of the key"
          hint="A key that was made on the command line and belongs to no account. It gets the plan of this account."
          value={form.text('key')}
          autocomplete="off"
          maxLength={100}
          placeholder="key_…"
          errors={errors}
          isRequired
        />
        <Button kind="secondary">Attach key</Button>
      </Form>
    </Card>
  )
}

function Suspension({ context, account: { id, suspendedAt, email } }: AccountFormProps) {
  return (
    <Card title="Suspension">
      {suspendedAt !== null ? (
        <>
          <p>
            Suspended since <DateTime at={suspendedAt} />. The account cannot log in, and its keys get 401.
          </p>
          <Confirm
            kind="primary"
            label="Lift the suspension…"
            subject={email}
            action={buildAction(id, 'resume')}
            button="Lift the suspension"
          >
            <p>The account can log in again, and its keys work again within 5 seconds.</p>
          </Confirm>
        </>
      ) : context.account.id === id ? (
        <p>This is your own account. Another administrator can suspend it.</p>
      ) : (
        <Confirm label="Suspend…" subject={email} action={buildAction(id, 'suspend')} button="Suspend this account">
          <p>All its sessions end, and its keys get 401 within 5 seconds. Nothing is deleted.</p>
        </Confirm>
      )}
    </Card>
  )
}

function buildAction(id: string, action: string): string {
  return `/admin/accounts/${encodeURIComponent(id)}/${action}`
}
