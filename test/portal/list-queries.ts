import { vi } from 'vitest'
import type { Store } from '../../src/store/types.ts'

type Database<Kind> = Extract<Store['authDatabase'], { readonly kind: Kind }>

/** Lists the queries to the database of a store while a function runs. */
export async function listQueries(
  { authDatabase }: Pick<Store, 'authDatabase'>,
  run: () => Promise<void>,
): Promise<readonly string[]> {
  return authDatabase.kind === 'sqlite' ? await watchSqlite(authDatabase, run) : await profileMongo(authDatabase, run)
}

/** Records the statements that are executed. `all` uses `iterate`. */
async function watchSqlite({ db }: Database<'sqlite'>, run: () => Promise<void>): Promise<readonly string[]> {
  const queries: string[] = []
  const prototype = Object.getPrototypeOf(db.prepare('SELECT 1'))
  const spies = ['get', 'run', 'iterate'].map((method) => {
    const original = prototype[method]
    return vi.spyOn(prototype, method).mockImplementation(function (this: unknown, ...values: unknown[]) {
      // A statement without values reads the switches, which happens in the background.
      if (values.length > 0) queries.push(`${method} ${JSON.stringify(values)}`)
      return original.apply(this, values)
    })
  })
  try {
    await run()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return queries
}

/** Records the commands by the profiler of the database, except those that nodes send in the background. */
async function profileMongo({ get }: Database<'mongodb'>, run: () => Promise<void>): Promise<readonly string[]> {
  const { db } = get()
  await db.command({ profile: 2 })
  try {
    await run()
  } finally {
    await db.command({ profile: 0 })
  }
  const profile = db.collection('system.profile')
  const found = await profile.find({ ns: { $nin: [`${db.databaseName}.settings`, profile.namespace] } }).toArray()
  await profile.drop()
  return found
    .filter(({ ns }) => !String(ns).endsWith('.$cmd'))
    .map(({ op, ns, command }) => JSON.stringify({ op, ns, command }))
}
