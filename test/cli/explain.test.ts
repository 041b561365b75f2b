import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { explainPage } from '../../src/cli/rules/explain-page.ts'
import type { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import type { PageInput } from '../../src/index.ts'
import { openRuleset } from '../../src/rules/load/open-ruleset.ts'
import { type BuiltProject, smallProject } from '../support/built-project.ts'
import { builder, CATEGORIES, findingsOf, ownRules, TEST, technology, writeFolder } from '../support/rule-folder.ts'

const named = (name: string, rule: string): string =>
  rule.replace('name: Acme', `name: ${name}`).replaceAll('acme.com', `${name.toLowerCase()}.com`)
const tests = (name: string): string => TEST.replaceAll('acme', name)
const typed = (slug: string, points: number, clauses: string): string =>
  technology(clauses).replace('- url: acme.com', `- { url: acme.com, points: { ${slug}: ${points} } }`)
const typeTests = (slug: string): string =>
  `hits:\n  - { page: { url: https://${slug}.com/ }, words: true }\nmisses:\n  - { page: { url: https://example.com/${slug} } }\n`
const HAR = {
  log: {
    entries: [
      {
        request: { url: 'https://kiln.com/' },
        response: { status: 200, content: { mimeType: 'text/html', text: '<p>' } },
      },
    ],
  },
}

let project: BuiltProject
let cwd: string
let ruleset: Ruleset
beforeAll(() => {
  project = smallProject()
  cwd = writeFolder({
    'rules/builders/kiln.yaml': named('Kiln', builder('{ meta: generator, is: Kiln Pro }', 'implies: clay\n')),
    'rules/builders/kiln.test.yaml': tests('kiln').replace(
      'misses:',
      `  - page: { html: '<meta name="generator" content="Kiln Pro">' }\n    confidence: medium\n    words: true\nmisses:`,
    ),
    'rules/builders/clay.yaml': named(
      'Clay',
      builder("{ element: '#clay' }\n  - { element: '#clay-old', weight: medium }\n  - { text: clay }"),
    ),
    'rules/builders/clay.test.yaml': tests('clay'),
    'rules/builders/stone.yaml': named('Stone', builder("{ element: '#stone' }")).replace(
      'category: cms',
      'category: static-site',
    ),
    'rules/builders/stone.test.yaml': tests('stone'),
    'rules/builders/sand.yaml': named('Sand', builder("{ element: '#sand' }", 'requires: glaze\n')),
    'rules/builders/sand.test.yaml': tests('sand'),
    'rules/builders/gravel.yaml': named('Gravel', builder("{ element: '#gravel' }\n  - { title: gravel }")),
    'rules/builders/gravel.test.yaml': tests('gravel'),
    'rules/technologies/map/glaze.yaml': named('Glaze', technology('{ text: glaze }\n  - { html: glaze }')),
    'rules/technologies/map/glaze.test.yaml': tests('glaze'),
    'rules/hosting/oven.yaml': named('Oven', technology('{ header: x-oven }')),
    'rules/hosting/oven.test.yaml': tests('oven'),
    'rules/technologies/map/hob.yaml': named(
      'Hob',
      technology(
        "{ all: [{ title: hob }, { header: x-hob }] }\n  - { all: [{ element: '#hob' }, { not: { header: x-hob } }], weight: medium }",
      ),
    ),
    'rules/technologies/map/hob.test.yaml': tests('hob'),
    'rules/hosting/stove.yaml': named(
      'Stove',
      technology('{ header: x-stove, weight: medium }\n  - { cookie: stove }'),
    ),
    'rules/hosting/stove.test.yaml': tests('stove'),
    'rules/hosting/kiln.yaml': named('Kiln', technology('{ header: x-kiln }')),
    'rules/hosting/kiln.test.yaml': tests('kiln'),
    'rules/site-types/shop.yaml': named('Shop', typed('shop', 30, "{ element: '#cart', points: { shop: 30 } }")),
    'rules/site-types/shop.test.yaml': typeTests('shop'),
    'rules/site-types/park.yaml': named(
      'Park',
      typed(
        'park',
        30,
        "{ element: '#park', points: { park: 60 } }\n  - { element: '#lot', points: { park: -3, shop: -3 } }",
      ),
    ),
    'rules/site-types/park.test.yaml': typeTests('park'),
    'page.har': JSON.stringify(HAR),
  })
  ruleset = openRuleset({ own: join(project.folder, 'rules'), folders: [join(cwd, 'rules')], detectors })
})
const explain = (args: readonly string[]) =>
  project.run('rules', ['explain', ...args], { cwd, env: { RULES_DIRS: 'rules' } })

/** Returns the last line of an explanation, without the cost of a command. */
function explainLast(name: string, html: string, headers: Record<string, string> = {}): string | undefined {
  const [slug, kind = null] = name.split('/').reverse() as [string, 'hosting' | undefined]
  const { text, warnings } = explainPage(ruleset, { slug, kind }, { html, headers })
  expect(warnings.filter((one) => !one.startsWith('the answer is not the site'))).toEqual([])
  return text.trim().split('\n').at(-1)?.trim()
}

const WORDS = Array.from({ length: 30 }, () => '<p>word').join(' ')

describe('the last line says why a rule with points is not part of the result', () => {
  test.each<[slug: string, html: string, reason: string, headers?: Record<string, string>]>([
    [
      'clay',
      '<meta name="generator" content="Kiln Pro"><p id=clay>',
      'Kiln implies it, and is the more specific of the two',
    ],
    ['clay', '<p id=clay-old><p id=gravel>', 'Gravel has a higher level: high, not medium'],
    ['clay', '<p>clay', '1 point is too few: the lowest level needs 2'],
    ['clay', '<title>gravel</title><p id=clay><p id=gravel>', 'Gravel is proved by more families of places: 2, not 1'],
    [
      'gravel',
      '<p id=clay><p id=gravel>',
      'Clay has as many families and points, and more values, or the first slug of the two',
    ],
    [
      'stone',
      '<p id=stone><p id=clay-old>',
      'builders of the category static-site have low priority, and Clay reaches medium',
    ],
    ['sand', '<p id=sand>', 'it was dropped, because it is without glaze, which it requires at medium or better'],
    ['glaze', '<p>glaze', 'a technology needs medium or better'],
    ['stove', '<p>', 'Oven has a higher level: high, not medium', { 'x-oven': '1', 'x-stove': '1' }],
    [
      'hosting/kiln',
      '<p>',
      'another hosting provider is proved equally well, so neither is named',
      { 'x-oven': '1', 'x-kiln': '1' },
    ],
    ['stove', '<p>', 'Oven is proved by a surer kind of place', { 'x-oven': '1', 'set-cookie': 'stove=1' }],
  ])('%s on %s', (slug, html, reason, headers) => {
    expect(explainLast(slug, html, headers)).toContain(`because ${reason}`)
  })
})

test.each<[slug: string, html: string, last: string]>([
  ['shop', '<p id=cart>', 'no site type: too little text'],
  ['park', `<p id=lot>${WORDS}`, 'no site type: too little evidence'],
  ['park', `<p id=park><p id=cart>${WORDS}`, 'site type: park'],
])('of a site type, the last line is the decision about the page: %s on %s', (slug, html, last) => {
  expect(explainLast(slug, html)).toBe(last)
})

test('a clause that found nothing shows what it would find without its tests', () => {
  const { text } = explainPage(
    ruleset,
    { slug: 'kiln', kind: 'builder' },
    { html: '<meta name=generator content="Kiln Lite">' },
  )
  expect(text).toContain('meta generator: 0 hits; without its tests and paths 1 hit: "Kiln Lite"\n')
})

test.each<[mark: string, clause: string, input: PageInput]>([
  ['✓', 'header x-oven', { headers: { 'x-oven': '1' } }],
  ['✗', 'header x-oven', { headers: {} }],
  ['?', 'header x-oven', { html: '' }],
  ['✗', 'a group with a place that was looked at', { html: '' }],
  ['?', 'a group with a place that was looked at', { html: '<title>hob' }],
  ['?', 'a group without a header', { html: '<p id=hob>' }],
  ['✓', 'a group without a header', { html: '<p id=hob>', headers: {} }],
  ['✗', 'a group without a header', { html: '<p id=hob>', headers: { 'x-hob': '1' } }],
])('%s marks %s: %j', (mark, name, input) => {
  const slug = name === 'header x-oven' ? 'oven' : 'hob'
  const { text } = explainPage(ruleset, { slug, kind: null }, input)
  const marks = text.split('\n').filter((line) => /^ {2}. (?:strong|medium|weak) /.test(line))
  expect(marks[name === 'a group without a header' ? 2 : 1][2]).toBe(mark)
  expect(text.startsWith('  ✓ holds  ✗ does not hold  ? unknown: a place was not looked at\n')).toBe(
    marks.some((line) => line[2] === '?'),
  )
})

describe('the page', () => {
  test('of a hit, explained for every rule with points, those of the result first', async () => {
    const { code, stdout } = await explain(['--all', 'builder/kiln', '--hit', '2'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('meta generator: 1 hit: "Kiln Pro"') })
    expect(stdout.match(/^\S.*$/gm)).toEqual(['builder kiln (Kiln)', 'builder clay (Clay)'])
  })

  test.each<[string, string[], string]>([
    ['of a miss', ['clay', '--miss', '1'], 'url clay.com: 0 hits'],
    ['of a miss, for all rules', ['--all', 'clay', '--miss', '1'], 'no rule has points on this page\n'],
    ['of a HAR file', ['builder/kiln', '--har', 'page.har'], 'url kiln.com: 1 hit: "https://kiln.com/"'],
  ])('%s', async (_, args, line) => {
    const { code, stdout } = await explain(args)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(line) })
    if (args[0] === '--all') expect(stdout).toBe(line)
  })

  test.each([
    ['of a slug that two rules have needs the kind', ['kiln', '--hit', '1'], 'write builder/kiln or hosting/kiln'],
    ['is not derived from a rule without exact names', ['hosting/kiln', '--hit', '0'], 'no page is derived from'],
  ])('%s', async (_, args, sentence) => {
    const { code, stderr } = await explain(args)
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) })
  })
})

