import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMongo } from '../../src/store/mongo/mongo.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/types.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { mongoUrl } from '../support/services.ts'

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

/** Both kinds, for `describe.each`. Each call uses data of its own. */
export function storeKinds(suite: string): readonly StoreKind[] {
  const url = mongoUrl(suite)
  const folder = join(newFolder(), 'data')
  const isMissing = url === null
  // Long enough for thousands of concurrent calls on a slow machine.
  const mongo = { url: url ?? '', queueMs: 60_000 }
  return [
    {
      name: 'SQLite',
      isMissing: false,
      openBoth: async () => [await openSqlite({ folder, role: 'server' }), await openSqlite({ folder, role: 'tool' })],
    },
    // Concurrently, like nodes that start at the same time.
    {
      name: 'MongoDB',
      isMissing,
      openBoth: () => Promise.all([openMongo(mongo), openMongo(mongo)]),
    },
  ]
}
