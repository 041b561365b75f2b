import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { discoverRules } from '../../src/rules/discover.ts'
import { FINDING_TABLE } from '../../src/rules/findings.ts'
import { builder, CATEGORIES, findingsOf, placeOf, TEST, technology, writeFolder } from '../support/rule-folder.ts'
import { faultyRules } from './faulty-rules.ts'

describe('each problem is one finding with its line and column', () => {
  test.each(faultyRules)('%s: %s', (code, _, marked) => {
    const files = Object.entries(marked).map(([name, text]) => [name, text.replace('§', '')])
    const expected = Object.entries(marked).flatMap(([name, text]) => {
      const before = text.split('§').slice(0, -1)[0]?.split('\n')
      return before ? [`${name}:${before.length}:${before[before.length - 1].length + 1} ${code}`] : []
    })
    const root = writeFolder({ 'categories.yaml': CATEGORIES, ...Object.fromEntries(files) })
    expect(findingsOf(root).map(placeOf)).toEqual(expected)
  })

  test('every code has a test', () => {
    // These findings need pages of other rules, or another file, too; see ordinary-pages.test.ts, generic-words.test.ts and check-lifecycles.test.ts.
    const elsewhere = ['bad-lifecycle', 'broad-clause', 'generic-word', 'wrong-site-type']
    const tested = new Set([...faultyRules.map(([code]) => code), ...elsewhere])
    expect([...tested].sort()).toEqual([...FINDING_TABLE.keys()].sort())
  })

  test('a valid folder has no findings', () => {
    const clauses = '{ inline: Acme, case: exact }\n  - { inline: acme, case: exact }'
    const page = "{ url: https://acme.com/, html: '<script>Acme()</script><script>acme()</script>' }"
    const tests = TEST.replace('misses:', `  - { page: ${page}, confidence: high, words: true }\nmisses:`)
    const files = { 'builders/acme.yaml': builder(clauses), 'builders/acme.test.yaml': tests }
    expect(findingsOf(writeFolder({ 'categories.yaml': CATEGORIES, ...files }))).toEqual([])
  })

  test.each([
    ['a link of the site itself', builder('{ anchor: /shop.php, from: own }')],
    ['a link next to another mark', builder('all: [{ anchor: /shop.php }, { script: /acme.js }]')],
    ['a link that names nothing alone', builder('{ anchor: /shop.php, weight: weak }')],
    ['a link of a technology to its service', technology('anchor: acme.com/book/')],
    ['an address on another domain of the vendor', builder('url: .acme.app')],
    ['a canonical address with a path', builder('{ link: canonical, under: .acme.com/shop }')],
    ['an address that names nothing alone', builder('{ url: .acme.com, weight: weak }')],
    ['another link', builder('{ link: stylesheet, under: .acme.com }')],
    ['a file of the vendor', builder('{ asset: .acme.com, weight: weak }')],
  ])('%s has no finding about links and pages of vendors', (_, rule) => {
    const folder = rule.includes('category') ? 'builders' : 'technologies/analytics'
    const root = writeFolder({ 'categories.yaml': CATEGORIES, [`${folder}/acme.yaml`]: rule })
    const codes = findingsOf(root).map(({ code }) => code)
    expect(codes).toContain('missing-test')
    expect(codes.filter((code) => code === 'foreign-link' || code === 'vendor-page')).toEqual([])
  })

  test.each([
    ['a link to nothing', 'gone'],
    ['a link to a device', '/dev/null'],
    ['a link to a rule', 'acme.yaml'],
    ['a link to a file outside', '/etc/hosts'],
    ['a link to a folder', '/etc'],
  ])('%s is not read', (_, target) => {
    const root = writeFolder({ 'categories.yaml': CATEGORIES, 'builders/acme.yaml': builder('{ scirpt: /a.js }') })
    symlinkSync(target, join(root, 'builders/odd.yaml'))
    const expected = ['builders/odd.yaml:1:1 stray-file', 'builders/acme.yaml:7:7 unknown-key']
    expect(findingsOf(root).map(placeOf)).toEqual([...expected, 'builders/acme.yaml:1:1 missing-test'])
  })

  test('only regular files inside the folder are read, and findings show no content of others', () => {
    const secret = writeFolder({ 'secret.yaml': 'secret-word: 7\n' })
    const root = writeFolder({ 'builders/acme.yaml': builder(), 'builders/acme.test.yaml': TEST })
    mkdirSync(join(root, 'builders/folder.yaml'))
    mkdirSync(join(root, 'technologies'))
    for (const name of ['builders/link.yaml', 'builders/link.test.yaml', 'categories.yaml', 'README.md'])
      symlinkSync(join(secret, 'secret.yaml'), join(root, name))
    for (const name of ['site-types', 'technologies/analytics']) symlinkSync(secret, join(root, name))
    const link = 'it is a symbolic link; replace it with the file or folder'
    const found = findingsOf(root).filter(({ code }) => code === 'stray-file')
    expect(Object.fromEntries(found.map(({ file, sentence }) => [file, sentence.split(': ').at(-1)]))).toEqual({
      'builders/folder.yaml': 'this folder contains rules only; subfolders are not read',
      'builders/link.yaml': link,
      'builders/link.test.yaml': link,
      'categories.yaml': link,
      'README.md': link,
      'site-types': link,
      'technologies/analytics': link,
    })
    expect(JSON.stringify(findingsOf(root))).not.toContain('secret-word')
  })

  test('the rule folder itself may be a link', () => {
    const files = { 'builders/acme.yaml': builder(), 'builders/acme.test.yaml': TEST, 'categories.yaml': CATEGORIES }
    const link = join(writeFolder({}), 'link')
    symlinkSync(writeFolder(files), link)
    expect(findingsOf(link)).toEqual([])
  })

  test('ten problems in one file are ten findings', () => {
    const rule = `nam: Acme
website: https://acme.com
category: cmss
aiNative: maybe
prior: 3
detect:
  - { elment: '#acme', weight: medium }
  - comment: [ac, acme]
  - { script: [acme.css, /acme.js], from: own }
  - all:
      - { meta: generator, match: '^acme(', weight: weak }
source: https://acme.com/docs
verified: yesterday
`
    const root = writeFolder({
      'categories.yaml': CATEGORIES,
      'builders/acme.yaml': rule,
      'builders/acme.test.yaml': TEST,
    })
    const found = findingsOf(root).sort((a, b) => a.line - b.line || a.column - b.column)
    expect(found.map(({ line, column, code }) => `${line}:${column} ${code}`)).toEqual([
      '1:1 unknown-key',
      '3:11 bad-category',
      '4:11 bad-value',
      '5:1 misplaced-key',
      '7:7 unknown-key',
      '8:15 short-literal',
      '9:16 bad-locator',
      '11:35 bad-pattern',
      '11:45 group-weight',
      '13:11 bad-value',
    ])
  })
})

