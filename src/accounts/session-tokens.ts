import type { DBAdapter, Where } from 'better-auth'
import { hashSessionToken } from '../store/session-token.ts'

/** The queries of better-auth. */
export type Queries = Omit<DBAdapter, 'id' | 'options' | 'transaction' | 'createSchema'>

interface SessionQuery {
  readonly model: string
  readonly where?: Where[]
}

/**
 * Stores the tokens of sessions as hashes, which better-auth itself cannot do (1.7). Rows contain the token again if the query
 * named it, as its cookie needs it, and otherwise the hash, which does not open the session.
 */
export function hashSessionTokens(queries: Queries): Queries {
  const { create, findOne, update, consumeOne, incrementOne } = queries
  return {
    ...hashInConditions(queries),
    create: async <T extends Record<string, unknown>, R = T>(query: Parameters<typeof create<T, R>>[0]) => {
      const token: unknown = query.model === 'session' ? query.data.token : undefined
      if (typeof token !== 'string') return await create<T, R>(query)
      const created = await create<T, R>({ ...query, data: { ...query.data, token: hashSessionToken(token) } })
      return { ...created, token }
    },
    findOne: async <T>(query: Parameters<typeof findOne>[0]) => restore(query, await findOne<T>(hashIn(query))),
    update: async <T>(query: Parameters<typeof update>[0]) => restore(query, await update<T>(hashIn(query))),
    consumeOne: async <T>(query: Parameters<typeof consumeOne>[0]) =>
      restore(query, await consumeOne<T>(hashIn(query))),
    incrementOne: async <T>(query: Parameters<typeof incrementOne>[0]) =>
      restore(query, await incrementOne<T>(hashIn(query))),
  }
}

/** The queries whose results contain no row, or rows that no cookie needs. */
function hashInConditions(queries: Queries): Queries {
  return {
    ...queries,
    findMany: (query) => queries.findMany(hashIn(query)),
    count: (query) => queries.count(hashIn(query)),
    updateMany: (query) => queries.updateMany(hashIn(query)),
    delete: (query) => queries.delete(hashIn(query)),
    deleteMany: (query) => queries.deleteMany(hashIn(query)),
  }
}

/** Replaces the tokens in the conditions of a query for sessions. */
function hashIn<Q extends SessionQuery>(query: Q): Q {
  if (query.model !== 'session' || query.where === undefined) return query
  return { ...query, where: query.where.map(hashCondition) }
}

function hashCondition(condition: Where): Where {
  const { field, value } = condition
  if (field !== 'token') return condition
  if (typeof value === 'string') return { ...condition, value: hashSessionToken(value) }
  if (Array.isArray(value)) return { ...condition, value: value.map((one) => hashSessionToken(`${one}`)) }
  return condition
}

/** Puts the token that a query named into its row. */
function restore<T>({ model, where = [] }: SessionQuery, row: T | null): T | null {
  if (model !== 'session' || row === null) return row
  const token = where.find(({ field }) => field === 'token')?.value
  return typeof token === 'string' ? { ...row, token } : row
}
