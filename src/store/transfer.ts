/** The tables that are exported, in the order in which they are written: a store without keys accepts no request. */
export const TABLES = [
  'values',
  'accounts',
  'credentials',
  'invites',
  'scans',
  'audit',
  'batches',
  'batchItems',
  'usage',
  'slots',
  'keys',
] as const

export type TableName = (typeof TABLES)[number]

/** A value of a row: times are ISO 8601 in UTC. */
type RowValue = string | number | boolean | null | readonly Row[] | { readonly [name: string]: number }

/** A row, which both kinds of store read and write in the same form. */
export type Row = { readonly [name: string]: RowValue }

/** Reads or writes all durable data of a store, except switches, sessions and pending links. */
export interface StoreTransfer {
  /** Why the data may change during an export, with what to do about it; null if it cannot. */
  findExportProblem(): Promise<string | null>
  read(table: TableName): AsyncIterable<Row> | Iterable<Row>
  /** Whether the store contains no accounts, keys and usage. */
  isEmpty(): Promise<boolean>
  /** Adds rows. A value that already exists is replaced. */
  write(table: TableName, rows: readonly Row[]): Promise<void>
  close(): Promise<void>
}
