import { describeCount } from '../../accounts/audit.ts'
import { AUDIT_ACTIONS, type AuditEntry } from '../../store/audit-types.ts'
import { Table } from '../../views/table.tsx'
import { DateTime } from './content.tsx'

interface AuditTableProps {
  /** Newest first. */
  readonly entries: readonly AuditEntry[]
  /** Whether the entries are of several accounts. */
  readonly hasAccounts: boolean
}

/** Audit entries below a heading that names them. */
export function AuditTable({ entries, hasAccounts }: AuditTableProps) {
  if (entries.length === 0) return <p>Nothing is recorded yet.</p>
  return (
    <Table
      caption="Audit entries"
      hasHiddenCaption
      head={['Time', 'Action', 'By', 'Machine', ...(hasAccounts ? ['Account'] : []), 'Key']}
      rows={entries.map((entry) => [
        <DateTime at={entry.at} />,
        describeAction(entry),
        <Actor entry={entry} />,
        entry.machine,
        ...(hasAccounts ? [<AccountLink id={entry.account} />] : []),
        <code>{entry.key}</code>,
      ])}
    />
  )
}

function describeAction(entry: AuditEntry): string {
  const text = AUDIT_ACTIONS[entry.action] + describeCount(entry)
  return entry.detail === null ? text : `${text}: ${entry.detail}`
}

function Actor({ entry: { actor, account, command } }: { readonly entry: AuditEntry }) {
  if (actor === null) return command === null ? <>operator</> : <code>{command}</code>
  return actor === account ? <>owner</> : <AccountLink id={actor} />
}

/** A link to the page of an account, which may have been deleted since. */
function AccountLink({ id }: { readonly id: string | null }) {
  if (id === null) return null
  return (
    <a href={`/admin/accounts/${encodeURIComponent(id)}`}>
      <code>{id}</code>
    </a>
  )
}
