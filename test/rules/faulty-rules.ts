import type { FindingCode } from '../../src/rules/findings.ts'
import { builder, type Files, TEST, technology } from '../support/rule-folder.ts'

const acme = (rule: string, tests = TEST): Files => ({
  'builders/acme.yaml': rule,
  'builders/acme.test.yaml': tests,
})
const clause = (text: string): Files => acme(builder(text))
const hit = (rest: string): Files => acme(builder(), TEST.replace('confidence: high }', rest))
const miss = (page: string): Files => acme(builder(), TEST.replace('{ url: https://example.com/acme }', page))
const named = (name: string, rule: string): string => rule.replace('name: Acme', `name: ${name}`)
const tech = (slug: string, rule: string): Files => ({
  [`technologies/analytics/${slug}.yaml`]: rule,
  [`technologies/analytics/${slug}.test.yaml`]: TEST.replaceAll('acme', slug),
})
const beta = (sites: string, more = '', hits = ''): Files => {
  const rule = named('Beta', technology('', more)).replace('source: https://acme.com', 'source: https://beta.com')
  return {
    ...tech('beta', rule.replace('url: acme.com', `url: ${sites}`)),
    ...(hits && {
      'technologies/analytics/beta.test.yaml': `${TEST.replaceAll('acme', 'beta').replace('misses:', `  - ${hits}\nmisses:`)}`,
    }),
  }
}

