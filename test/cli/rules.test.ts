import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { packRuleset, Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { openRulesetFile } from '../../src/engine/lookup/ruleset-file.ts'
import { writeBuilt } from '../../src/rules/built.ts'
import { type BuiltProject, copyProject, type Outcome, smallProject } from '../support/built-project.ts'
import { documentExample } from '../support/document-examples.ts'
import { builder, ownRules, TEST, technology, writeFolder } from '../support/rule-folder.ts'

let project: BuiltProject
let cwd: string
beforeAll(() => {
  project = smallProject()
  const faulty = builder('{ scirpt: /a.js }').replace('2026-11-20', 'today')
  cwd = writeFolder({
    'sound/builders/acme.yaml': builder().replace('cms', 'blog'),
    'sound/builders/acme.test.yaml': TEST,
    'faulty/builders/acme.yaml': faulty,
    'faulty/builders/acme.test.yaml': TEST,
    'failing/builders/acme.yaml': builder('tide: high'),
    'failing/builders/acme.test.yaml': TEST.replace('high', 'low'),
    'shy/site-types/acme.yaml': technology().replace('url: acme.com', 'url: [acme.com, acme.org]'),
    'shy/site-types/acme.test.yaml': TEST.replace('confidence: high', 'words: true'),
    'dry.mjs':
      "export default { key: 'tide', about: 'x', family: 'side', word: 'literal', *read() { throw new Error('no water') } }",
    ...ownRules('known', 'hosting/netlify'),
    'loose.yaml': builder(),
    'headers.json': '{ "X-NF-Request-ID": "01J" }',
    'page.html': '<!doctype html><meta name="generator" content="Pagekiln 2.5"><link href="//acme.com/">',
  })
})

const rules = (args: readonly string[], RULES_DIRS = ''): Promise<Outcome> =>
  project.run('rules', args, { cwd, env: { RULES_DIRS } })
const findings = [
  'faulty/builders/acme.yaml:7:7  error  the key "scirpt" is unknown; did you mean "script"?  unknown-key',
  'faulty/builders/acme.yaml:9:11  error  verified must be a day that exists, YYYY-MM-DD  bad-value',
]

describe('lint', () => {
  test('of valid rules reports no problems, and nothing on stdout', async () => {
    const { code, stdout, stderr } = await rules(['lint', 'sound'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toMatch(/^\d+ rules: no problems found\n$/)
  })

  test.each([
    ['as an argument', ['lint', 'faulty'], ''],
    ['of RULES_DIRS', ['lint'], 'faulty'],
    ['both, once', ['lint', './faulty/'], 'faulty'],
  ])('reports every finding of a folder: %s', async (_, args, folders) => {
    const { code, stdout, stderr } = await rules(args, folders)
    expect({ code, lines: stdout.trimEnd().split('\n') }).toEqual({ code: 1, lines: findings })
    expect(stderr).toMatch(/^\d+ rules: 2 findings\n$/)
  })
})

describe('a ruleset with errors is rejected, and every finding is reported on stderr', () => {
  test.each([
    ['rules', ['test']],
    ['scan', ['--batch', 'page.html']],
  ])('%s %j', async (command, args) => {
    const { code, stdout, stderr } = await project.run(command, args, { cwd, env: { RULES_DIRS: 'faulty' } })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe(`${findings.join('\n')}\n2 findings in the rules: nothing was loaded\n`)
  })
})

describe('test', () => {
  test('with a slug runs only its pages', async () => {
    const expected = { code: 0, stdout: '', stderr: '1 rule, 2 pages: no problems found\n' }
    expect(await rules(['test', 'acme'], 'sound')).toEqual(expected)
  })

  test('reports the actual result of a page, and a detector that failed, once', async () => {
    const options = { cwd, env: { RULES_DIRS: 'failing', DETECTORS: './dry.mjs' } }
    const { code, stdout, stderr } = await project.run('rules', ['test', 'acme'], options)
    expect(code).toBe(1)
    expect(stderr).toBe('the detector "tide" failed: no water\n1 rule, 2 pages: 2 findings\n')
    const [unproven, differs, ...others] = stdout.split('\n').sort().reverse()
    expect([differs, others]).toEqual([
      'failing/builders/acme.test.yaml:2:53  error  the hit expects confidence low, but this page gives high: 6 points from { url: acme.com }; to see why, run npm run -s rules -- explain failing/builders/acme.yaml --hit 1  hit-differs',
      [''],
    ])
    expect(unproven).toMatch(/^failing\/builders\/acme\.yaml:\d+:\d+ {2}error .* {2}unproven-clause$/)
  })

  test.each([
    [['test', 'acme'], 0, 'warning', '1 finding, only warnings'],
    [['test', 'acme', '--strict'], 1, 'error', '1 finding'],
  ])('a warning is an error with --strict: %j', async (args, code, level, counted) => {
    const sentence = 'no hit of this rule shows "acme.org": add it to one, or remove it'
    const stdout = `shy/site-types/acme.yaml:4:21  ${level}  ${sentence}  unproven-word\n`
    expect(await rules(args, 'shy')).toEqual({ code, stdout, stderr: `1 rule, 2 pages: ${counted}\n` })
  })
})

describe('build', () => {
  test('writes the ruleset, its cases and the schemas; a start then reads no YAML until it is edited', async () => {
    const project = copyProject(smallProject())
    const { code, stdout, stderr } = await project.run('rules', ['build'], { cwd })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    const [, version] = /^Built \d+ rules, version (\w+)\n$/.exec(stderr) ?? []
    const read = (name: string) => JSON.parse(readFileSync(join(project.folder, 'dist', name), 'utf8'))
    expect([read('ruleset.json').version, read('conformance.json').version]).toEqual([version, version])
    expect(read('schemas/builder.json').definitions.clause.properties.meta).toBeDefined()
    expect(read('schemas/slugs.json').definitions.product.enum).toContain('wordpress')
    const built = join(project.folder, 'dist', 'ruleset.bin')
    const { origin, ...packed } = openRulesetFile(new Uint8Array(readFileSync(built)).buffer)
    const { rules, categories } = new Ruleset(packed, detectors)
    const changed = rules.map((rule) => ({ ...rule, name: 'Read from the build' }))
    writeBuilt(built, packRuleset({ version: packed.version, categories, rules: changed }, detectors), origin)
    writeFileSync(join(cwd, 'press.html'), '<meta name="generator" content="WordPress 6.6">')
    const names = async () => JSON.parse((await project.run('scan', ['--html', 'press.html'], { cwd })).stdout).builder
    expect(await names()).toBe('Read from the build')
    const rule = join(project.folder, 'rules', 'builders', 'wordpress.yaml')
    writeFileSync(rule, readFileSync(rule, 'utf8').replace('name: WordPress', 'name: Read from the YAML'))
    expect(await names()).toBe('Read from the YAML')
  })
})

describe('wrong usage is reported in a sentence', () => {
  test.each([
    [
      [],
      'missing verb: use one of init, lint, test, dev, build, explain, fit, list, search, show, stats, new, diff, gaps, import, rename',
    ],
    [
      ['lnt'],
      'unknown verb "lnt"; did you mean "lint"? Use one of init, lint, test, dev, build, explain, fit, list, search, show, stats, new, diff, gaps, import, rename',
    ],
    [['lint', '--fx'], 'Unknown option \'--fx\'; did you mean "--fix"?'],
    [['lint', '--zzzzzz'], "Unknown option '--zzzzzz': use --strict, --format, --sarif, --fix, --timeout"],
    [['lint', '--format', 'xml'], '--format: there is no format "xml": use one of text, json, github, sarif'],
    [['stats', '--json'], '--json cannot be used with stats: it takes no options'],
    [['lint', '--timeout', 'soon'], '--timeout must be a number of seconds'],
    [['lint', '--timeout', '0'], '--timeout must be a number of seconds'],
    [['build', '--strict'], '--strict cannot be used with build'],
    [['build', '--timeout', '5'], '--timeout cannot be used with build'],
    [['lint', 'none'], 'there is no rule "none"'],
    [['lint', 'a/b/none'], 'there is no rule, file or folder "a/b/none"'],
    [['lint', 'page.html'], '"page.html" is not a rule: the name of a rule ends in .yaml'],
    [['lint', 'none.yaml'], 'there is no file "none.yaml"'],
    [['lint', 'loose.yaml'], '"loose.yaml" is not in a rule folder, which has the folders builders, hosting, '],
    [['test', 'wordpres'], 'there is no rule "wordpres"; did you mean "wordpress"?'],
    [['test', 'builder/wordpres'], 'there is no builder "wordpres"; did you mean "wordpress"?'],
    [['lint', '--url', 'x'], '--url cannot be used with lint: use --strict, --format, --sarif, --fix, --timeout'],
    [
      ['list', '--category', 'site-builder'],
      'did you mean "website-builder"? Use one of ai-builder, website-builder, ',
    ],
    [
      ['list', '--kind', 'technology', '--category', 'website-builder'],
      'there is no technology category "website-builder", which is a builder category',
    ],
    [
      ['lint', '--html', 'page.html'],
      '--html cannot be used with lint: use --strict, --format, --sarif, --fix, --timeout',
    ],
    [['test', 'no-such-rule'], 'there is no rule "no-such-rule"'],
    [['build', 'dist'], 'build takes no argument'],
    [
      ['list', '--kind', 'site'],
      'there is no kind "site": use one of builder, hosting, response, site-type, technology',
    ],
    [['list', '--category', 'cmss'], 'there is no category "cmss"; did you mean "cms"? Use one of ai-builder, '],
    [['list', '--category', 'zzz'], 'there is no category "zzz": use one of ai-builder, '],
    [['search', ' '], 'search needs a text that is not empty'],
    [['show', 'wordpres'], 'there is no rule "wordpres"; did you mean "wordpress"?'],
    [['rename', 'builder/wordpress'], 'rename takes <rule> <new slug>'],
    [['explain'], 'explain needs the slug of a rule, or --all'],
    [['explain', 'wordpress'], 'explain needs a page: a URL, --html FILE, --har FILE, --hit N or --miss N'],
    [['explain', 'wordpress', 'a', 'b', '--html', 'page.html'], 'explain takes [slug] [url]'],
    [['explain', 'wordpress', 'ghost', '--html', 'page.html'], '"ghost" cannot be combined with --html: name one page'],
    [['explain', 'https://acme.com', 'wordpress'], '"https://acme.com" is not a slug: write the slug before the URL'],
    [['explain', 'wordpress', 'acme.com'], '"acme.com" is not an http or https URL'],
    [['explain', '--all', '--hit', '1'], '--hit needs the slug of its rule'],
    [['explain', 'wordpress', '--hit', '1', '--miss', '1'], '--hit cannot be combined with --miss: name one page'],
    [['explain', 'wordpress', '--hit', '99'], 'hits: --hit 99 does not exist'],
    [['explain', 'wordpress', '--hit', '1', '--html', 'page.html'], '--hit names a page of the tests'],
    [['explain', 'wordpress', '--url', 'https://acme.com'], '--url describes a saved page: use it with --html FILE'],
    [['explain', 'hosting/wordpress', '--hit', '1'], 'there is no hosting "wordpress"'],
    [['diff', 'a', 'b'], 'diff takes [git-ref]'],
    [['diff', '--format', 'xml'], '--format: there is no format "xml": use one of text, json, markdown'],
    [['diff', '--pages', 'pages.csv'], 'must end in .jsonl, .warc (both also .gz), .har or .html'],
    [['diff', '--pages', 'none.jsonl'], '--pages: there is no file "none.jsonl"'],
    [['explain', 'wordpres', '--html', 'page.html'], 'there is no rule "wordpres"; did you mean "wordpress"?'],
    [['explain', 'wordpress', '--html', 'none.html'], '--html: there is no file "none.html"'],
    [
      ['explain', 'wordpress', '--html', 'page.html', '--headers', 'sound'],
      '--headers: "sound" is a folder, not a file',
    ],
    [
      ['explain', 'wordpress', '--html', 'page.html', '--url', 'ftp://acme.com/'],
      '--url must be an absolute http or https URL',
    ],
    [['explain', 'wordpress', '--html', 'page.html', '--headers', 'page.html'], 'page.html is not valid JSON'],
  ])('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await rules(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(sentence)
    expect(stderr).not.toMatch(/^ +at /m)
  })
})

// docs.system.ts checks the same rule together with all rules of the project.
test('the rule of the README lints, holds, and is seen in a scan and explained clause by clause', async () => {
  const page = join(writeFolder({ 'pottery.html': documentExample('page') }), 'pottery.html')
  const folder = writeFolder({
    'builders/pagekiln.yaml': documentExample('rule'),
    'builders/pagekiln.test.yaml': documentExample('rule-test'),
  })
  expect(await rules(['lint'], folder)).toMatchObject({ code: 0, stdout: '' })
  expect(await rules(['test', 'pagekiln'], folder)).toMatchObject({ code: 0, stdout: '' })
  const options = { cwd, env: { RULES_DIRS: folder } }
  const scan = await project.run('scan', ['--html', page, '--include', 'versions'], options)
  expect(JSON.parse(scan.stdout)).toMatchObject({ builder: 'Pagekiln', versions: { Pagekiln: '2.5' } })
  const { code, stdout } = await rules(['explain', 'pagekiln', '--html', page], folder)
  expect(stdout).toBe(documentExample('explain'))
  const lines = stdout.split('\n')
  expect({ code, first: lines[0] }).toEqual({ code: 0, first: 'builder pagekiln (Pagekiln)' })
  expect(lines[1]).toMatch(/^ {2}✓ strong declared: /)
  expect(lines[2]).toBe('      meta generator: 1 hit: "Pagekiln 2.5"')
  expect(lines[3]).toMatch(/^ {2}✗ strong loaded: /)
  expect(lines.at(-2)).toBe('  6 points: high; part of the result')
})

// explain.test.ts tests explanations without the command.
test('explain reads the headers of a saved page', async () => {
  const args = ['explain', 'netlify', '--html', 'page.html', '--headers', 'headers.json']
  const { code, stdout } = await rules(args, 'known')
  expect(code).toBe(0)
  expect(stdout).toMatch(/✓ strong .*\n {6}header x-nf-request-id: 1 hit: "01J"\n/)
})

test('--help', async () => {
  const { code, stdout, stderr } = await rules(['--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const text of ['lint', 'test', 'build', 'explain', 'rename', 'RULES_DIRS', 'Exit code'])
    expect(stdout).toContain(text)
})
