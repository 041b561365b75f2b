import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { main } from '../../src/cli/service.ts'
import { fingerprintPepper } from '../../src/keys/key.ts'
import { writeFolder } from '../support/rule-folder.ts'

const KEY_PEPPER = 'a pepper of the tests, at least 32'
const PEPPER = { table: 'values', row: { name: 'pepper', value: fingerprintPepper(KEY_PEPPER) } }
const USAGE = { key: 'key_1', month: '2026-05', used: 3, lastUsedAt: '2026-05-01T00:00:00.000Z', days: { '01': 3 } }

/** Imports rows into a new embedded store. */
async function importRows(rows: readonly object[]) {
  const lines = [{ format: 'siteprint export', version: 1 }, ...rows, { rows: rows.length }]
  const folder = writeFolder({ export: lines.map((line) => `${JSON.stringify(line)}\n`).join('') })
  const file = join(folder, 'export')
  const texts: string[] = []
  const sink = new Writable({ write: (chunk, _, done) => done(void texts.push(`${chunk}`)) })
  const dataDir = join(folder, 'data')
  const code = await main(['import', file], { env: { DATA_DIR: dataDir, KEY_PEPPER }, stdout: sink, stderr: sink })
  return { code, message: texts.join('').replaceAll(folder, ''), hasStore: existsSync(join(dataDir, 'siteprint.db')) }
}

test('an import writes all rows of an export', async () => {
  const outcome = await importRows([PEPPER, { table: 'usage', row: USAGE }])
  expect(outcome).toMatchObject({ code: 0, message: 'Imported 2 rows from /export.\n' })
})

test.each<[name: string, row: object, message: string]>([
  [
    'a name that cannot be converted to a text',
    { table: 'values', row: { name: { toString: 0 }, value: 'x' } },
    '"name" of this row of "values"',
  ],
  ['a text for days', { table: 'usage', row: { ...USAGE, days: 'abc' } }, '"days" of this row of "usage"'],
  ['a time in words', { table: 'usage', row: { ...USAGE, lastUsedAt: 'soon' } }, '"lastUsedAt" of this row of "usage"'],
  ['a list for a row', { table: 'usage', row: [] }, '"key" of this row of "usage"'],
])('a row with %s ends an import before anything is written', async (_, row, message) => {
  const outcome = await importRows([PEPPER, row])
  expect(outcome).toEqual({ code: 2, message: `/export:3: ${message} is not valid: export again\n`, hasStore: false })
})
