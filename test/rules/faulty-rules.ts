import type { FindingCode } from '../../src/rules/findings.ts'
import { builder, type Files, TEST, technology } from '../rule-folder.ts'

const acme = (rule: string, tests = TEST): Files => ({
  'builders/acme.yaml': rule,
  'builders/acme.test.yaml': tests,
})
const clause = (text: string): Files => acme(builder(text))
const hit = (rest: string): Files => acme(builder(), TEST.replace('confidence: high }', rest))
const miss = (page: string): Files => acme(builder(), TEST.replace('{ url: https://example.com/ }', page))
const tech = (slug: string, rule: string): Files => ({
  [`technologies/analytics/${slug}.yaml`]: rule,
  [`technologies/analytics/${slug}.test.yaml`]: TEST.replaceAll('acme', slug),
})
const beta = (sites: string, more = ''): Files =>
  tech('beta', technology('', more).replace('url: acme.com', `url: ${sites}`))

/** Rule folders with one fault each; § stands before the place where it is told. */
export const faultyRules: readonly (readonly [code: FindingCode, fault: string, files: Files])[] = [
  ['bad-category', 'of a builder', acme(builder().replace('cms', '§cmss'))],
  [
    'bad-category',
    'of a technology',
    { 'technologies/x/acme.yaml': `§${technology()}`, 'technologies/x/acme.test.yaml': TEST },
  ],
  ['bad-detector-word', 'type of record', clause('dns: [txt _acme, §cnme]')],
  ['bad-detector-word', 'label where there is none', clause('tls: §issuer x')],
  ['bad-fixture-page', 'address', miss("§{ url: 'https://[' }")],
  ['bad-locator', 'file as a host', clause('script: [cdn.acme.com, §acme.css]')],
  ['bad-locator', 'scheme', clause('{ meta: og:image, under: §https://acme.com/a }')],
  ['bad-pattern', 'open group', clause("{ meta: generator, match: §'^a(' }")],
  ['bad-relation', 'excludes itself', acme(builder('', 'excludes: §acme\n'))],
  [
    'bad-relation',
    'excluded and required',
    { ...acme(builder('', 'requires: beta\nexcludes: [§beta]\n')), ...beta('beta.com') },
  ],
  ['bad-selector', 'two dots', clause("element: §'div..x'")],
  ['bad-selector', 'pseudo-class', clause("element: §'a:hover'")],
  ['bad-slug', 'capital', { 'builders/Acme.yaml': `§${builder()}`, 'builders/Acme.test.yaml': TEST }],
  ['bad-value', 'boolean', acme(builder().replace('false', '§yes'))],
  ['bad-value', 'no such day', acme(builder().replace('2026-11-20', '§2026-02-30'))],
  ['bad-value', 'source alone', acme(builder().replace('source: https', 'source: §javascript'))],
  ['bad-value', 'no status', clause('status: [404, §abc]')],
  ['bad-value', 'no header name', clause("header: §'x y'")],
  ['bad-value', 'path with a gap', clause('jsonld: §Product..a')],
  ['bad-value', 'type with its vocabulary', clause('jsonld: §schema:Product')],
  ['bad-value', 'list for a clause', clause('§[meta]')],
  ['bad-value', 'mapping for a word', clause('title: §{ acme: beta }')],
  ['bad-value', 'more than there are', clause('{ of: [{ script: /a.js }, { script: /b.js }], atLeast: §3 }')],
  ['bad-value', 'one of', clause('{ of: [{ script: /a.js }, { script: /b.js }], atLeast: §1 }')],
  ['bad-value', 'categories', { ...clause(''), 'categories.yaml': 'builders: §[]\ntechnologies: {}\n' }],
  ['bad-value', 'header without value', miss('{ headers: [[server, acme], §[server]] }')],
  ['bad-yaml', 'open bracket', acme(builder('{ script: /a.js').replace('source', '§source'))],
  ['case-star', 'two letters', clause('header: [x-acme*, §x-*]')],
  ['dead-also', 'slug', { ...hit('confidence: high, also: [§beta] }'), ...beta('beta.com') }],
  ['duplicate-clause', 'keys in another order', clause('{ meta: acme, has: x1 }\n  - §{ has: x1, meta: acme }')],
  ['duplicate-slug', 'builder and technology', { ...acme(builder()), ...tech('acme', `§${technology()}`) }],
  [
    'empty-rule',
    'holds by a not',
    acme(builder('any: [{ status: 404 }, { not: { status: 200 } }]').replace('detect', '§detect')),
  ],
  ['group-atleast', 'all', clause('{ §atLeast: 2, all: [{ script: /a.js }, { script: /b.js }] }')],
  ['group-tests', 'from', clause('{ any: [{ script: /a.js }, { script: /b.js }], §from: own }')],
  ['group-weight', 'inside', clause('all: [{ script: /a.js, §weight: weak }, { text: acme }]')],
  ['heavy-weight', 'words', clause('{ text: acme, weight: §medium }')],
  ['hit-differs', 'level', hit('confidence: §medium }')],
  ['hit-differs', 'version', hit('confidence: high, versions: §{ Acme: 1 } }')],
  ['misplaced-key', 'of a site type', acme(builder('', '§rank: 2\n'))],
  ['misplaced-key', 'place of a site type', clause('§found: nobody')],
  ['misplaced-key', 'attribute of a meta', clause('{ meta: generator, §attr: href }')],
  ['misplaced-key', 'test of a word that is the value', clause("{ status: 404, §match: '^[45]' }")],
  ['misplaced-key', 'origin of a text', clause('{ comment: acme, §from: own }')],
  ['misplaced-key', 'locator of a text', clause('{ title: acme, §under: acme.com }')],
  [
    'miss-fires',
    'own page',
    acme(builder(), TEST.replace('{ page: { url: https://example.com/ } }', '§{ page: { url: https://acme.com/ } }')),
  ],
  ['missing-key', 'of a rule', acme(`§${builder().replace('aiNative: false\n', '')}`)],
  ['missing-key', 'how large', clause('§size: words')],
  ['missing-key', 'how many of', clause('§of: [{ script: /a.js }, { script: /b.js }]')],
  ['missing-test', 'file', { 'builders/acme.yaml': `§${builder()}` }],
  ['mixed-families', 'any', clause('§any: [{ script: /a.js }, { meta: acme }]')],
  ['needless-pattern', 'is', clause("{ meta: generator, match: §'^acme$' }")],
  ['needless-weight', 'strong', clause('{ script: /a.js, weight: §strong }')],
  ['no-place', 'test alone', clause('§is: acme')],
  ['nothing-positive', 'not alone', clause('§not: { script: /a.js }')],
  ['relation-cycle', 'of two', { ...acme(builder('', '§implies: beta\n')), ...beta('beta.com', 'implies: acme\n') }],
  ['short-literal', 'two letters', clause('comment: [acme, §ac]')],
  ['short-page', 'one line', miss('{ html: §<p>Acme }')],
  ['stray-file', 'no YAML', { ...acme(builder()), 'builders/notes.txt': '§' }],
  ['stray-file', 'test without rule', { ...acme(builder()), 'builders/beta.test.yaml': `§${TEST}` }],
  ['two-places', 'script and title', clause('§{ script: /a.js, title: acme }')],
  ['unknown-key', 'of a rule', acme(builder().replace('website', '§webiste'))],
  ['unknown-key', 'place', clause('{ §scirpt: /a.js }')],
  ['unknown-slug', 'implied', acme(builder('', 'implies: [§bta]\n'))],
  [
    'unrelated-hit',
    'technology',
    {
      ...acme(builder(), TEST.replace('- {', '- §{')),
      ...beta('[acme.com, beta.com]'),
    },
  ],
  ['unsafe-pattern', 'exponential', clause("{ meta: generator, match: §'^(a+)+$' }")],
  [
    'unsafe-pattern',
    'too deep to judge',
    clause(`{ meta: generator, match: §'^${'('.repeat(300)}a${')'.repeat(300)}' }`),
  ],
  ['version-group', 'second of one', clause("{ meta: generator, match: '^acme (1|2)', version: §2 }")],
  ['wide-pattern', 'any beginning', clause("{ meta: generator, match: §'.*acme (1|2)' }")],
]
