import type { DBAdapter } from 'better-auth'
import { mongodbAdapter } from 'better-auth/adapters/mongodb'
import type { MongoClient } from 'mongodb'
import { isDuplicate, toStoreError } from '../store/mongo/errors.ts'
import type { AuthDatabase } from '../store/types.ts'
import type { DatabaseKind } from './auth-adapter.ts'
import { DuplicateError } from './auth-calls.ts'

/** Builds a new adapter whenever the store has replaced its client. */
export function buildMongoKind({ get }: Extract<AuthDatabase, { kind: 'mongodb' }>): DatabaseKind {
  return {
    translate: (error) => (isDuplicate(error) ? new DuplicateError() : toStoreError(error)),
    prepare: async (options) => {
      let current: { readonly client: MongoClient; readonly adapter: DBAdapter } | undefined
      return () => {
        const { client, db } = get()
        if (current?.client !== client)
          current = { client, adapter: mongodbAdapter(db, { client, transaction: false })(options) }
        return current.adapter
      }
    },
  }
}
