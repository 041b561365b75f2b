import { getAdapter } from 'better-auth/db/adapter'
import { type SqliteDatabase, SqliteDialect } from 'kysely'
import { toStoreError } from '../store/sqlite/errors.ts'
import { type AuthDatabase, StoreError } from '../store/types.ts'
import { DuplicateError } from './auth-calls.ts'
import type { DatabaseKind } from './database-kind.ts'

type SqliteAuthDatabase = Extract<AuthDatabase, { kind: 'sqlite' }>

/** Uses the connection of the store, so that each statement is a transaction of its own. */
export function buildSqliteKind({ db, write }: SqliteAuthDatabase): DatabaseKind {
  return {
    translate: (error) => (isDuplicate(error) ? new DuplicateError() : toStoreError(error)),
    prepare: async (options) => {
      const dialect = new SqliteDialect({ database: buildDatabase({ db, write }) })
      const adapter = await getAdapter({ ...options, database: { dialect, type: 'sqlite', transaction: false } })
      return () => {
        // Statements can still be used after their connection was closed (libsql 0.5.29).
        if (!db.open) throw new StoreError('the store is closed')
        return adapter
      }
    },
  }
}

/**
 * Statements that write begin a transaction first. Where another process holds the lock, they would fail themselves and stay in
 * progress (libsql 0.5.29), and every later commit of the connection would fail.
 */
function buildDatabase({ db, write }: Pick<SqliteAuthDatabase, 'db' | 'write'>): SqliteDatabase {
  return {
    close: () => {}, // The store closes its connection.
    prepare: (sql) => {
      const statement = db.prepare(sql)
      const run = /^\s*select\b/i.test(sql) ? <T>(work: () => T): T => work() : write
      return {
        reader: statement.reader,
        all: (parameters) => run(() => statement.all(...parameters)),
        run: (parameters) => run(() => statement.run(...parameters)),
        iterate: (parameters) => statement.iterate(...parameters) as IterableIterator<unknown>,
      }
    },
  }
}

function isDuplicate(error: unknown): boolean {
  return /^SQLITE_CONSTRAINT_(?:UNIQUE|PRIMARYKEY)/.test(String((error as { readonly code?: unknown }).code))
}
