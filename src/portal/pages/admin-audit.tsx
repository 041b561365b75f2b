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
    const entries = await context.parts.store.audit.listAudit({ account: null, limit: ENTRIES_SHOWN })
    return (
      <Page context={context} title="Audit">
        <AdminNav path={context.path} />
        <p>The newest {ENTRIES_SHOWN} actions on accounts, keys and the service. Entries contain ids only.</p>
        <AuditTable entries={entries} hasAccounts />
      </Page>
    )
  },
})
