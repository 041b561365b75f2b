import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { detectors as own } from '../../plugins/index.ts'
import { loadDetectors } from '../../plugins/load.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import { FOUND } from '../../src/engine/rule/clause.ts'
import { detect } from '../../src/index.ts'
import { openRuleset } from '../../src/rules/load/open-ruleset.ts'
import { CLAUSE_KEYS } from '../../src/rules/schema.ts'
import { type BuiltProject, smallProject } from '../support/built-project.ts'
import { documentExample } from '../support/document-examples.ts'
import { writeFolder } from '../support/rule-folder.ts'

const RESERVED = [...CLAUSE_KEYS, FOUND.key]
const MODULE = '{ "type": "module" }'
const PAGE = '<!doctype html><body data-tideswell="v7"><p>High water at noon</p></body>'

/** Writes the example of the README as a package and as a file, with its rule. */
function writeExample(): string {
  const detector = documentExample('detector')
  const rule = 'tide/rules/technologies/javascript-library/tideswell'
  return writeFolder({
    'node_modules/tide-places/package.json': '{ "name": "tide-places", "type": "module", "exports": "./places.js" }',
    'node_modules/tide-places/places.js': detector,
    'tide/package.json': MODULE,
    'tide/data-attribute.js': detector,
    [`${rule}.yaml`]: documentExample('detector-rule'),
    [`${rule}.test.yaml`]: documentExample('detector-rule-test'),
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
    project = smallProject()
  })

  test.each(ways)('loaded from %s, finds what its rule asks for', async (_, specifier) => {
    const root = writeExample()
    const detectors = await loadDetectors([specifier(root)], RESERVED, root)
    expect(detectors.map(({ key }) => key)).toEqual([...own.map(({ key }) => key), 'data-attribute'])
    const ruleset = openRuleset({
      own: join(project.folder, 'rules'),
      folders: [join(root, 'tide', 'rules')],
      detectors,
    })
    expect(detect(ruleset, buildPage({ html: PAGE })).versions).toEqual({ Tideswell: '7' })
  })

  test('loaded from a package, works in scan, lint, test and explain', async () => {
    const how = { cwd: writeExample(), env: { DETECTORS: 'tide-places', RULES_DIRS: 'tide/rules' } }
    const scan = await project.run('scan', ['--html', 'page.html', '--include', 'versions'], how)
    expect(JSON.parse(scan.stdout)).toMatchObject({ technologies: ['Tideswell'], versions: { Tideswell: '7' } })
    expect(await project.run('rules', ['lint'], how)).toMatchObject({ code: 0, stdout: '' })
    const tested = await project.run('rules', ['test', 'tideswell'], how)
    expect(tested).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('1 rule, 2 pages') })
    const explained = await project.run('rules', ['explain', 'tideswell', '--html', 'page.html'], how)
    expect(explained.stdout).toContain('data-attribute data-tideswell: 1 hit: "v7"')
  })

  test('without the detector, its rule is an error that names the place', async () => {
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

  test('an invalid module stops every command with a message', async () => {
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
