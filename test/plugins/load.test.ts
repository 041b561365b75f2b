import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { detectors as own } from '../../plugins/index.ts'
import { loadDetectors } from '../../plugins/load.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import { FOUND } from '../../src/engine/rule/clause.ts'
import { SetupError } from '../../src/errors.ts'
import { detect, loadRuleset } from '../../src/index.ts'
import { openRuleset } from '../../src/rules/load/open-ruleset.ts'
import { CLAUSE_KEYS } from '../../src/rules/schema.ts'
import { smallProject } from '../support/built-project.ts'
import { TEST, technology, writeFolder } from '../support/rule-folder.ts'

const RESERVED = [...CLAUSE_KEYS, FOUND.key]
describe('an invalid module is an error', () => {
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

  test('the detector that the other cases modify is valid', async () => {
    const root = writeFolder({ 'tide.mjs': `export default [${detector({})}, ${detector({ key: "'ebb'" })}]` })
    const loaded = await loadDetectors(['./tide.mjs'], RESERVED, root)
    expect(loaded.slice(own.length).map(({ key }) => key)).toEqual(['tide', 'ebb'])
  })

  test.each<[string, string, RegExp]>([
    ['with a syntax error', 'export default {', /could not be loaded/],
    ['that throws on load', "throw new Error('no water')", /could not be loaded: no water/],
    ['that throws a string', "throw 'no water'", /could not be loaded: no water/],
    ['without default export', 'export const tide = 1', /no default export/],
    ['of null', 'export default null', /a detector must be an object/],
    ['of a string', "export default 'tide'", /a detector must be an object/],
    ['with an empty list', 'export default []', /the list of detectors is empty/],
    ['without key', exporting({ key: undefined }), /needs a `key`/],
    ['with a key of capitals', exporting({ key: "'Tide'" }), /needs a `key`/],
    ['without about', exporting({ about: undefined }), /`about` of detector "tide" must be one sentence/],
    ['without family', exporting({ family: undefined }), /`family` of detector "tide" must be one of address, /],
    ['of an unknown family', exporting({ family: "'sea'" }), /`family` of detector "tide" must be one of address, /],
    [
      "of the engine's own family",
      exporting({ family: "'found'" }),
      /`family` of detector "tide" must be one of address, /,
    ],
    ['without word', exporting({ word: undefined }), /`word` of detector "tide" must be one of name, /],
    ['of an unknown word', exporting({ word: "'regex'" }), /`word` of detector "tide" must be one of name, /],
    ['without read', exporting({ read: undefined }), /`read` of detector "tide" must be a function/],
    ['whose read is not a function', exporting({ read: "'x'" }), /`read` of detector "tide" must be a function/],
    ['whose seen is not a function', exporting({ seen: 'true' }), /`seen` of detector "tide" must be a function/],
    ['whose names are not a list', exporting({ names: "'high'" }), /`names` of detector "tide" must be a list/],
    [
      'whose word form has no phrase',
      exporting({ wordForm: "{ pattern: '^a' }" }),
      /`wordForm` of detector "tide" must be /,
    ],
    [
      'whose word form has an invalid pattern',
      exporting({ wordForm: "{ says: 'a', pattern: '(' }" }),
      /`wordForm` of detector "tide" must be /,
    ],
    ['whose rank is 0', exporting({ hostingProof: '0' }), /`hostingProof` of detector "tide" must be a number from 1/],
    [
      'with a rank that is not a number',
      exporting({ hostingProof: "{ a: '1' }" }),
      /`hostingProof` of detector "tide"/,
    ],
    [
      'whose isAmount is not a boolean',
      exporting({ isAmount: '1' }),
      /`isAmount` of detector "tide" must be true or false/,
    ],
    [
      'whose word for the words of a page is empty',
      exporting({ wordOfPageWords: "''" }),
      /`wordOfPageWords` of detector "tide" must be a word of the place/,
    ],
    [
      'whose labels are not a boolean',
      exporting({ labels: "'yes'" }),
      /`labels` of detector "tide" must be true or false/,
    ],
    [
      'whose window is not a number',
      exporting({ windowCharacters: "'wide'" }),
      /`windowCharacters` of detector "tide" must be a whole number/,
    ],
    ['whose window is empty', exporting({ windowCharacters: '0' }), /`windowCharacters` of detector "tide"/],
    ['that is from elsewhere', exporting({ from: "'sea'" }), /`from` of detector "tide" must be own/],
    [
      'with an unknown weight',
      exporting({ maxWeight: "{ a: 'heavy' }" }),
      /`maxWeight` of detector "tide" must be one of/,
    ],
    ['whose second detector is invalid', `export default [${detector({})}, {}]`, /needs a `key`/],
    ['whose key throws', 'export default { get key() { throw new Error("no water") } }', /could not be read: no water/],
    ['of a promise that never settles', 'export default new Promise(() => {})', /needs a `key`/],
    ['with the key of a built-in detector', exporting({ key: "'meta'" }), /the key "meta" already exists/],
    ['with the same key twice', `export default [${detector({})}, ${detector({})}]`, /the key "tide" already exists/],
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

  test('that never finishes loading', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const root = writeFolder({ 'tide.mjs': 'await new Promise(() => {})' })
    const rejection = expect(loadDetectors(['./tide.mjs'], RESERVED, root)).rejects.toThrow(/did not load within 10 s/)
    await vi.advanceTimersByTimeAsync(10_000).finally(() => vi.useRealTimers())
    await rejection
  })

  test('all invalid modules are listed', async () => {
    const root = writeFolder({ 'ebb.mjs': 'export default null', 'tide.mjs': 'export default []' })
    await expect(loadDetectors(['./ebb.mjs', './tide.mjs'], RESERVED, root)).rejects.toThrow(
      './ebb.mjs: a detector must be an object\n./tide.mjs: the list of detectors is empty',
    )
  })

  test('in the library too, relative to the working directory', async () => {
    await expect(loadRuleset({ detectors: ['./no-such-tide.mjs'] })).rejects.toThrow(SetupError)
  })
})

test.each([
  ['throws', "*read() { throw new Error('low water') }", 'low water'],
  ['returns a number', 'read: () => 5', '`read` must return a list of finds or be a generator, not async'],
  ['returns nothing', 'read() {}', '`read` must return a list of finds or be a generator, not async'],
  ['is async', 'async *read() {}', '`read` must return a list of finds or be a generator, not async'],
])('a detector whose read %s loses its own place, with a warning', async (_, read, reason) => {
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
  const ruleset = openRuleset({ own: join(smallProject().folder, 'rules'), folders: [join(root, 'rules')], detectors })
  const page = buildPage({ url: 'https://acme.com/', html: '<meta name="generator" content="WordPress 6.6">' })
  const verdict = detect(ruleset, page)
  expect(verdict.builderSlug).toBe('wordpress')
  expect(verdict.warnings).toContain(`the detector "tide" failed: ${reason}`)
  expect(verdict.technologies).toContain('Acme')
})
