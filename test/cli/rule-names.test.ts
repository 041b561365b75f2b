import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { builder, type Files, TEST, technology, writeFolder } from '../support/rule-folder.ts'

const named = (name: string, rule: string): string =>
  rule
    .replaceAll('Acme', name)
    .replaceAll('acme.com', `${name.toLowerCase()}.com`)
    .replace('category: cms', 'category: blog')
const tests = (name: string): string => TEST.replaceAll('acme', name)
/** A rule with one finding, a needless weight, which `--fix` corrects. */
const heavy = (name: string): string => named(name, builder(`{ script: /${name}-kiln.js, weight: strong }`))
const FILES: Files = {
  'mine/builders/acme.yaml': named('Acme', builder()),
  'mine/builders/acme.test.yaml': tests('acme'),
  'mine/builders/beta.yaml': heavy('Beta'),
  'mine/builders/beta.test.yaml': tests('beta'),
  'mine/builders/zeta.yaml': heavy('Zeta'),
  'mine/builders/zeta.test.yaml': tests('zeta'),
  'mine/technologies/analytics/glaze.yaml': named('Glaze', technology('{ script: /glaze-kiln.js, weight: strong }')),
  'mine/technologies/analytics/glaze.test.yaml': tests('glaze'),
  'headers.json': '{ "x-kilnwork-zone": "a1" }',
  'page.html': '<meta name="generator" content="Kilnwork 2.4"><script src="https://cdn.kilnwork.io/k.js"></script>',
}
/** A hosting rule that has the slug of a builder. */
const SHARED: Files = {
  'mine/hosting/beta.yaml': named('Beta', technology()).replaceAll('beta.com', 'beta.net'),
  'mine/hosting/beta.test.yaml': tests('beta').replaceAll('beta.com', 'beta.net'),
}

let project: BuiltProject
beforeAll(() => {
  project = smallProject()
})

/** Runs `rules` in a folder of rules, which `RULES_DIRS` names too. */
async function run(args: readonly string[], more: Files = {}): Promise<Outcome & { readonly cwd: string }> {
  const cwd = writeFolder({ ...FILES, ...more })
  const outcome = await project.run('rules', args, { cwd, env: { RULES_DIRS: 'mine' } })
  return { ...outcome, cwd }
}
/** Lists the files that findings are about. */
const listFiles = ({ stdout }: Outcome): string[] => [...new Set(stdout.match(/^[^:\n]+(?=:\d)/gm))]
/** Names of two rules, with the kind, slug and file of the rule. */
const NAMES = [
  ...['acme', 'builder/acme', 'builders/acme', 'mine/builders/acme.yaml', './mine/builders/acme.test.yaml'].map(
    (name) => [name, 'builder', 'acme', 'mine/builders/acme.yaml'] as const,
  ),
  ...['glaze', 'technology/glaze', 'mine/technologies/analytics/glaze.yaml'].map(
    (name) => [name, 'technology', 'glaze', 'mine/technologies/analytics/glaze.yaml'] as const,
  ),
]

describe.each(NAMES)('%s names the %s %s', (name, kind, slug, file) => {
  test('in lint, which reports the findings of this rule alone', async () => {
    const broken = { [file]: FILES[file].replace(/^detect:/m, 'dettect: 1\ndetect:') }
    const outcome = await run(['lint', name], {
      ...broken,
      'mine/builders/zeta.yaml': heavy('Zeta').replace('name:', 'nmae:'),
    })
    expect({ code: outcome.code, files: listFiles(outcome) }).toEqual({ code: 1, files: [file] })
    expect(outcome.stderr).toMatch(/^1 rule: \d findings?/)
  })

  test('in show', async () => {
    expect((await run(['show', name])).stdout).toContain(`${kind} ${slug}`)
  })
})