/** Rule folders with one problem each. § marks the position of the finding. */
export const faultyRules: readonly (readonly [code: FindingCode, problem: string, files: Files])[] = [
  ['bad-category', 'of a builder', acme(builder().replace('cms', '§cmss'))],
  [
    'bad-category',
    'of a technology',
    { 'technologies/x/acme.yaml': `§${technology()}`, 'technologies/x/acme.test.yaml': TEST },
  ],
  ['bad-detector-word', 'type of record', clause('dns: [txt _acme, §cnme]')],
  ['bad-detector-word', 'label of a place without labels', clause('tls: §issuer x')],
  ['bad-fixture-page', 'address', miss("§{ url: 'https://[acme' }")],
  ['bad-locator', 'file name as a host', clause('script: [cdn.acme.com, §acme.css]')],
  ['bad-locator', 'top-level domain', clause('url: §.com')],
  ['bad-locator', 'public suffix', clause('url: [.acme.com, §.co.uk/a]')],
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
  ['bad-value', 'group that is a text', clause("all: §''")],
  ['bad-value', 'boolean', acme(builder().replace('false', '§yes'))],
  ['bad-value', 'day that does not exist', acme(builder().replace('2026-11-20', '§2026-02-30'))],
  ['bad-value', 'later day that does not exist', acme(builder().replace('2026-11-20', '§2027-02-30'))],
  ['bad-value', 'URL with another scheme', acme(builder().replace('source: https', 'source: §javascript'))],
  ['bad-value', 'not a slug', acme(builder('', 'requires: [§WordPress]\n'))],
  ['bad-value', 'empty slug', acme(builder('', 'implies: §\n'))],
  ['bad-value', 'property of every object as a slug', acme(builder('', 'excludes: §__proto__\n'))],
  ['bad-value', 'neither text nor one of a list', clause('{ meta: acme, weight: §[weak] }')],
  ['bad-value', 'not a status', clause('status: [404, §abc]')],
  ['bad-value', 'not a header name', clause("header: §'x y'")],
  ['bad-value', 'path with an empty step', clause('jsonld: §Product..a')],
  ['bad-value', 'type with a prefix', clause('jsonld: §schema:Product')],
  ['bad-value', 'list instead of a clause', clause('§[meta]')],
  ['bad-value', 'mapping instead of a word', clause('title: §{ acme: beta }')],
  [
    'bad-value',
    'more than the number of clauses',
    clause('{ of: [{ script: /a.js }, { script: /b.js }], atLeast: §3 }'),
  ],
  ['bad-value', 'of with one', clause('{ of: [{ script: /a.js }, { script: /b.js }], atLeast: §1 }')],
  ['bad-value', 'categories', { ...clause(''), 'categories.yaml': 'builders: §[]\ntechnologies: {}\n' }],
  ['bad-value', 'header without value', miss('{ headers: [[server, acme], §[server]] }')],
  ['bad-yaml', 'open bracket', acme(builder('{ script: /a.js').replace('source', '§source'))],
  ['case-star', 'two letters', clause('header: [x-acme*, §x-*]')],
  ['customer-host', 'address', clause('url: [.acme.com, acme.net, §www.shop.com]')],
  ['customer-host', 'address, with a path', clause('url: §bakery.co.uk/shop')],
  ['customer-host', 'private suffix', clause('url: §bakery.github.io')],
  ['customer-host', 'link', clause('anchor: §facebook.com')],
  ['customer-host', 'file', clause('asset: [cdn.shop.com/a.js, www.acme.com/b.js, §www.shop.com/logo.png]')],
  ['customer-host', 'canonical address', clause('{ link: canonical, under: §www.shop.com }')],
  ['customer-host', 'declared address', clause('{ meta: og:url, under: [.acme.com, §shop.com] }')],
  ['customer-host', 'name of a certificate', clause('{ tls: name, is: §www.shop.com }')],
  ['customer-host', 'record, in a group', clause('all: [{ dns: mx, under: §shop.com }, { script: /a.js }]')],
  [
    'cut-word',
    'first letter',
    acme(
      builder('{ title: §cmelink }'),
      TEST.replace('misses:', '  - { page: { html: "<title>acmelink" }, confidence: high, words: true }\nmisses:'),
    ),
  ],
  ['dead-also', 'slug', { ...hit('confidence: high, also: [§beta] }'), ...beta('beta.com') }],
  ['duplicate-clause', 'different order of keys', clause('{ meta: acme, has: x1 }\n  - §{ has: x1, meta: acme }')],
  ['duplicate-clause', 'written as a list', clause('text: x y z\n  - §text: [x y z]')],
  ['duplicate-clause', 'different order of lists', clause('title: [acme, beta]\n  - §title: [beta, acme]')],
  ['duplicate-clause', 'different case', clause('text: Made by Acme\n  - §text: made by acme')],
  ['duplicate-clause', 'different weight', clause('meta: acme\n  - §{ meta: acme, weight: weak }')],
  ['duplicate-clause', 'inside a group', clause('all: [{ text: acme }, §{ text: Acme }]')],
  [
    'duplicate-clause',
    'different order in a group',
    clause('all: [{ text: x1x }, { text: y1y }]\n  - §all: [{ text: y1y }, { text: x1x }]'),
  ],
  [
    'duplicate-clause',
    'inside a not',
    clause('all: [{ text: acme }, { not: { any: [{ text: x1x }, §{ text: x1x }] } }]'),
  ],
  [
    'duplicate-name',
    'builder and technology, different case',
    { ...acme(builder()), ...tech('beta', named('§acme', technology()).replace('url: acme.com', 'url: .acme.com')) },
  ],
  [
    'duplicate-name',
    'different punctuation',
    {
      ...acme(named('Acme.js', builder())),
      ...tech('beta', named('§Acme JS', technology()).replace('url: acme.com', 'url: .acme.com')),
    },
  ],
  ['duplicate-slug', 'builder and technology', { ...acme(builder()), ...tech('acme', `§${technology()}`) }],
  [
    'empty-rule',
    'satisfied by a not',
    acme(builder('any: [{ status: 404 }, { not: { status: 200 } }]').replace('detect', '§detect')),
  ],
  [
    'far-miss',
    'neither name nor word',
    acme(
      builder(),
      TEST.replace('- { page: { url: https://example.com/acme', '- §{ page: { url: https://example.com/'),
    ),
  ],
  ['future-verified', 'next month', acme(builder().replace('2026-11-20', '§2026-12-03'))],
  ['greedy-version', 'anything', clause("{ meta: generator, match: §'^Acme (.*)', version: 1 }")],
  ['greedy-version', 'second group', clause("{ meta: generator, match: §'^Acme (1|2) v([^ ]+)', version: 2 }")],
  [
    'greedy-version',
    'option without digits',
    clause("{ meta: generator, match: §'^Acme ([\\d.]+|\\w+)', version: 1 }"),
  ],
  ['group-atleast', 'all', clause('{ §atLeast: 2, all: [{ script: /a.js }, { script: /b.js }] }')],
  ['group-tests', 'from', clause('{ any: [{ script: /a.js }, { script: /b.js }], §from: own }')],
  ['group-weight', 'inside a group', clause('all: [{ script: /a.js, §weight: weak }, { text: acme }]')],
  ['heavy-weight', 'text', clause('{ text: acme, weight: §medium }')],
  ['hit-differs', 'level', hit('confidence: §medium }')],
  ['hit-differs', 'version', hit('confidence: high, versions: §{ Acme: 1 } }')],
  ['placeholder', 'of a rule', acme(builder().replace('category: cms', "category: §'FILL IN: a category'"))],
  [
    'placeholder',
    'of a clause',
    acme(builder("{ script: /a.js, is: §'FILL IN: a value' }").replace('aiNative: false', 'aiNative: true')),
  ],
  ['placeholder', 'of a test', miss("{ html: §'<p>FILL IN: a sentence</p>' }")],
  ['misplaced-key', 'of a site type', acme(builder('', '§prior: 2\n'))],
  ['misplaced-key', 'of a site type, with a wrong value', acme(builder('', '§thin: yes\n'))],
  ['misplaced-key', 'of a builder, with an unknown slug', tech('acme', technology('', '§hosting: nowhere\n'))],
  ['misplaced-key', 'place of a site type', clause('§found: acme')],
  ['misplaced-key', 'attribute of a meta', clause('{ meta: generator, §attr: href }')],
  ['misplaced-key', 'test in a place whose word is the value', clause("{ status: 404, §match: '^[45]' }")],
  ['misplaced-key', 'from in a place of text', clause('{ comment: acme, §from: own }')],
  ['misplaced-key', 'under in a place of text', clause('{ title: acme, §under: acme.com }')],
  ['label-with-suffix', 'host', clause('dns: §CNAME kiln.com')],
  ['label-with-suffix', 'host of a private suffix', clause('dns: [txt _acme, §txt a.github.io]')],
  [
    'miss-fires',
    'own page',
    acme(
      builder(),
      TEST.replace('{ page: { url: https://example.com/acme } }', '§{ page: { url: https://acme.com/ } }'),
    ),
  ],
  ['missing-key', 'of a rule', acme(`§${builder().replace('aiNative: false\n', '')}`)],
  ['missing-key', 'atLeast of size', clause('§size: words')],
  ['missing-key', 'atLeast of a group', clause('§of: [{ script: /a.js }, { script: /b.js }]')],
  ['missing-test', 'file', { 'builders/acme.yaml': `§${builder()}` }],
  ['mixed-families', 'any', clause('§any: [{ script: /a.js }, { meta: acme }]')],
  ['needless-pattern', 'is', clause("{ meta: generator, match: §'^acme$' }")],
  ['needless-weight', 'strong', clause('{ script: /a.js, weight: §strong }')],
  ['no-place', 'test without a place', clause('§is: acme')],
  ['nothing-positive', 'not without another clause', clause('§not: { script: /a.js }')],
  ['overlap', 'word of a list', { ...clause('script: [/a.js, /b.js]'), ...beta('beta.com\n  - script: §/B.js') }],
  [
    'overlap',
    'same tests',
    {
      ...clause('{ meta: acme, is: [x1, y1] }'),
      ...beta('beta.com\n  - { is: [y1, x1], meta: §acme, weight: medium }'),
    },
  ],
  ['relation-cycle', 'two rules', { ...acme(builder('', '§implies: beta\n')), ...beta('beta.com', 'implies: acme\n') }],
  ['anchored-window', 'beginning', clause("{ bundle: kilnrt@, match: §'^kilnrt@(\\\\d+)', version: 1 }")],
  ['anchored-window', 'end, in a group', clause("{ all: [{ stylesheet: kiln-ash, match: §'kiln-ash(?:\\\\d|$)' }] }")],
  ['common-literal', 'an English word', clause('bundle: §framework')],
  ['common-literal', 'a Web API', clause('bundle: [kilnrt@, §window.localStorage.setItem]')],
  ['common-literal', 'what libraries have in common', clause('bundle: §__esModule')],
  [
    'frequent-literal',
    'with a test',
    acme(
      builder("{ bundle: §'version:', match: 'version:\"(\\d+)', version: 1 }"),
      TEST.replace('acme.com/ }', `acme.com/, scripts: [{ url: /a.js, text: 'version:"2"' }] }`).replace(
        '/acme }',
        '/acme, scripts: [{ url: /a.js, text: acme }] }',
      ),
    ),
  ],
  ['common-literal', 'punctuation', clause("stylesheet: §'/*! *'")],
  ['short-literal', 'four letters of a bundle', clause('bundle: §kiln')],
  ['no-quoting-miss', 'no script', acme(builder('bundle: kilnrt@'), TEST.replace('misses', '§misses'))],
  [
    'no-quoting-miss',
    'the name is not in the script',
    acme(
      builder('any: [{ bundle: kilnrt@ }, { stylesheet: --kiln-ash }]'),
      TEST.replace('misses', '§misses').replace('/acme }', "/acme, scripts: [{ url: /a.js, text: 'a kiln' }] }"),
    ),
  ],
  ['misplaced-key', 'a whole bundle', clause('{ bundle: kilnrt@, §is: kilnrt@ }')],
  ['short-literal', 'two letters', clause('comment: [acme, §ac]')],
  ['short-page', 'one line', miss('{ html: §<p>Acme }')],
  ['stale', 'nineteen months', acme(builder().replace('2026-11-20', '§2025-05-31'))],
  ['stray-file', 'other file type', { ...acme(builder()), 'builders/notes.txt': '§' }],
  ['stray-file', 'test without rule', { ...acme(builder()), 'builders/beta.test.yaml': `§${TEST}` }],
  ['two-places', 'script and title', clause('§{ script: /a.js, title: acme }')],
  ['unknown-key', 'of a rule', acme(builder().replace('website', '§webiste'))],
  ['unknown-key', 'place', clause('{ §scirpt: /a.js }')],
  ['unknown-slug', 'implied', acme(builder('', 'implies: [§bta]\n'))],
  [
    'unknown-slug',
    'of a clause of a site type',
    { 'site-types/acme.yaml': technology('{ found: §bta }'), 'site-types/acme.test.yaml': TEST },
  ],
  [
    'unknown-slug',
    'category of a clause of a site type',
    { 'site-types/acme.yaml': technology('{ found: §category:cmss }'), 'site-types/acme.test.yaml': TEST },
  ],
  ['unknown-slug', 'also of a hit', { ...hit('confidence: high, also: [§bta] }'), ...beta('beta.com') }],
  ['unknown-slug', 'hosting of a hit', hit('confidence: high, hosting: §Nowhere }')],
  ['unknown-slug', 'type of a hit', hit('confidence: high, siteType: §blogg }')],
  [
    'unrelated-hit',
    'technology',
    {
      ...acme(builder(), TEST.replace('- {', '- §{')),
      ...beta(
        '[acme.com, beta.com]\n    from: own',
        '',
        '{ page: { url: https://acme.com/ }, confidence: high, also: [acme] }',
      ),
    },
  ],
  [
    'miss-named',
    'of a site type',
    {
      'site-types/acme.yaml': technology('').replace('url: acme.com', '{ url: acme.com, points: { acme: 30 } }'),
      'site-types/acme.test.yaml': `hits:\n  - { page: { url: https://acme.com/ }, words: true }\nmisses:\n  - §{ page: { url: https://acme.com/, html: "<p>\\n${'word '.repeat(20)}\\n<p>a\\n<p>b\\n<p>c" } }\n`,
    },
  ],
  ['unproven-clause', 'other page', clause('§meta: acme')],
  ['unproven-clause', 'one of a choice', clause('any: [{ url: acme.com }, §{ url: acme.org }]')],
  ['unproven-word', 'second of a list', acme(builder().replace('url: acme.com', 'url: [acme.com, §acme.org]'))],
  [
    'unproven-word',
    'of a site type',
    {
      'site-types/acme.yaml': technology('').replace('url: acme.com', 'url: [acme.com, §acme.org]'),
      'site-types/acme.test.yaml': TEST.replace('confidence: high', 'words: true'),
    },
  ],
  ['unsafe-pattern', 'exponential', clause("{ meta: generator, match: §'^(a+)+$' }")],
  [
    'unsafe-pattern',
    'nested too deeply',
    clause(`{ meta: generator, match: §'^${'('.repeat(300)}a${')'.repeat(300)}' }`),
  ],
  ['version-group', 'second group of one', clause("{ meta: generator, match: '^acme (1|2)', version: §2 }")],
  [
    'weak-source',
    'code search',
    acme(
      builder().replace(
        'https://acme.com/docs',
        '[https://acme.com/docs, §https://github.com/search?q=acme&type=code]',
      ),
    ),
  ],
  [
    'weak-source',
    'search in a repository',
    acme(builder().replace('https://acme.com/docs', '§https://github.com/acme/docs/search?q=x')),
  ],
  [
    'weak-source',
    'search engine',
    acme(builder().replace('https://acme.com/docs', '§https://www.google.com/search?q=acme')),
  ],
  ['wide-pattern', 'any prefix', clause("{ meta: generator, match: §'.*acme (1|2)' }")],
]