test.each([
  ['open group', "'^a('", 'Unterminated group'],
  ['flag of another dialect', "'(?i)^acme (1|2)'", 'Invalid group'],
])('the reason for an invalid pattern does not quote the pattern: %s', (_, match, reason) => {
  const files = { 'builders/acme.yaml': builder(`{ meta: acme, match: ${match} }`), 'builders/acme.test.yaml': TEST }
  const [found] = findingsOf(writeFolder({ 'categories.yaml': CATEGORIES, ...files }))
  expect(found.sentence).toBe(`the pattern is not a valid regular expression: ${reason}`)
})

test('the working folder is named `.` if it is in the wrong place', () => {
  const found = discoverRules('..').findings.map(({ file }) => file)
  expect(found).toContain('.')
})

describe('a finding suggests the word that was probably meant', () => {
  const site = {
    'technologies/analytics/matomo.yaml': technology().replaceAll('Acme', 'Matomo').replace('url: acme', 'url: .acme'),
    'technologies/analytics/matomo.test.yaml': TEST,
  }
  test.each([
    ['key of a rule', builder().replace('verified', 'verifed'), 'verified'],
    ['place', builder('{ heder: x-acme }'), 'header'],
    ['test', builder('{ header: x-acme, hass: acme }'), 'has'],
    ['place inside groups', builder('all: [{ not: { asst: /a.js } }, { title: acme }]'), 'asset'],
    ['type of DNS record', builder('dns: cnam'), 'cname'],
    ['part of a certificate', builder('tls: isuer'), 'issuer'],
    ['slug', builder('', 'implies: matmo\n'), 'matomo'],
    ['category', builder().replace('cms', 'static-sit'), 'static-site'],
    ['weight', builder('{ script: /a.js, weight: mediun }'), 'medium'],
    ['origin', builder('{ script: /a.js, from: othr }'), 'other'],
  ])('%s', (_, rule, meant) => {
    const files = { ...site, 'builders/acme.yaml': rule, 'builders/acme.test.yaml': TEST }
    const found = findingsOf(writeFolder({ 'categories.yaml': CATEGORIES, ...files }))
    expect(found.map(({ sentence }) => /did you mean "(.*?)"/.exec(sentence)?.[1])).toEqual([meant])
  })

  test('a word that resembles no known word gets no suggestion', () => {
    const files = { 'builders/acme.yaml': builder('{ zzz: x }'), 'builders/acme.test.yaml': TEST }
    const [found] = findingsOf(writeFolder({ 'categories.yaml': CATEGORIES, ...files }))
    expect(found.sentence).toBe('the key "zzz" is unknown')
  })
})

