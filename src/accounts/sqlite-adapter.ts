import { getAdapter } from 'better-auth/db/adapter'
import { SqliteDialect } from 'kysely'
import { toStoreError } from '../store/sqlite/errors.ts'
import { type AuthDatabase, StoreError } from '../store/types.ts'
import type { DatabaseKind } from './auth-adapter.ts'
import { DuplicateError } from './auth-calls.ts'

/** Uses the connection of the store, so that each statement is a transaction of its own. */
export function buildSqliteKind({ db }: Extract<AuthDatabase, { kind: 'sqlite' }>): DatabaseKind {
  return {
    translate: (error) => (isDuplicate(error) ? new DuplicateError() : toStoreError(error)),
    prepare: async (options) => {
      const dialect = new SqliteDialect({ database: db })
      const adapter = await getAdapter({ ...options, database: { dialect, type: 'sqlite', transaction: false } })
      return () => {
        // Statements can still be used after their connection was closed (libsql 0.5.29).
        if (!db.open) throw new StoreError('the store is closed')
        return adapter
      }
    },
  }
}

function isDuplicate(error: unknown): boolean {
  return /^SQLITE_CONSTRAINT_(?:UNIQUE|PRIMARYKEY)/.test(String((error as { readonly code?: unknown }).code))
}