// All of these read a name like the two above.
describe.each([NAMES[1], NAMES[NAMES.length - 1]])('%s names the %s %s', (name, kind, slug, file) => {
  test('in lint, whose code is 0 if only other rules have errors', async () => {
    const rule = { [file]: named(kind === 'builder' ? 'Acme' : 'Glaze', kind === 'builder' ? builder() : technology()) }
    const { code, stdout, stderr } = await run(['lint', name], {
      ...rule,
      'mine/builders/zeta.yaml': heavy('Zeta').replace('name:', 'nmae:'),
    })
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '1 rule: no problems found\n' })
  })

  test('in test', async () => {
    expect((await run(['test', name])).stderr).toMatch(/^1 rule, 2 pages: /)
  })

  test('in explain', async () => {
    const { code, stdout } = await run(['explain', name, '--hit', '1'])
    expect({ code, rules: stdout.match(/^\S.*$/gm) }).toEqual({
      code: 0,
      rules: [`${kind} ${slug} (${slug === 'acme' ? 'Acme' : 'Glaze'})`],
    })
  })

  test('in rename', async () => {
    const { code, stdout, cwd } = await run(['rename', name, 'raku'])
    const renamed = file.replace(`${slug}.yaml`, 'raku.yaml')
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${file} → ${renamed}\n` })
    expect([file, renamed].map((one) => existsSync(join(cwd, one)))).toEqual([false, true])
  })
})

describe('lint with names', () => {
  test.each<[names: string[], files: string[], rules: string]>([
    [['beta', 'zeta'], ['mine/builders/beta.yaml', 'mine/builders/zeta.yaml'], '2 rules'],
    [['beta', 'mine/builders/zeta.yaml'], ['mine/builders/beta.yaml', 'mine/builders/zeta.yaml'], '2 rules'],
    [['beta', 'builder/beta', 'mine/builders/beta.yaml'], ['mine/builders/beta.yaml'], '1 rule'],
    [['glaze'], ['mine/technologies/analytics/glaze.yaml'], '1 rule'],
  ])('%j', async (names, files, rules) => {
    const outcome = await run(['lint', ...names])
    expect(listFiles(outcome)).toEqual(files)
    expect(outcome.stderr).toMatch(`${rules}: `)
  })

  test('of a slug that two rules have checks both, and one of them by its kind', async () => {
    const broken = { ...SHARED, 'mine/hosting/beta.yaml': SHARED['mine/hosting/beta.yaml'].replace('name:', 'nmae:') }
    const of = async (name: string): Promise<string[]> => listFiles(await run(['lint', name], broken))
    expect(await of('beta')).toEqual(['mine/builders/beta.yaml', 'mine/hosting/beta.yaml'])
    expect(await of('hosting/beta')).toEqual(['mine/hosting/beta.yaml'])
    expect(await of('builder/beta')).toEqual(['mine/builders/beta.yaml'])
  })

  test('--fix changes this rule alone', async () => {
    const { code, stdout, stderr, cwd } = await run(['lint', '--fix', 'beta'])
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: 'mine/builders/beta.yaml fixed\n1 rule: no problems found\n',
    })
    const isHeavy = (name: string): boolean =>
      readFileSync(join(cwd, `mine/builders/${name}.yaml`), 'utf8').includes('weight: strong')
    expect(['beta', 'zeta'].map(isHeavy)).toEqual([false, true])
  })

  test('a folder goes before a rule of its name', async () => {
    const files = { 'acme/builders/gamma.yaml': heavy('Gamma'), 'acme/builders/gamma.test.yaml': tests('gamma') }
    expect(listFiles(await run(['lint', 'acme'], files))).toContain('acme/builders/gamma.yaml')
  })

  test('a file without the end of a rule does not', async () => {
    expect((await run(['lint', 'acme'], { acme: '' })).stderr).toBe('1 rule: no problems found\n')
  })
})

test.each<[verb: string, args: string[], sentence: string]>([
  ['lint', ['acm'], 'there is no rule "acm"; did you mean "acme"?'],
  ['lint', ['builder/acm'], 'there is no builder "acm"; did you mean "acme"?'],
  ['lint', ['hosting/acme'], 'there is no hosting "acme"'],
  ['lint', ['my rules'], 'there is no rule, file or folder "my rules"'],
  ['lint', ['mine/builders/none.yaml'], 'there is no file "mine/builders/none.yaml"'],
  ['test', ['acm'], 'there is no rule "acm"; did you mean "acme"?'],
  ['explain', ['acm', '--hit', '1'], 'there is no rule "acm"; did you mean "acme"?'],
  ['rename', ['acm', 'raku'], 'there is no rule "acm"; did you mean "acme"?'],
  ['rename', ['beta', 'raku'], 'several rules have the slug beta: write builder/beta or hosting/beta'],
  ['explain', ['beta', '--hit', '1'], 'several rules have the slug beta: write builder/beta or hosting/beta'],
])('rules %s %j is rejected', async (verb, args, sentence) => {
  const { code, stdout, stderr } = await run([verb, ...args], SHARED)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(sentence)
})

describe('new', () => {
  test.each<[name: string, file: string]>([
    ['mine/builders/kilnwork.yaml', 'mine/builders/kilnwork'],
    ['./mine/builders/kilnwork.test.yaml', 'mine/builders/kilnwork'],
    ['mine/hosting/kilnwork.yaml', 'mine/hosting/kilnwork'],
    ['mine/technologies/analytics/kilnwork.yaml', 'mine/technologies/analytics/kilnwork'],
  ])('writes %s', async (name, file) => {
    const pages = ['--html', 'page.html', '--headers', 'headers.json']
    const { code, stdout, stderr } = await run(['new', name, ...pages])
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: `${file}.yaml\n${file}.test.yaml\n` })
  })

  test.each<[args: string[], sentence: string]>([
    [['mine/builders/acme.yaml'], 'the slug acme is already used by mine/builders/acme.yaml'],
    [['none/builders/kilnwork.yaml'], 'there is no folder "none"'],
    [['mine/kilnwork.yaml'], '"mine/kilnwork.yaml" is not in a rule folder'],
    [['mine/technologies/kilnwork.yaml'], '"mine/technologies/kilnwork.yaml" is not in a rule folder'],
    [['mine/builders/Kilnwork.yaml'], '"Kilnwork" is not a slug'],
    [['./mine/builders/kilnwork'], '"./mine/builders/kilnwork" is not a rule: the name of a rule ends in .yaml'],
    [
      ['mine/technologies/map/kilnwork.yaml', '--category', 'font'],
      'two categories are given: map and --category font',
    ],
    [['mine/technologies/none/kilnwork.yaml'], 'there is no technology category "none"'],
    [['mine/builders/kilnwork.yaml', '--in', 'mine'], '--in cannot be combined with the path of a rule'],
  ])('%j is rejected', async (args, sentence) => {
    const { code, stdout, stderr } = await run(['new', ...args, '--html', 'page.html'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(sentence)
  })
})
