import type { AccountSummary } from '../store/account-types.ts'
import { formatRows } from './command/format-rows.ts'

const TITLES = ['ID', 'EMAIL', 'CONFIRMED', 'NAME', 'PLAN', 'KEYS', 'USED', 'CREATED', 'SUSPENDED']

/** Formats accounts as a table: times in UTC to the minute, a hyphen for a missing value. */
export function formatAccounts(accounts: readonly AccountSummary[]): string {
  const rows = accounts.map(({ id, email, isVerified, name, plan, keys, used, createdAt, suspendedAt }) => [
    id,
    email,
    isVerified ? 'yes' : 'no',
    name,
    plan,
    keys,
    used,
    createdAt,
    suspendedAt,
  ])
  return formatRows(TITLES, rows)
}
