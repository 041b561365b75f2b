import type { GuardedStore } from '../../src/store/guard.ts'

/** Adds accounts directly to the database, because each sign-up hashes a password. */
export async function addAccounts({ authDatabase: database }: GuardedStore, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => ({
    id: `acc_${String(n).padStart(5, '0')}`,
    name: `Person ${n}`,
    email: `user-${String(n).padStart(5, '0')}@example.org`,
    at: new Date(Date.UTC(2026, 0, 1) + n * 1000),
  }))
  if (database.kind === 'mongodb') {
    const documents = rows.map(({ id, at, ...row }) => ({
      ...row,
      _id: id as never,
      emailVerified: false,
      plan: 'free',
      createdAt: at,
      updatedAt: at,
    }))
    await database.get().db.collection('accounts').insertMany(documents)
    return
  }
  const { db } = database
  const insert = db.prepare(
    'INSERT INTO accounts (id, name, email, emailVerified, createdAt, updatedAt, plan) VALUES (?, ?, ?, 0, ?, ?, ?)',
  )
  db.exec('BEGIN')
  for (const { id, name, email, at } of rows) insert.run(id, name, email, at.toISOString(), at.toISOString(), 'free')
  db.exec('COMMIT')
}
