import { formatMonth } from '../../keys/calendar.ts'
import type { AccountSummary } from '../../store/account-types.ts'
import { formatNumber } from '../../views/format-text.ts'
import { Table } from '../../views/table.tsx'
import { AdminNav } from '../components/admin-nav.tsx'
import { Button } from '../components/button.tsx'
import { DateTime } from '../components/content.tsx'
import { Field } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { definePage, type PageContext, Redirect } from '../page.ts'

const PAGE_SIZE = 25
/** The highest number of a page that is read; far above any number of accounts. */
const MAX_PAGE = 1_000_000

interface Listing {
  readonly search: string
  /** Number of the page, from 1. */
  readonly page: number
  readonly total: number
  readonly month: string
  readonly accounts: readonly AccountSummary[]
}

export const ADMIN_ACCOUNTS = definePage({
  method: 'GET',
  path: '/admin',
  needs: 'admin',
  handle: async (context) => {
    const { now, parts, query } = context
    const search = query.text('search')
    const page = parsePage(query.text('page'))
    const month = formatMonth(now)
    const offset = (page - 1) * PAGE_SIZE
    const { accounts, total } = await parts.store.accounts.listAccounts({ search, month, offset, limit: PAGE_SIZE })
    const last = Math.max(Math.ceil(total / PAGE_SIZE), 1)
    // Accounts were deleted since the link was made, or the number was typed.
    if (accounts.length === 0 && page > last) return new Redirect(buildPath(search, last))
    return <AccountsPage context={context} listing={{ search, page, total, month, accounts }} />
  },
})

/** @returns 1 for anything that is not the number of a page */
function parsePage(text: string): number {
  const page = /^\d{1,7}$/.test(text) ? Number(text) : 1
  return Math.min(Math.max(page, 1), MAX_PAGE)
}

function buildPath(search: string, page: number): string {
  const query = new URLSearchParams({ ...(search !== '' && { search }), ...(page > 1 && { page: String(page) }) })
  return query.size === 0 ? '/admin' : `/admin?${query}`
}

interface AccountsProps {
  readonly context: PageContext<'admin'>
  readonly listing: Listing
}

function AccountsPage({ context, listing }: AccountsProps) {
  const { accounts, month, search } = listing
  return (
    <Page context={context} title="Accounts">
      <AdminNav path={context.path} />
      <search>
        <form method="get" action="/admin" class="inline">
          <Field name="search" type="search" label="E-mail address or name" value={search} maxLength={200} />
          <Button kind="secondary">Search</Button>
        </form>
      </search>
      {accounts.length === 0 ? (
        <p>{search === '' ? 'There are no accounts yet.' : 'No account matches.'}</p>
      ) : (
        <>
          <Table
            caption={describeRange(listing)}
            head={['Account', 'Plan', 'Keys', `Requests in ${month}`, 'Created', 'Status']}
            numeric={[2, 3]}
            rows={accounts.map(buildRow)}
          />
          <Pager listing={listing} />
        </>
      )}
    </Page>
  )
}

function buildRow({ id, email, name, plan, keys, used, createdAt, ...state }: AccountSummary) {
  return [
    <div class="person">
      <a href={`/admin/accounts/${encodeURIComponent(id)}`}>{email}</a>
      <br />
      <span class="quiet">{name}</span>
    </div>,
    plan,
    formatNumber(keys),
    formatNumber(used),
    <DateTime at={createdAt} unit="day" />,
    describeState(state),
  ]
}

/** Describes whether an account is suspended and verified. */
export function describeState({ suspendedAt, isVerified }: Pick<AccountSummary, 'suspendedAt' | 'isVerified'>): string {
  const verified = isVerified ? 'verified' : 'not verified'
  return suspendedAt === null ? verified : `suspended, ${verified}`
}

function describeRange({ page, total, accounts, search }: Listing): string {
  const first = (page - 1) * PAGE_SIZE + 1
  const last = first + accounts.length - 1
  const what = search === '' ? 'accounts' : `accounts that match “${search}”`
  return `${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(total)} ${what}, newest first`
}

function Pager({ listing: { search, page, total } }: { readonly listing: Listing }) {
  const last = Math.ceil(total / PAGE_SIZE)
  if (last <= 1) return null
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 && (
        <a rel="prev" href={buildPath(search, page - 1)}>
          Newer
        </a>
      )}
      <span>
        Page {formatNumber(page)} of {formatNumber(last)}
      </span>
      {page < last && (
        <a rel="next" href={buildPath(search, page + 1)}>
          Older
        </a>
      )}
    </nav>
  )
}
