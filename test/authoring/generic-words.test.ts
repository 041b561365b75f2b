import { expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { PageWords } from '../../src/authoring/common-words/page-words.ts'
import { checkGenericWords, readPageTexts, readRuleWords } from '../../src/authoring/generic-words.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import { readFixtures } from '../../src/rules/fixtures.ts'
import { checkFolders } from '../../src/rules/load/load.ts'
import { writeFolder } from '../support/rule-folder.ts'

const rule = (clause: string, rest = ''): string =>
  `name: N\nwebsite: https://acme.com\ncategory: cms\naiNative: false\ndetect:\n  - ${clause}\n${rest}source: https://acme.com\nverified: 2026-01-01\n`
const page = (head: string): string =>
  `{ page: { headers: { via: x, x-cache: hit from bell }, html: '<html><head>${head}</head><body class="wide page">Hello</body></html>' } }`
/** Five rules whose pages share words. */
const others = Object.fromEntries(
  ['one', 'two', 'three', 'four', 'five'].flatMap((slug) => [
    [`builders/${slug}.yaml`, rule(`{ meta: ${slug} }`)],
    [
      `builders/${slug}.test.yaml`,
      `hits:\n  - { page: { headers: { x-lamp: x } }, confidence: high, also: [right] }\nmisses:\n  - ${page('<script src="/main.js"></script>')}\n`,
    ],
  ]),
)

test.each<[name: string, clause: string, generic: string[], slug?: string, rest?: string]>([
  ['a class', '{ element: .wide }', ['.wide']],
  ['a class and a rare one', '{ element: .wide.acme-shop }', []],
  ['a path', '{ script: /main.js }', ['/main.js']],
  ['the beginning of a file', '{ script: /main* }', ['/main*']],
  ['a rare path', '{ script: /acme.js }', []],
  ['one word of a list', '{ script: [/acme.js, /main.js] }', ['/main.js']],
  ['a header', '{ header: x-cache }', ['x-cache']],
  ['a header with a common value', '{ header: x-cache, has: hit }', ['x-cache hit']],
  ['a header with a rare value', '{ header: x-cache, has: wednesday }', []],
  ['a header with an expression', "{ header: x-cache, match: 'hit (a|b)' }", []],
  ['two common words', '{ all: [{ script: /main.js }, { element: .wide }] }', ['/main.js', '.wide']],
  ['a common word next to a rare one', '{ all: [{ script: /main.js }, { element: .acme }] }', []],
  ['a common word or a rare one', '{ any: [{ element: .wide }, { element: .acme }] }', ['.wide']],
  ['one of two rare words', '{ atLeast: 2, of: [{ element: .wide }, { element: .acme }, { element: .bcme }] }', []],
  ['a common word that is absent', '{ all: [{ element: .acme }, { not: { element: .wide } }] }', []],
  ['a common word and a status', '{ all: [{ status: 404 }, { text: hello }] }', ['hello']],
  ['a word of pages on which the rule rightly fires', '{ header: x-lamp }', [], 'right'],
  ['the same word in another rule', '{ header: x-lamp }', ['x-lamp']],
  ['a word of a related rule', '{ element: .wide }', [], 'acme', 'implies: [one]\n'],
])('generic-word: %s', (_, clause, generic, slug = 'acme', rest = '') => {
  const root = writeFolder({
    'categories.yaml': 'builders: { cms: {} }\ntechnologies: {}\n',
    ...others,
    [`builders/${slug}.yaml`]: rule(clause, rest),
    [`builders/${slug}.test.yaml`]: `hits:\n  - { page: { status: 404 }, confidence: high }\nmisses:\n  - { page: { status: 404 } }\n`,
  })
  const { rules } = checkFolders({ folders: [root], detectors })
  const places = indexPlaces(detectors)
  // Without a table, only the test pages are counted.
  const table = PageWords.parse('')
  const words = rules.map((one) => {
    const { fixtures } = readFixtures(one.found)
    const readPages = () => readPageTexts(fixtures)
    return { rule: one, readPages, ...readRuleWords(one, fixtures, places, table) }
  })
  const found = checkGenericWords(words, places)
  expect(found.map(({ sentence }) => sentence.split('"')[1])).toEqual(generic)
})
