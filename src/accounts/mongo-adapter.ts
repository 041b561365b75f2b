import type { DBAdapter } from 'better-auth'
import { mongodbAdapter } from 'better-auth/adapters/mongodb'
import type { Db, MongoClient } from 'mongodb'
import { isDuplicate, toStoreError } from '../store/mongo/errors.ts'
import type { AuthDatabase } from '../store/types.ts'
import { DuplicateError } from './auth-calls.ts'
import type { DatabaseKind } from './database-kind.ts'

/** Builds a new adapter whenever the store has replaced its client. */
export function buildMongoKind({ get }: Extract<AuthDatabase, { kind: 'mongodb' }>): DatabaseKind {
  return {
    translate: (error) => (isDuplicate(error) ? new DuplicateError() : toStoreError(error)),
    prepare: async (options) => {
      let current: { readonly client: MongoClient; readonly adapter: DBAdapter } | undefined
      return () => {
        const { client, db } = get()
        if (current?.client !== client)
          current = { client, adapter: joinSessions(mongodbAdapter(db, { client, transaction: false })(options), db) }
        return current.adapter
      }
    },
  }
}

/**
 * Reads a session and its account, which every page needs, in one query. The adapter makes two of them, and with its option
 * `joins` a `$lookup` with a pipeline, which MongoDB 6 does not optimize (better-auth 1.7).
 */
function joinSessions(adapter: DBAdapter, db: Db): DBAdapter {
  const findOne: DBAdapter['findOne'] = async <T>(query: Parameters<DBAdapter['findOne']>[0]) => {
    const token = readSessionToken(query)
    return token === null ? await adapter.findOne<T>(query) : ((await findSession(db, token)) as T | null)
  }
  return { ...adapter, findOne }
}

/** @returns null if the query is not the one for a session by its token with its account */
function readSessionToken({ model, where, select, join }: Parameters<DBAdapter['findOne']>[0]): string | null {
  if (model !== 'session' || where.length !== 1 || select !== undefined) return null
  const [{ field, value, operator = 'eq' }] = where
  const hasAccount = join?.user === true && Object.keys(join).length === 1
  return hasAccount && field === 'token' && operator === 'eq' && typeof value === 'string' ? value : null
}

type AuthRow = Readonly<Record<string, unknown>>

/** Finds a session by its token. @returns the row of better-auth with its account as `user` */
async function findSession(db: Db, token: string): Promise<AuthRow | null> {
  const [found] = await db
    .collection('sessions')
    .aggregate<AuthRow & { readonly user: readonly AuthRow[] }>([
      { $match: { token } },
      { $lookup: { from: 'accounts', localField: 'userId', foreignField: '_id', as: 'user' } },
    ])
    .toArray()
  if (found === undefined) return null
  const { user, ...session } = found
  return { ...toRow(session), user: user.length === 0 ? null : toRow(user[0]) }
}

/** MongoDB stores ids as `_id`. */
function toRow({ _id, ...row }: AuthRow): AuthRow {
  return { ...row, id: _id }
}