test('without headers, a rule about them is unknown; the last line names what the result contains instead', () => {
  const known = writeFolder(ownRules('known', 'hosting/netlify', 'builders/hugo', 'technologies/language/go'))
  const own = join(smallProject().folder, 'rules')
  const rules = openRuleset({ own, folders: [join(known, 'known')], detectors })
  const { text } = explainPage(rules, { slug: 'netlify', kind: null }, { html: '<p>' })
  expect(text).toMatch(
    /^ {2}✓ holds {2}✗ does not hold {2}\? unknown: a place was not looked at\n(?:.*\n)+ {2}\? strong .*\n {6}header x-nf-request-id: not looked at\n/,
  )
  const html = '<meta name="generator" content="WordPress 6.6">'
  const lines = explainPage(rules, { slug: 'hugo', kind: null }, { html }).text.trim().split('\n')
  expect(lines.at(-1)).toBe('  0 points: below low; not part of the result, which contains WordPress')
})

test('hit-differs names the points, the clauses that gave them, and those that nearly did', () => {
  const folder = writeFolder({
    'categories.yaml': CATEGORIES,
    'technologies/analytics/zest.yaml': named(
      'Zest',
      technology('{ meta: generator, is: Zest Pro }\n  - { text: zest }'),
    ),
    'technologies/analytics/zest.test.yaml': `hits:\n  - page: { html: '<meta name="generator" content="Zest Lite"><p>zest' }\n    confidence: high\n    words: true\nmisses:\n  - { page: { url: 'https://example.com/zest' } }\n`,
  })
  const found = findingsOf(folder).filter(({ code }) => code === 'hit-differs')
  const [sentence, command] = found[0].sentence.split('; to see why, run npm run -s rules -- ')
  expect(found).toHaveLength(1)
  expect(sentence).toBe(
    'the hit expects confidence high, but this page gives none: 1 point from { text: zest }; near: { meta: generator, is: Zest Pro }, found "Zest Lite"',
  )
  // How the path of a folder for tests is written depends on the working folder.
  expect(command).toMatch(/^explain \S+\/technologies\/analytics\/zest\.yaml --hit 1$/)
})
