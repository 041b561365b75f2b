import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { CATEGORIES, findingsOf, TEST, technology, writeFolder } from '../support/rule-folder.ts'

let project: BuiltProject
beforeAll(() => {
  project = smallProject()
})

const kiln = `name: Kiln
website: https://kiln.example
category: cms
aiNative: false
implies: glaze
detect:
  - url: [.kiln.com, docs.*]
  - { script: cdn.kiln.com/fire.js, from: other }
  - all:
      - { element: '[data-kiln]', attr: data-kiln, has: oven, atLeast: 2 }
      - { not: { size: words, atLeast: 60 } }
    weight: medium
  - { of: [{ text: Kiln one, case: exact }, { text: Kiln two }], atLeast: 2 }
source: [https://kiln.example/docs, https://kiln.example/help]
verified: 2026-02-03
`
const GLAZED = 'html: "<script src=//cdn.glaze.com/x.js></script>\\n<p>\\n1\\n2\\n3", url:'
/** A test whose hit also fires `glaze`, and the given rules. */
const glazed = (also: string, host = 'shop.kiln.com'): string =>
  TEST.replace('acme.com', host).replace('url:', GLAZED).replace('high }', `high, also: ${also} }`)
const files = {
  'rules/categories.yaml': CATEGORIES,
  'rules/builders/kiln.yaml': kiln,
  'rules/builders/kiln.test.yaml': glazed('glaze'),
  'rules/technologies/analytics/glaze.yaml': technology('script: cdn.glaze.com')
    .replaceAll('acme.com', 'glaze.com')
    .replace('Acme', 'Glaze'),
  'rules/technologies/analytics/glaze.test.yaml': TEST.replace('acme.com', 'glaze.com'),
  'rules/site-types/oven.yaml': technology('{ found: [kiln, glaze] }').replace('url: acme.com', 'url: oven.com'),
  'rules/site-types/oven.test.yaml': TEST.replace('acme.com', 'oven.com').replace('confidence: high', 'words: true'),
}
const run = (args: readonly string[], changed: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
  project.run('rules', args, { cwd: writeFolder({ ...files, ...changed }), env: { RULES_DIRS: 'rules' } })
const linesOf = ({ stdout }: Outcome): string[] => stdout.trimEnd().split('\n')

const ownRule = readFileSync(join(projectFolder(), 'rules', 'builders', 'wordpress.yaml'), 'utf8')
const [, ownDate] = /^verified: (\S+)$/m.exec(ownRule) ?? []

describe('list', () => {
  const rows = {
    kiln: 'builder     kiln       Kiln       cms        2026-02-03',
    wordpress: `builder     wordpress  WordPress  cms        ${ownDate}`,
    glaze: 'technology  glaze      Glaze      analytics  2026-11-20',
    oven: 'site-type   oven       Acme                  2026-11-20',
  }
  test.each([
    ['all', [], Object.keys(rows).sort()],
    ['a kind', ['--kind', 'builder'], ['kiln', 'wordpress']],
    ['the folder of a kind', ['--kind', 'site-types'], ['oven']],
    ['a category of builders', ['--category', 'cms'], ['kiln', 'wordpress']],
    ['a category of technologies', ['--category', 'analytics'], ['glaze']],
    ['a kind and a category', ['--kind', 'technology', '--category', 'analytics'], ['glaze']],
  ])('%s', async (_, args, expected) => {
    const outcome = await run(['list', ...args])
    const slugs = linesOf(outcome).flatMap((line) => line.split(/ +/)[1] ?? [])
    expect({ code: outcome.code, slugs: slugs.sort() }).toEqual({ code: 0, slugs: expected })
    expect(outcome.stderr).toBe(`${expected.length} ${expected.length === 1 ? 'rule' : 'rules'}\n`)
  })

  test('a category of another kind is an error that names it', async () => {
    const { code, stderr } = await run(['list', '--kind', 'technology', '--category', 'cms'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('category "cms", which is a builder category')])
  })

  test('is a table', async () => {
    expect(linesOf(await run(['list'])).sort()).toEqual(Object.values(rows).sort())
  })

  test('--json prints one object per line', async () => {
    const outcome = await run(['list', '--json', '--kind', 'site-type'])
    expect(linesOf(outcome).map((line) => JSON.parse(line))).toEqual([
      {
        kind: 'site-type',
        slug: 'oven',
        name: 'Acme',
        category: null,
        verified: '2026-11-20',
        file: 'rules/site-types/oven.yaml',
      },
    ])
  })
})

describe('search finds', () => {
  const file = 'rules/builders/kiln.yaml'
  test.each([
    ['a slug', 'kiln', 'slug', `${file}:1:1  builder kiln  slug: kiln`],
    ['a name, whatever its case', 'KILN', 'name', `${file}:1:7  builder kiln  name: Kiln`],
    ['a word', 'data-kiln', 'element', `${file}:10:20  builder kiln  element: [data-kiln]`],
    ['a test', 'oven', 'has', `${file}:10:57  builder kiln  has: oven`],
    ['a relation', 'glaze', 'implies', `${file}:5:10  builder kiln  implies: glaze`],
    [
      'a source in a list',
      'kiln.example/help',
      'source',
      `${file}:14:37  builder kiln  source: https://kiln.example/help`,
    ],
    ['the locator of a host', 'cdn.kiln.com', 'script', `${file}:8:15  builder kiln  script: cdn.kiln.com/fire.js`],
    ['the subdomains that contain a host', 'a.b.kiln.com', 'url', `${file}:7:11  builder kiln  url: .kiln.com`],
    ['the beginning of a host', 'docs.anyone.com', 'url', `${file}:7:22  builder kiln  url: docs.*`],
    [
      'the locator of a URL',
      'https://cdn.kiln.com/fire.js?v=2',
      'script',
      `${file}:8:15  builder kiln  script: cdn.kiln.com/fire.js`,
    ],
  ])('%s', async (_, text, key, line) => {
    const outcome = await run(['search', text])
    expect(outcome.code).toBe(0)
    expect(linesOf(outcome).filter((found) => found.includes(`builder kiln  ${key}: `))).toEqual([line])
  })

  test.each([
    ['a path that no locator covers', 'https://cdn.kiln.com/ice.js', ['url: .kiln.com']],
    ['a host that is not below another', 'kilns.com', []],
    ['a part of a host in a place without locators', 'x.kiln.example', []],
    ['a text that no rule contains', 'raku', []],
  ])('nothing else for %s', async (_, text, expected) => {
    const outcome = await run(['search', text])
    expect(linesOf(outcome).flatMap((line) => line.split('  ')[2] ?? [])).toEqual(expected)
    expect(outcome.stderr).toBe(`${expected.length === 1 ? '1 match in 1 rule' : '0 matches in 0 rules'}\n`)
  })
})

test('show describes a rule in words', async () => {
  const { code, stdout } = await run(['show', 'kiln'])
  expect({ code, text: stdout }).toEqual({
    code: 0,
    text: `builder kiln (Kiln)
  file: rules/builders/kiln.yaml
  website: https://kiln.example
  category: cms
  created by a model: no
  fires on:
    6 points  the final URL of the page under .kiln.com or docs.*  (strong, address)
    6 points  the URL of a script under cdn.kiln.com/fire.js, of another site  (strong, loaded)
    3 points  all of: an element matching [data-kiln], whose attribute data-kiln contains oven, at least 2 times; not (the amount of words, at least 60)  (medium, markup)
     1 point  at least 2 of: the visible text containing Kiln one, in exactly this case; the visible text containing Kiln two  (weak, content)
  implies: glaze
  source: https://kiln.example/docs
  source: https://kiln.example/help
  verified: 2026-02-03
  tests: 1 hit, 1 miss
`,
  })
  expect((await run(['show', 'glaze'])).stdout).toContain('\n  implied by: kiln\n')
})

test('stats counts rules, clauses and pages', async () => {
  const rule = readFileSync(join(project.folder, 'rules', 'builders', 'wordpress.yaml'), 'utf8')
  expect(rule).toContain('category: cms')
  const { stdout } = await run(['stats'])
  const [head, ...lines] = stdout.trimEnd().split('\n')
  expect([head, ...lines.slice(0, 5)]).toEqual([
    '4 rules',
    '  builder: 2',
    '    cms: 2',
    '  site-type: 1',
    '  technology: 1',
    '    analytics: 1',
  ])
  expect(lines[5]).toMatch(/^\d+ clauses: \d+ medium, \d+ strong, 2 weak$/)
  expect(lines[6]).toMatch(/^\d+ test pages: \d+ hits, \d+ misses$/)
  expect(lines.slice(7)).toEqual(['oldest verified: 2026-02-03 (builder kiln)'])
})

describe('rename', () => {
  const shared = {
    'rules/builders/kiln.test.yaml': glazed('[glaze, kiln]'),
    'rules/hosting/kiln.yaml': technology('', 'implies: [cooler]\n')
      .replace('url: acme.com', 'url: [shop.kiln.com, kiln.net]')
      .replaceAll('acme.com', 'kiln.com'),
    'rules/hosting/kiln.test.yaml': glazed('[kiln, glaze]'),
    'rules/hosting/cooler.yaml': technology('', 'requires:\n  - kiln\n')
      .replaceAll('acme.com', 'cooler.com')
      .replace('Acme', 'Cooler'),
    'rules/hosting/cooler.test.yaml': TEST.replace('acme.com', 'cooler.com'),
  }
  const oven = `hits:
  - page:
      url: https://oven.com/
      html: |
        <!doctype html>
        <title>Oven</title>
        <body>
        <p>one two three four five six seven eight nine ten
        <p>one two three four five six seven eight nine ten
        <p>one two three four five six seven eight nine ten
    siteType: oven
misses:
  - { page: { url: https://example.com/ } }
`
  const scored = files['rules/site-types/oven.yaml'].replace('url: oven.com', '{ url: oven.com, points: { oven: 30 } }')
  const both = glazed('kiln').replace('confidence: high', 'confidence: medium')
  /** Findings of the rules and their tests, except that hits do not show every word. */
  const brokenParts = (cwd: string) =>
    findingsOf(join(cwd, 'rules')).filter(({ code }) => !/^(?:unproven-|far-miss)/.test(code))
  /** Renames in a folder, requires that its rules still pass, and returns the texts of its files. */
  const renameIn = async (args: readonly string[], changed: Readonly<Record<string, string>> = {}) => {
    const cwd = writeFolder({ ...files, ...changed })
    const options = { cwd, env: { RULES_DIRS: 'rules' } }
    expect(brokenParts(cwd)).toEqual([])
    const outcome = await project.run('rules', ['rename', ...args], options)
    expect(outcome).toMatchObject({ code: 0 })
    expect(brokenParts(cwd)).toEqual([])
    const read = (file: string): string | null =>
      existsSync(join(cwd, 'rules', file)) ? readFileSync(join(cwd, 'rules', file), 'utf8') : null
    return { ...outcome, read }
  }

  test('renames rule, test and every reference, and changes nothing else', async () => {
    const { stdout, stderr, read } = await renameIn(['technology/glaze', 'raku'])
    const column = glazed('§').split('\n')[1].indexOf('§') + 1
    expect(stdout.trimEnd().split('\n')).toEqual([
      'rules/technologies/analytics/glaze.yaml → rules/technologies/analytics/raku.yaml',
      'rules/builders/kiln.yaml:5:10',
      'rules/site-types/oven.yaml:5:21',
      `rules/builders/kiln.test.yaml:2:${column}`,
    ])
    expect(stderr).toBe('technology glaze renamed to raku: 3 references in 3 files\n')
    expect(read('builders/kiln.yaml')).toBe(kiln.replace('glaze', 'raku'))
    expect(read('builders/kiln.test.yaml')).toBe(glazed('raku'))
    expect(read('technologies/analytics/raku.yaml')).toBe(files['rules/technologies/analytics/glaze.yaml'])
    expect(read('technologies/analytics/raku.test.yaml')).toBe(files['rules/technologies/analytics/glaze.test.yaml'])
    expect(read('technologies/analytics/glaze.yaml')).toBeNull()
    expect(read('technologies/analytics/glaze.test.yaml')).toBeNull()
  })

  const quoted = { 'rules/builders/kiln.yaml': kiln.replace(': glaze', ":\n  - 'glaze' # a comment") }
  const inBoth = { ...shared, 'rules/technologies/analytics/glaze.test.yaml': both }
  const GLAZE = 'technologies/analytics/glaze.test.yaml'
  test.each([
    ['a found clause', 'builders/kiln', 'clay', {}, 'site-types/oven.yaml', '{ found: [clay, glaze] }'],
    ['quoted', 'technology/glaze', 'raku', quoted, 'builders/kiln.yaml', 'implies:\n  - raku # a comment'],
    [
      'a site type',
      'site-type/oven',
      'stove',
      { 'rules/site-types/oven.yaml': scored, 'rules/site-types/oven.test.yaml': oven },
      'site-types/stove.test.yaml',
      'siteType: stove',
    ],
    [
      'hosting with the slug of a builder',
      'hosting/kiln',
      'clay',
      shared,
      'hosting/cooler.yaml',
      'requires:\n  - clay\n',
    ],
    ['its tests', 'hosting/kiln', 'clay', shared, 'builders/kiln.test.yaml', 'also: [glaze, clay] }'],
    [
      'a builder with the slug of hosting',
      'builder/kiln',
      'clay',
      shared,
      'hosting/kiln.test.yaml',
      'also: [clay, glaze] }',
    ],
    ['its relations', 'builder/kiln', 'clay', shared, 'hosting/cooler.yaml', 'requires:\n  - kiln\n'],
    ['an also that means both', 'builder/kiln', 'clay', inBoth, GLAZE, 'also: [clay, kiln] }'],
  ])('%s', async (_, name, slug, changed, file, expected) => {
    expect((await renameIn([name, slug], changed)).read(file)).toContain(expected)
  })

  test.each([
    ['builder/kiln', 'kiln', 'rules/builders/kiln.yaml already has the slug "kiln"'],
    ['builder/kiln', 'glaze', 'the slug glaze is already used by rules/technologies/analytics/glaze.yaml'],
    ['builder/kiln', 'wordpress', 'the slug wordpress is already used by '],
    ['builder/kiln', 'Kiln', '"Kiln" is not a slug'],
    ['builder/kilm', 'clay', 'there is no builder "kilm"; did you mean "kiln"?'],
    [
      'bilder/kiln',
      'clay',
      'there is no kind "bilder"; did you mean "builder"? Use one of builder, hosting, response, site-type, technology',
    ],
    ['kilm', 'clay', 'there is no rule "kilm"; did you mean "kiln"?'],
  ])('rejects %s → %s, and changes nothing', async (name, slug, sentence) => {
    const cwd = writeFolder(files)
    const options = { cwd, env: { RULES_DIRS: 'rules' } }
    const { code, stdout, stderr } = await project.run('rules', ['rename', name, slug], options)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(sentence)
    for (const [file, text] of Object.entries(files)) expect(readFileSync(join(cwd, file), 'utf8')).toBe(text)
  })

  test('a builder may get the slug of hosting', async () => {
    const kilnNet = technology().replaceAll('acme.com', 'kiln.net')
    const hosting = {
      'rules/hosting/clay.yaml': kilnNet,
      'rules/hosting/clay.test.yaml': TEST.replace('acme.com', 'kiln.net'),
    }
    expect((await renameIn(['builder/kiln', 'clay'], hosting)).read('builders/clay.yaml')).toBe(kiln)
  })
})
