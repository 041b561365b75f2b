import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/open/open-store.ts'
import { type FilledStore, openFilledStore, service } from './filled-store.ts'
import { KEY_PEPPER } from './store-scene.ts'

// transfer-store.stores.test.ts moves all data from one store to another.
const OTHER = 'another pepper of the tests, at least 32'

describe('the files of an export', () => {
  let source: FilledStore['source']
  let file: FilledStore['file']
  let exported: string
  beforeAll(async () => {
    ;({ source, file } = await openFilledStore())
    expect(await service(source, 'export', file('good'))).toMatchObject({ code: 0 })
    exported = readFileSync(file('good'), 'utf8')
  })

  test.each<[string, isNew: boolean, pepper: string | null, (text: string) => string, RegExp]>([
    ['a store that is not empty', false, KEY_PEPPER, (text) => text, /already contains accounts, keys or usage/],
    ['another pepper', true, OTHER, (text) => text, /KEY_PEPPER is not the pepper of the/],
    ['no pepper', true, null, (text) => text, /KEY_PEPPER is not set, so no exported key would work/],
    [
      'a truncated file',
      true,
      KEY_PEPPER,
      (text) => text.slice(0, text.lastIndexOf('{')),
      /is incomplete: export again/,
    ],
    [
      'a lost row',
      true,
      KEY_PEPPER,
      (text) => text.replace(/^.*"scans".*\n/m, ''),
      /:27: this line is not part of an export/,
    ],
    ['another file', true, KEY_PEPPER, () => '{"a":1}\n', /was not written by "service export"/],
    ['an empty file', true, KEY_PEPPER, () => '', /is incomplete: export again/],
    [
      'a line that is not JSON',
      true,
      KEY_PEPPER,
      (text) => text.replace('"usage"', 'usage'),
      /: this line is not part of an export/,
    ],
  ])('an import with %s is rejected', async (name, isNew, pepper, change, expected) => {
    const bad = file(`${name}.bad`)
    writeFileSync(bad, change(exported))
    const DATA_DIR = isNew ? file(`${name}.data`) : source.DATA_DIR
    const { code, stderr } = await service({ DATA_DIR, ...(pepper !== null && { KEY_PEPPER: pepper }) }, 'import', bad)
    expect(code).toBe(2)
    expect(stderr).toMatch(expected)
  })

  test('an export does not replace a file, and needs a store that no server uses', async () => {
    await service(source, 'export', file('twice'))
    expect((await service(source, 'export', file('twice'))).stderr).toContain('already exists: choose another file')
    expect((await service({ DATA_DIR: file('none') }, 'export', file('n'))).stderr).toContain(
      'does not contain a database',
    )
    const settings = { dataDir: source.DATA_DIR, mongodbUrl: null, keyPepper: KEY_PEPPER }
    const { store } = await openStore(settings, { role: 'server' })
    const { stderr } = await service(source, 'export', file('n'))
    await store.close()
    expect(stderr).toBe(`another server runs on ${source.DATA_DIR}: stop it, then try again\n`)
  })
})
