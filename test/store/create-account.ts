import { randomBytes } from 'node:crypto'
import type { Store } from '../../src/store/types.ts'

/** The fields of an account as better-auth writes them. */
export interface SampleAccount {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly plan: string
  readonly createdAt: Date
  readonly suspendedAt: Date | null
}

let count = 0

/** Writes an account into the table of better-auth. @returns its id */
export async function createAccount({ authDatabase }: Store, change: Partial<SampleAccount> = {}): Promise<string> {
  const id = change.id ?? `account_${randomBytes(8).toString('hex')}`
  const account = {
    id,
    name: 'Owner',
    email: `${id}@a.example`,
    emailVerified: false,
    image: null,
    plan: 'free',
    createdAt: new Date(Date.UTC(2026, 0, 1) + count++),
    updatedAt: new Date(),
    suspendedAt: null,
    ...change,
  }
  await writeRow({ authDatabase }, 'accounts', account)
  return id
}

/** Writes a row or document of better-auth: dates as texts and booleans as numbers in SQLite, the id as `_id` in MongoDB. */
export async function writeRow(
  { authDatabase }: Pick<Store, 'authDatabase'>,
  table: string,
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (authDatabase.kind === 'mongodb') {
    const { id, ...rest } = row
    await authDatabase
      .get()
      .db.collection<{ _id: string }>(table)
      .insertOne({ _id: String(id), ...rest })
    return
  }
  const columns = Object.keys(row)
  const values = Object.values(row).map((value) =>
    value instanceof Date ? value.toISOString() : typeof value === 'boolean' ? Number(value) : value,
  )
  const places = columns.map(() => '?').join()
  authDatabase.db.prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${places})`).run(...values)
}
