import { readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import { ownFolder } from '../../src/rules/built.ts'
import { checkOverlaps } from '../../src/rules/checks/overlap-checks.ts'
import { checkSet } from '../../src/rules/checks/set-checks.ts'
import { listBuiltRules, readBuiltRules } from '../../src/rules/load/built-rules.ts'
import { checkFolders } from '../../src/rules/load/load.ts'
import { type BuiltProject, copyProject, type Outcome, smallProject } from '../support/built-project.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'
import { builder, ownRules, TEST, writeFolder } from '../support/rule-folder.ts'

const places = indexPlaces(detectors)

describe('rules that are restored from the compiled ruleset', () => {
  const { rules, categories } = readBuiltRules(openOwnRuleset().packed, places)

  test('have no error among themselves, as those of the YAML', () => {
    expect(rules.length).toBeGreaterThan(4000)
    expect([...checkSet(rules, categories), ...checkOverlaps(rules)]).toEqual([])
    expect(listBuiltRules(openOwnRuleset().packed)).toEqual(rules.map(({ found }) => found))
  })

  test('have the words and tests of their YAML', () => {
    const names = ['builders/wordpress', 'builders/ghost', 'hosting/vercel', 'technologies/analytics/hotjar']
    const categories = readFileSync(join(ownFolder, 'categories.yaml'), 'utf8')
    const folder = writeFolder({ ...ownRules('rules', ...names), 'rules/categories.yaml': categories })
    const copies = checkFolders({ folders: [join(folder, 'rules')], detectors }).rules.map((rule) => ({
      ...rule,
      found: { ...rule.found, slug: `${rule.found.slug}-again` },
    }))
    const slugs = names.map((name) => basename(name))
    const originals = rules.filter(({ found }) => slugs.includes(found.slug))
    const overlaps = checkOverlaps([...originals, ...copies]).map(({ sentence }) => sentence)
    const words = copies.flatMap(({ source, found }) =>
      (source?.detect ?? []).flatMap((clause) => {
        const key = Object.keys(clause).find((name) => places.has(name))
        return key === undefined
          ? []
          : [clause[key]].flat().map((word) => `"${word}" is also a word of ${found.slug.replace('-again', '')},`)
      }),
    )
    expect(words.length).toBeGreaterThan(30)
    expect(words.filter((word) => !overlaps.some((sentence) => sentence.startsWith(word)))).toEqual([])
  })
})

describe('a package, which has its rules only compiled', () => {
  let project: BuiltProject
  let cwd: string
  beforeAll(() => {
    project = copyProject(smallProject())
    rmSync(join(project.folder, 'rules'), { recursive: true })
    const own = (name: string, more = ''): string => builder('', more).replaceAll('acme', name).replace('Acme', name)
    cwd = writeFolder({
      'rules/builders/acme.yaml': builder('', 'implies: wordpress\n'),
      'rules/builders/acme.test.yaml': TEST,
      'taken/builders/wordpress.yaml': own('press'),
      'taken/builders/wordpress.test.yaml': TEST.replaceAll('acme', 'press'),
      'taken/builders/press.yaml': own('press', 'implies: wordpres\n')
        .replace('name: press', 'name: WordPress')
        .replace('  - url: press.com\n', '  - url: press.com\n  - asset: /wp-content/\n'),
      'taken/builders/press.test.yaml': TEST.replaceAll('acme', 'press'),
      'empty/README.md': 'text',
    })
  })
  const rules = (args: readonly string[]): Promise<Outcome> => project.run('rules', args, { cwd })

  test.each([
    [['lint', '--strict'], '', '1 rule: no problems found\n'],
    [['test', '--strict'], '', '1 rule, 2 pages: no problems found\n'],
    [['test', 'rules'], '', '1 rule, 2 pages: no problems found\n'],
    [['test', 'builder/acme'], '', '1 rule, 2 pages: no problems found\n'],
    [['explain', 'acme', '--hit', '1'], 'builder acme (Acme)\n', ''],
    [['show', 'wordpress'], 'builder wordpress (WordPress)\n  comes with the package', ''],
    [['list', '--kind', 'builder'], 'builder  wordpress', '2 rules\n'],
  ])('reads the folder rules of the working folder: %j', async (args, stdout, stderr) => {
    const outcome = await rules(args)
    expect({ ...outcome, stdout: outcome.stdout.slice(0, stdout.length) }).toMatchObject({ code: 0, stdout })
    expect(outcome.stderr).toBe(stderr)
  })

  test('compares rules with those of the package', async () => {
    const { code, stdout } = await rules(['lint', 'taken'])
    const lines = stdout.trimEnd().split('\n')
    expect(code).toBe(1)
    expect(lines).toEqual(
      expect.arrayContaining([
        'taken/builders/press.yaml:1:7  error  the name WordPress is already used by siteprint:builders/wordpress.yaml  duplicate-name',
        'taken/builders/press.yaml:7:12  error  "/wp-content/" is also a word of wordpress, which would fire on the same pages: relate the two rules, or find another mark  overlap',
        'taken/builders/press.yaml:10:10  error  no builder or technology has the slug "wordpres"; did you mean "wordpress"?  unknown-slug',
        'taken/builders/wordpress.yaml:1:1  error  the slug wordpress is already used by siteprint:builders/wordpress.yaml  duplicate-slug',
      ]),
    )
  })

  test.each([
    [['lint', 'empty'], 'there are no rules here: name a folder of rules, or make one with npm run -s rules -- init'],
    [['test', 'empty'], 'there are no rules here: name a folder of rules, or make one with npm run -s rules -- init'],
    [['diff'], 'diff works on the rules of Siteprint, which a package has only compiled: use a checkout'],
    [['build'], 'build works on the rules of Siteprint, which a package has only compiled: use a checkout'],
    [
      ['explain', 'wordpress', '--hit', '1'],
      'the tests of builder/wordpress are not part of the package: name another page',
    ],
    [['rename', 'wordpress', 'wp'], 'builder/wordpress comes with the package: only your rules can be renamed'],
    [['lint', '--sarif', 'none/x.sarif'], '--sarif: there is no folder "none": create it first'],
  ])('says what it cannot do: %j', async (args, message) => {
    const { code, stderr } = await rules(args)
    expect({ code, stderr }).toEqual({ code: 2, stderr: `${message}\nRun with --help for usage.\n` })
  })
})