describe('a finding says what to write instead', () => {
  const site = {
    'technologies/analytics/beta.yaml': technology().replaceAll('acme.com', 'beta.com').replace('Acme', 'Beta'),
    'technologies/analytics/beta.test.yaml': TEST.replaceAll('acme', 'beta'),
    'hosting/port.yaml': technology().replaceAll('acme.com', 'port.com').replace('Acme', 'Port'),
    'hosting/port.test.yaml': TEST.replaceAll('acme', 'port'),
    'site-types/shop.yaml': technology().replaceAll('acme.com', 'shop.com').replace('Acme', 'Shop'),
    'site-types/shop.test.yaml': TEST.replaceAll('acme', 'shop'),
  }
  const hosting = (more: string) => ({
    'hosting/acme.yaml': technology('', more),
    'hosting/acme.test.yaml': TEST,
  })
  const acme = (rule: string) => ({ 'builders/acme.yaml': rule, 'builders/acme.test.yaml': TEST })
  const spread = (name: string, files: Readonly<Record<string, string>>, sentence: string) =>
    [name, files, sentence] as const
  test.each([
    spread(
      'js',
      acme(builder('{ js: Acme }')),
      'the key "js" is unknown; variables of scripts are not seen; text in a loaded script is `bundle: …`, in an inline one `inline: …`',
    ),
    spread(
      'scriptSrc',
      acme(builder('{ scriptSrc: acme }')),
      'the key "scriptSrc" is unknown; the URL of a script is `script: locator`',
    ),
    spread(
      'dom',
      acme(builder("{ dom: '#acme' }")),
      'the key "dom" is unknown; an element is `{ element: selector, … }`, with `attr` to test an attribute',
    ),
    spread(
      'headers',
      acme(builder('{ headers: x-acme }')),
      'the key "headers" is unknown; a response header is `{ header: name, … }`',
    ),
    spread(
      'cookies',
      acme(builder('{ cookies: acme }')),
      'the key "cookies" is unknown; a cookie is `{ cookie: name, … }`',
    ),
    spread(
      'css',
      acme(builder('{ css: acme }')),
      'the key "css" is unknown; text in an inline style sheet is `style: …`, in a linked one `stylesheet: …`',
    ),
    spread(
      'css next to the keys of a rule',
      acme(builder('', 'css: acme\n')),
      'the key "css" is unknown; text in an inline style sheet is `style: …`, in a linked one `stylesheet: …`',
    ),
    spread(
      '* without quotes',
      acme(builder('url: *.acme.com')),
      'the YAML is not valid: quote a text that begins with *; the subdomains of x.com are written .x.com',
    ),
    spread(
      '* in quotes',
      acme(builder("url: '*.acme.com'")),
      '"*.acme.com": write .acme.com for the subdomains of a host',
    ),
    spread(
      'unknown category of a builder',
      acme(builder().replace('cms', 'zzzzzz')),
      '"zzzzzz" is not a builder category of categories.yaml; use one of cms, static-site',
    ),
    spread(
      'unknown category of a technology',
      { 'technologies/zzz/acme.yaml': technology(), 'technologies/zzz/acme.test.yaml': TEST },
      '"zzz" is not a technology category of categories.yaml; use one of analytics',
    ),
    spread(
      'technology implied by hosting',
      hosting('implies: beta\n'),
      'no hosting has the slug "beta"; there is a technology with this slug, but only builder and technology rules may have it in implies',
    ),
    spread(
      'hosting excluded by a builder',
      acme(builder('', 'excludes: [port]\n')),
      'no builder or technology has the slug "port"; there is a hosting with this slug, but only hosting rules may have it in excludes',
    ),
    spread(
      'site type required by a builder',
      acme(builder('', 'requires: [shop]\n')),
      'no builder or technology has the slug "shop"; there is a site-type with this slug, but relations cannot name site types',
    ),
    spread(
      'technology as the hosting of a builder',
      acme(builder('', 'hosting: beta\n')),
      'no hosting has the slug "beta"; there is a technology with this slug, but hosting names hosting rules',
    ),
    spread(
      'hosting in a found clause',
      { 'site-types/acme.yaml': technology('{ found: port }'), 'site-types/acme.test.yaml': TEST },
      'no builder or technology has the slug "port"; there is a hosting with this slug, but found names builders and technologies',
    ),
  ])('%s', (_, files, sentence) => {
    const root = writeFolder({ 'categories.yaml': CATEGORIES, ...site, ...files })
    expect(findingsOf(root).map((one) => one.sentence)).toEqual([sentence])
  })
})
