import { MAX_AUDIT_ENTRIES } from '../../store/types.ts'
import { AdminNav } from '../components/admin-nav.tsx'
import { AuditTable } from '../components/audit-table.tsx'
import { Page } from '../components/page.tsx'
import { formatNumber } from '../format-text.ts'
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
          Entries contain ids instead of names, and outlive their account. Of each account, the newest{' '}
          {formatNumber(MAX_AUDIT_ENTRIES)} are kept.
        </p>
      </Page>
    )
  },
})
