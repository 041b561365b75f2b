import type Database from 'libsql'

/**
 * The first row of what a statement gives; undefined when there is none. Not by the statement's own `get`: once that has
 * failed at a constraint it fails for ever (libsql 0.5.29).
 */
export function firstRow<T>(statement: Database.Statement, ...values: readonly unknown[]): T | undefined {
  return (statement.all(...values) as T[])[0]
}
