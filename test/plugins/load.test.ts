import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { detectors as own } from '../../plugins/index.ts'
import { loadDetectors } from '../../plugins/load.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import { FOUND } from '../../src/engine/rule/clause.ts'
import { SetupError } from '../../src/errors.ts'
import { detect, loadRuleset } from '../../src/index.ts'
import { openRuleset } from '../../src/rules/open-ruleset.ts'
import { CLAUSE_KEYS } from '../../src/rules/schema.ts'
import { TEST, technology, writeFolder } from '../support/rule-folder.ts'

const RESERVED = [...CLAUSE_KEYS, FOUND.key]
describe('a bad module is refused', () => {
  const whole: Record<string, string> = {
    key: "'tide'",
    about: "'The tide'",
    family: "'side'",
    word: "'literal'",
    read: 'function* () {}',
  }
  const detector = (change: Record<string, string | undefined>): string => {
    const members = Object.entries({ ...whole, ...change }).filter(([, code]) => code !== undefined)
    return `{ ${members.map(([name, code]) => `${name}: ${code}`).join(', ')} }`
  }
  const exporting = (change: Record<string, string | undefined>): string => `export default ${detector(change)}`
  const reserved = [
    'is',
    'all',
    'not',
    'of',
    'has',
    'under',
    'match',
    'version',
    'from',
    'attr',
    'case',
    'weight',
    'found',
  ]

  test('the one that the others are changed from is good', async () => {
    const root = writeFolder({ 'tide.mjs': `export default [${detector({})}, ${detector({ key: "'ebb'" })}]` })
    const loaded = await loadDetectors(['./tide.mjs'], RESERVED, root)
    expect(loaded.slice(own.length).map(({ key }) => key)).toEqual(['tide', 'ebb'])
  })

  test.each<[string, string, RegExp]>([
    ['with a fault of its syntax', 'export default {', /could not be loaded/],
    ['that throws on load', "throw new Error('no water')", /could not be loaded: no water/],
    ['that throws a text', "throw 'no water'", /could not be loaded: no water/],
    ['without default export', 'export const tide = 1', /no default export/],
    ['of null', 'export default null', /a detector is an object/],
    ['of a text', "export default 'tide'", /a detector is an object/],
    ['with an empty list', 'export default []', /there is no detector in its list/],
    ['without key', exporting({ key: undefined }), /needs a `key`/],
    ['with a key of capitals', exporting({ key: "'Tide'" }), /needs a `key`/],
    ['without about', exporting({ about: undefined }), /"tide" needs `about`/],
    ['without family', exporting({ family: undefined }), /"tide" needs a `family`: one of address, /],
    ['of an unknown family', exporting({ family: "'sea'" }), /"tide" needs a `family`: one of address, /],
    ["of the engine's own family", exporting({ family: "'found'" }), /"tide" needs a `family`: one of address, /],
    ['without word', exporting({ word: undefined }), /"tide" needs a `word`: one of name, /],
    ['of an unknown word', exporting({ word: "'regex'" }), /"tide" needs a `word`: one of name, /],
    ['without read', exporting({ read: undefined }), /"tide" needs a function `read/],
    ['whose read is none', exporting({ read: "'x'" }), /"tide" needs a function `read/],
    ['whose seen is none', exporting({ seen: 'true' }), /`seen` of detector "tide" must be a function/],
    ['whose names are none', exporting({ names: "'high'" }), /`names` of detector "tide" must be a list/],
    ['whose second detector is bad', `export default [${detector({})}, {}]`, /needs a `key`/],
    ['whose key throws', 'export default { get key() { throw new Error("no water") } }', /cannot be read: no water/],
    ['of a promise that never ends', 'export default new Promise(() => {})', /needs a `key`/],
    ['with a key of ours', exporting({ key: "'meta'" }), /there is a detector "meta" already/],
    ['with one key twice', `export default [${detector({})}, ${detector({})}]`, /there is a detector "tide" already/],
    ...reserved.map((key): [string, string, RegExp] => [
      `with the key ${key}`,
      exporting({ key: `'${key}'` }),
      /is reserved/,
    ]),
  ])('%s', async (_, module, message) => {
    const loading = loadDetectors(['./tide.mjs'], RESERVED, writeFolder({ 'tide.mjs': module }))
    await expect(loading).rejects.toThrow(SetupError)
    await expect(loading).rejects.toThrow(/^\.\/tide\.mjs: /)
    await expect(loading).rejects.toThrow(message)
  })

  test.each([
    ['package', 'no-such-tide', {}],
    ['file', './no-such-tide.mjs', {}],
    ['export', 'tide-places/inner', { 'node_modules/tide-places/package.json': '{ "exports": { ".": "./x.js" } }' }],
  ])('that is not found: %s', async (_, specifier, files) => {
    const loading = loadDetectors([specifier], RESERVED, writeFolder(files))
    await expect(loading).rejects.toThrow(SetupError)
    await expect(loading).rejects.toThrow(`${specifier}: the module could not be loaded`)
  })

  test('that never ends to load', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const root = writeFolder({ 'tide.mjs': 'await new Promise(() => {})' })
    const told = expect(loadDetectors(['./tide.mjs'], RESERVED, root)).rejects.toThrow(/not ready in 10 s/)
    await vi.advanceTimersByTimeAsync(10_000).finally(() => vi.useRealTimers())
    await told
  })

  test('with every other one that is bad', async () => {
    const root = writeFolder({ 'ebb.mjs': 'export default null', 'tide.mjs': 'export default []' })
    await expect(loadDetectors(['./ebb.mjs', './tide.mjs'], RESERVED, root)).rejects.toThrow(
      './ebb.mjs: a detector is an object\n./tide.mjs: there is no detector in its list',
    )
  })

  test('by the library too, named from the working folder', async () => {
    await expect(loadRuleset({ detectors: ['./no-such-tide.mjs'] })).rejects.toThrow(SetupError)
  })
})

test.each([
  ['throws', "*read() { throw new Error('low water') }", 'low water'],
  ['returns a number', 'read: () => 5', '`read` must return a list of finds or be a generator, not async'],
  ['returns nothing', 'read() {}', '`read` must return a list of finds or be a generator, not async'],
  ['is async', 'async *read() {}', '`read` must return a list of finds or be a generator, not async'],
])('a detector whose read %s costs its own place, and a warning says so', async (_, read, reason) => {
  const bad = `export default { key: 'tide', about: 'x', family: 'side', word: 'literal', ${read} }`
  const rule = {
    'technologies/analytics/acme.yaml': technology('tide: high'),
    'technologies/analytics/acme.test.yaml': TEST,
  }
  const root = writeFolder({
    'tide.mjs': bad,
    ...Object.fromEntries(Object.entries(rule).map(([name, text]) => [`rules/${name}`, text])),
  })
  const detectors = await loadDetectors(['./tide.mjs'], RESERVED, root)
  const ruleset = openRuleset({ folders: [join(root, 'rules')], detectors })
  const page = buildPage({ url: 'https://acme.com/', html: '<meta name="generator" content="WordPress 6.6">' })
  const verdict = detect(ruleset, page)
  expect(verdict).toMatchObject({ builderSlug: 'wordpress', warnings: [`the detector "tide" failed: ${reason}`] })
  expect(verdict.technologies).toContain('Acme')
})
