import { expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { checkBreadth, checkOrdinaryPage } from '../../src/authoring/breadth.ts'
import { readOrdinaryPages } from '../../src/authoring/ordinary-pages.ts'
import { buildPage, detect } from '../../src/index.ts'
import { checkFolders } from '../../src/rules/load/load.ts'
import { buildRuleset } from '../../src/rules/load/open-ruleset.ts'
import { writeFolder } from '../support/rule-folder.ts'

const TEST = 'hits: [{ page: { status: 200 }, confidence: high }]\nmisses: [{ page: { status: 404 } }]\n'
const rule = (detect: string, keys = 'category: cms\naiNative: false\n'): string =>
  `name: Acme\nwebsite: https://acme.com\n${keys}detect:\n${detect}source: https://acme.com\nverified: 2026-01-01\n`
const checked = checkFolders({
  folders: [
    writeFolder({
      'categories.yaml': 'builders: { cms: {} }\ntechnologies: {}\n',
      'builders/acme.yaml': rule('  - cookie: sid\n  - { header: server, has: acme, weight: medium }\n'),
      'builders/acme.test.yaml': TEST,
      'site-types/shop.yaml': rule('  - { title: Shop, points: { shop: 20 } }\n', ''),
      'site-types/shop.test.yaml': TEST,
    }),
  ],
  detectors,
})
const { rules } = checked
const ruleset = buildRuleset(
  { ...checked, categories: { builders: {}, technologies: {} }, findings: [] },
  detectors,
  '',
)
const text =
  'html: <title>Shop</title><p>One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty</p>'
const sid = 'page: { headers: { set-cookie: sid=1 } }'

/** All findings of a file with ordinary pages: of the file, of its pages, of the rules. */
function check(content: string): string[] {
  const { pages, findings } = readOrdinaryPages({ folder: writeFolder({ 'a.yaml': content, 'schema.json': '{}' }) })
  const results = pages.map((page) => ({ page, verdict: detect(ruleset, buildPage(page.input)) }))
  const own = results.flatMap((result) => checkOrdinaryPage(result, ruleset))
  return [...findings, ...own, ...checkBreadth(rules, results)].map(
    ({ file, line, column, code, sentence }) =>
      `${file.replace(/.*\//, '')}:${line}:${column} ${code}: ${sentence.replace(/[^ ]*\/a\.yaml/, 'a.yaml')}`,
  )
}

const broad = (line: number, pages: string, level: string): string =>
  `acme.yaml:${line}:5 broad-clause: builder acme fires on the ordinary page ${pages}, by this clause (${level}): make the clause narrower, or list acme in \`also\` of the page if it is right there`

test.each<[name: string, pages: readonly string[], findings: readonly string[]]>([
  ['a page on which nothing fires', ['{ about: A, page: { status: 404 } }'], []],
  ['a page on which a rule fires', [`{ about: A cookie, ${sid} }`], [broad(6, 'a.yaml:2 (A cookie)', 'high')]],
  [
    'two pages, one finding',
    [`{ about: A, ${sid} }`, `{ about: B, ${sid} }`],
    [broad(6, 'a.yaml:2 (A) and 1 more', 'high')],
  ],
  [
    'two clauses on two pages',
    [`{ about: A, ${sid} }`, '{ about: B, page: { headers: { server: acme } } }'],
    [broad(6, 'a.yaml:2 (A)', 'high'), broad(7, 'a.yaml:3 (B)', 'medium')],
  ],
  ['a page that lists the rule', [`{ about: A, ${sid}, also: acme }`], []],
  [
    'a listed rule that does not fire',
    ['{ about: A, page: { status: 404 }, also: [acme] }'],
    ['a.yaml:2:47 dead-also: `also` lists acme, which does not fire on this page'],
  ],
  [
    'a listed rule that does not exist',
    ['{ about: A, page: { status: 404 }, also: [acmes] }'],
    [
      'a.yaml:2:47 unknown-slug: no builder or technology or hosting or response has the slug "acmes"; did you mean "acme"?',
    ],
  ],
  ['the right site type', [`{ about: A, page: { ${text} }, siteType: shop }`], []],
  ['no site type', ['{ about: A, page: { html: <p>Hello</p> }, siteType: null }'], []],
  [
    'another site type',
    [`{ about: A, page: { ${text} }, siteType: null }`],
    ['a.yaml:2:202 wrong-site-type: the site type of this page is none, but its verdict is shop, by { title: Shop }'],
  ],
  ['a page without a name', [`{ ${sid} }`], ['a.yaml:2:5 missing-key: about is missing in pages']],
  ['an unknown key', ['{ about: A, page: { stat: 404 } }'], ['a.yaml:2:25 unknown-key: the key "stat" is unknown']],
])('%s', (_, pages, findings) => {
  expect(check(`pages:\n${pages.map((page) => `  - ${page}\n`).join('')}`)).toEqual(findings)
})

test('without a folder there are no ordinary pages', () => {
  expect(readOrdinaryPages({ folder: '/nowhere' })).toEqual({ pages: [], findings: [], state: '' })
})
