import { formatCount } from '../../views/format-text.ts'
import { AdminNav } from '../components/admin-nav.tsx'
import { AuditTable } from '../components/audit-table.tsx'
import { Page } from '../components/page.tsx'
import { definePage } from '../page.ts'

const ENTRIES_SHOWN = 100

export const ADMIN_AUDIT = definePage({
  method: 'GET',
  path: '/admin/audit',
  needs: 'admin',
  handle: async (context) => {
    const account = context.query.text('account') || null
    const entries = await context.parts.store.audit.listAudit({ account, limit: ENTRIES_SHOWN })
    return (
      <Page context={context} title="Audit">
        <AdminNav path={context.path} />
        {account === null ? (
          <p>The newest {ENTRIES_SHOWN} actions on accounts, keys and the service.</p>
        ) : (
          <p>
            The newest {ENTRIES_SHOWN} actions on the account{' '}
            <a href={`/admin/accounts/${encodeURIComponent(account)}`}>{account}</a> and its keys.{' '}
            <a href="/admin/audit">Show all accounts</a>
          </p>
        )}
        <AuditTable entries={entries} hasAccounts={account === null} />
        <p class="quiet">
          Entries contain ids instead of names, and outlive their account. They are kept for{' '}
          {formatCount(context.parts.settings.auditDays, 'day')}. What an owner repeats on one day is merged.{' '}
          <code>service -- audit</code> lists all entries.
        </p>
      </Page>
    )
  },
})
