import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { detectors as own } from '../../plugins/index.ts'
import { DetectorError, loadDetectors } from '../../plugins/load.ts'
import { FOUND } from '../../src/engine/clause.ts'
import { buildPage } from '../../src/engine/page.ts'
import { detect, loadRuleset } from '../../src/index.ts'
import { openRuleset } from '../../src/rules/open-ruleset.ts'
import { CLAUSE_KEYS } from '../../src/rules/schema.ts'
import { type BuiltProject, buildProject } from '../built-project.ts'
import { readmeExample } from '../readme-examples.ts'
import { TEST, technology, writeFolder } from '../rule-folder.ts'

const RESERVED = [...CLAUSE_KEYS, FOUND.key]
const MODULE = '{ "type": "module" }'
const PAGE = '<!doctype html><body data-tideswell="v7"><p>High water at noon</p></body>'

/** The example of the README, as a package and as a file of its own, and its rule. */
function writeExample(): string {
  const detector = readmeExample('detector')
  const rule = 'tide/rules/technologies/javascript-library/tideswell'
  return writeFolder({
    'node_modules/tide-places/package.json': '{ "name": "tide-places", "type": "module", "exports": "./places.js" }',
    'node_modules/tide-places/places.js': detector,
    'tide/package.json': MODULE,
    'tide/data-attribute.js': detector,
    [`${rule}.yaml`]: readmeExample('detector-rule'),
    [`${rule}.test.yaml`]: readmeExample('detector-rule-test'),
    'page.html': PAGE,
  })
}

const ways: [way: string, specifier: (root: string) => string][] = [
  ['a package', () => 'tide-places'],
  ['a relative path', () => './tide/data-attribute.js'],
  ['an absolute path', (root) => join(root, 'tide', 'data-attribute.js')],
]

describe('the detector of the README', () => {
  let project: BuiltProject
  beforeAll(() => {
    project = buildProject()
  })

  test.each(ways)('loaded from %s, finds what its rule asks for', async (_, specifier) => {
    const root = writeExample()
    const detectors = await loadDetectors([specifier(root)], RESERVED, root)
    expect(detectors.map(({ key }) => key)).toEqual([...own.map(({ key }) => key), 'data-attribute'])
    const ruleset = openRuleset({ folders: [join(root, 'tide', 'rules')], detectors })
    expect(detect(ruleset, buildPage({ html: PAGE })).versions).toEqual({ Tideswell: '7' })
  })

  test.each(ways)('loaded from %s, is seen by scan, lint, test and explain', async (_, specifier) => {
    const cwd = writeExample()
    const how = { cwd, env: { DETECTORS: specifier(cwd), RULES_DIRS: 'tide/rules' } }
    const scan = await project.run('scan', ['--html', 'page.html', '--include', 'versions'], how)
    expect(JSON.parse(scan.stdout)).toMatchObject({ technologies: ['Tideswell'], versions: { Tideswell: '7' } })
    expect(await project.run('rules', ['lint'], how)).toMatchObject({ code: 0, stdout: '' })
    const tested = await project.run('rules', ['test', 'tideswell'], how)
    expect(tested).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('1 rules, 2 pages') })
    const explained = await project.run('rules', ['explain', 'tideswell', '--html', 'page.html'], how)
    expect(explained.stdout).toContain('data-attribute data-tideswell: 1 hit: "v7"')
  })

  test('without it its rule is refused, and the place is named', async () => {
    const how = { cwd: writeExample(), env: { RULES_DIRS: 'tide/rules' } }
    for (const [command, ...args] of [
      ['scan', '--html', 'page.html'],
      ['rules', 'test'],
    ]) {
      const { code, stdout, stderr } = await project.run(command, args, how)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/tideswell\.yaml:4:7 {2}error {2}the key "data-attribute" is unknown {2}unknown-key/)
    }
    expect(await project.run('rules', ['lint'], how)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(':4:7'),
    })
  })

  test('a module that is none stops every command with a sentence', async () => {
    const cwd = writeFolder({ 'page.html': PAGE, 'bad.mjs': 'export const key = 1' })
    for (const [command, ...args] of [
      ['scan', '--html', 'page.html'],
      ['rules', 'lint'],
      ['rules', 'build'],
    ]) {
      const outcome = await project.run(command, args, { cwd, env: { DETECTORS: './bad.mjs' } })
      expect(outcome).toEqual({
        code: 2,
        stdout: '',
        stderr: './bad.mjs: the module has no default export; export a detector or a list of them\n',
      })
    }
  })
})

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
    ['with a key of ours', exporting({ key: "'meta'" }), /there is a detector "meta" already/],
    ['with one key twice', `export default [${detector({})}, ${detector({})}]`, /there is a detector "tide" already/],
    ...reserved.map((key): [string, string, RegExp] => [
      `with the key ${key}`,
      exporting({ key: `'${key}'` }),
      /is reserved/,
    ]),
  ])('%s', async (_, module, message) => {
    const loading = loadDetectors(['./tide.mjs'], RESERVED, writeFolder({ 'tide.mjs': module }))
    await expect(loading).rejects.toThrow(DetectorError)
    await expect(loading).rejects.toThrow(/^\.\/tide\.mjs: /)
    await expect(loading).rejects.toThrow(message)
  })

  test.each([
    ['package', 'no-such-tide', {}],
    ['file', './no-such-tide.mjs', {}],
    ['export', 'tide-places/inner', { 'node_modules/tide-places/package.json': '{ "exports": { ".": "./x.js" } }' }],
  ])('that is not found: %s', async (_, specifier, files) => {
    const loading = loadDetectors([specifier], RESERVED, writeFolder(files))
    await expect(loading).rejects.toThrow(DetectorError)
    await expect(loading).rejects.toThrow(`${specifier}: the module could not be loaded`)
  })

  test('by the library too, named from the working folder', async () => {
    await expect(loadRuleset({ detectors: ['./no-such-tide.mjs'] })).rejects.toThrow(DetectorError)
  })
})

test('a detector that throws while reading costs its own place, and a warning says so', async () => {
  const bad =
    "export default { key: 'tide', about: 'x', family: 'side', word: 'literal', *read() { throw new Error('low water') } }"
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
  expect(verdict).toMatchObject({ builderSlug: 'wordpress', warnings: ['the detector "tide" failed: low water'] })
  expect(verdict.technologies).toContain('Acme')
})
