import type { BetterAuthOptions, DBAdapter } from 'better-auth'
import type { AuthDatabase, StoreError } from '../store/types.ts'
import { wrapMethods } from '../store/wrap-methods.ts'
import { AuthCalls } from './auth-calls.ts'
import type { DatabaseKind } from './database-kind.ts'
import { hashSessionTokens, type Queries } from './session-tokens.ts'

/** A database for better-auth, whose queries are made by `calls`. */
export interface OpenedDatabase {
  readonly calls: AuthCalls
  readonly openAdapter: (options: BetterAuthOptions) => Promise<DBAdapter>
}

interface AdapterOptions {
  /** Milliseconds that a query to a server may take. */
  readonly timeoutMs: number
  /** @throws StoreError if the store is known to be down */
  readonly checkStore: () => void
  /** Receives each failure of the store. */
  readonly onFailure: (error: StoreError) => void
}

/** Loads only the adapter of the database in use, because each takes time to load. */
export async function openAuthDatabase(database: AuthDatabase, options: AdapterOptions): Promise<OpenedDatabase> {
  if (database.kind === 'sqlite') {
    const { buildSqliteKind } = await import('./sqlite-adapter.ts')
    return guardDatabase(buildSqliteKind(database), { ...options, timeoutMs: null })
  }
  const { buildMongoKind } = await import('./mongo-adapter.ts')
  return guardDatabase(buildMongoKind(database), options)
}

function guardDatabase(
  { translate, prepare }: DatabaseKind,
  { timeoutMs, checkStore, onFailure }: Omit<AdapterOptions, 'timeoutMs'> & { readonly timeoutMs: number | null },
): OpenedDatabase {
  const calls = new AuthCalls({ timeoutMs, translate, onFailure })
  const query = <T>(_method: string, run: () => Promise<T>): Promise<T> =>
    calls.query(async () => {
      checkStore()
      return await run()
    })
  return { calls, openAdapter: async (options) => guardAdapter(await prepare(options), query) }
}

/** No transactions: one would span several turns of the event loop, in which other parts of the store write too. */
function guardAdapter(
  getAdapter: () => DBAdapter,
  query: <T>(method: string, run: () => Promise<T>) => Promise<T>,
): DBAdapter {
  const { id, options } = getAdapter()
  const guarded: DBAdapter = {
    ...wrapMethods(() => hashSessionTokens(pickQueries(getAdapter())), query),
    id,
    options,
    transaction: (run) => run(guarded),
  }
  return guarded
}

function pickQueries({ id, options, transaction, createSchema, ...queries }: DBAdapter): Queries {
  return queries
}
