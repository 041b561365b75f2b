import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMongo } from '../../src/store/mongo/mongo.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/types.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { mongoUrl } from '../support/services.ts'
import { chooseStores } from '../support/stores.ts'

/** A kind of store. It is opened twice on the same data, as two processes do. */
export interface StoreKind {
  readonly name: string
  readonly isMissing: boolean
  readonly openBoth: () => Promise<readonly [Store, Store]>
}

/** Creates a folder that is deleted after the tests of this file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-store-'))
  onFileEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Returns the kind that this project of Vitest tries. Each call uses data of its own. */
export function findStoreKind(suite: string): StoreKind {
  return chooseStores({ embedded: buildEmbedded, servers: () => findMongo(suite) })
}

function buildEmbedded(): StoreKind {
  const folder = join(newFolder(), 'data')
  return {
    name: 'SQLite',
    isMissing: false,
    openBoth: async () => [await openSqlite({ folder, role: 'server' }), await openSqlite({ folder, role: 'tool' })],
  }
}

function findMongo(suite: string): StoreKind {
  const url = mongoUrl(suite)
  // Long enough for thousands of concurrent calls on a slow machine.
  const mongo = { url: url ?? '', queueMs: 60_000 }
  // Concurrently, like nodes that start at the same time.
  return {
    name: 'MongoDB',
    isMissing: url === null,
    openBoth: () => Promise.all([openMongo(mongo), openMongo(mongo)]),
  }
}
