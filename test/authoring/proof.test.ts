import { describe, expect, test } from 'vitest'
import { builder, CATEGORIES, type Files, findingsOf, TEST, technology, writeFolder } from '../support/rule-folder.ts'

/** Pages of hits, in YAML, that are added to a valid test file. */
type Pages = readonly string[]

function addHits(pages: Pages): string {
  const hits = pages.map((page) => `  - { page: ${page}, confidence: high, words: true }\n`)
  return TEST.replace('misses:', `${hits.join('')}misses:`)
}

/** Findings of a builder with an additional clause, in short: line, column, level and code, with the quoted value. */
function prove(clause: string, pages: Pages): string[] {
  const files = { 'builders/acme.yaml': builder(clause), 'builders/acme.test.yaml': addHits(pages) }
  return listFindings(files)
}

function listFindings(files: Files): string[] {
  const root = writeFolder({ 'categories.yaml': CATEGORIES, ...files })
  return findingsOf(root).map(({ line, column, level, code, sentence }) => {
    const [, value] = /"(.*?)"/.exec(sentence) ?? []
    return [`${line}:${column}`, level, code, ...(value === undefined ? [] : [value])].join(' ')
  })
}

const html = (source: string): string => `{ url: https://acme.com/, html: '${source}' }`
const tags = (...names: string[]): string => html(names.map((name) => `<script src="${name}"></script>`).join(''))

describe('unproven-clause: a clause that holds on no hit', () => {
  test.each<[name: string, clause: string, pages: Pages, expected: readonly string[]]>([
    ['shown', '{ script: /a.js }', [tags('/a.js')], []],
    ['not shown', '{ script: /a.js }', [tags('/b.js')], ['7:5 error unproven-clause']],
    ['shown by another page than the rest', '{ title: Acme }', [html('<title>Acme</title>'), tags('/b.js')], []],
    ['too few', '{ script: /a.js, atLeast: 2 }', [tags('/a.js')], ['7:5 error unproven-clause']],
    ['enough', '{ script: /a*, atLeast: 2 }', [tags('/a1.js', '/a2.js')], []],
    ['another value', '{ meta: acme, is: x }', [html('<meta name=acme content=y>')], ['7:5 error unproven-clause']],
    ['a list, once', '{ script: [/a.js, /b.js] }', [], ['7:5 error unproven-clause']],
    ['half of an all', 'all: [{ script: /a.js }, { title: Acme }]', [tags('/a.js')], ['7:5 error unproven-clause']],
    [
      'both halves on two pages',
      'all: [{ script: /a.js }, { title: Acme }]',
      [tags('/a.js'), html('<title>Acme</title>')],
      ['7:5 error unproven-clause'],
    ],
    ['all', 'all: [{ script: /a.js }, { title: Acme }]', [html('<title>Acme</title><script src=/a.js></script>')], []],
    ['with a not that holds', 'all: [{ script: /a.js }, { not: { title: Acme } }]', [tags('/a.js')], []],
    ['a clause of any', 'any: [{ script: /a.js }, { script: /b.js }]', [tags('/a.js')], ['7:30 error unproven-clause']],
    [
      'a clause of of',
      '{ atLeast: 2, of: [{ script: /a.js }, { script: /b.js }, { script: /c.js }] }',
      [tags('/a.js', '/c.js')],
      ['7:43 error unproven-clause'],
    ],
    [
      'a clause of an any inside an all',
      'all: [{ title: Acme }, { any: [{ script: /a.js }, { script: /b.js }] }]',
      [html('<title>Acme</title><script src=/b.js></script>')],
      ['7:36 error unproven-clause'],
    ],
    [
      'a choice that holds where nothing is found',
      'all: [{ script: /a.js }, { any: [{ title: Acme }, { not: { title: x y z } }] }]',
      [html('<title>Acme</title><script src=/a.js></script>')],
      [],
    ],
    ['only on a miss', '{ url: /acme, weight: weak }', [], ['7:5 error unproven-clause']],
  ])('%s', (_, clause, pages, expected) => {
    expect(prove(clause, pages)).toEqual(expected)
  })
})

describe('cut-word: a literal that is a part of the word that the hits show', () => {
  const script = (text: string): string => html(`<script>${text}</script>`)
  test.each<[name: string, clause: string, pages: Pages, expected: readonly string[]]>([
    ['whole', '{ inline: acme.init( }', [script('acme.init(1)')], []],
    ['after a sign', '{ inline: acme.init( }', [script('window.acme.init(1)')], []],
    ['in another case', '{ inline: acme.init( }', [script('ACME.init(1)')], []],
    ['without its first letter', '{ inline: cme.init( }', [script('acme.init(1)')], ['7:15 error cut-word cme.init(']],
    ['after an underscore', '{ inline: acme.init( }', [script('_acme.init(1)')], ['7:15 error cut-word acme.init(']],
    ['whole on one of two hits', '{ inline: cme.init( }', [script('acme.init(1)'), script('cme.init(1)')], []],
    ['begins with a sign', '{ inline: .init( }', [script('acme.init(1)')], []],
    ['without its last letter', '{ inline: acme.ini }', [script('acme.init(1)')], []],
    [
      'second of a list, in a group',
      "all: [{ title: Acme }, { inline: [acme(, 'eta(1'] }]",
      [html('<title>Acme</title><script>acme(0);beta(1)</script>')],
      ['7:46 error cut-word eta(1'],
    ],
    [
      'in robots.txt',
      '{ robots: cme-c3 }',
      ['{ url: https://acme.com/, robots: acme-c3 }'],
      ['7:15 error cut-word cme-c3'],
    ],
    ['under a not', 'all: [{ inline: acme( }, { not: { inline: eta( } }]', [script('acme(1)'), script('beta(1)')], []],
  ])('%s', (_, clause, pages, expected) => {
    expect(prove(clause, pages)).toEqual(expected)
  })
})

describe('unproven-word: a value of a list that no hit shows', () => {
  test.each<[name: string, clause: string, pages: Pages, expected: readonly string[]]>([
    ['all shown, by two pages', '{ script: [/a.js, /b.js] }', [tags('/a.js'), tags('/b.js')], []],
    ['second', '{ script: [/a.js, /b.js] }', [tags('/a.js')], ['7:23 error unproven-word /b.js']],
    ['single value', '{ script: [/a.js] }', [tags('/a.js')], []],
    ['is', '{ meta: acme, is: [x, y] }', [html('<meta name=acme content=y>')], ['7:24 error unproven-word x']],
    [
      'has',
      '{ meta: acme, has: [x, y, xy] }',
      [html('<meta name=acme content=y1>')],
      ['7:25 error unproven-word x', '7:31 error unproven-word xy'],
    ],
    [
      'under',
      '{ meta: acme, under: [.x.com, y.com] }',
      [html('<meta name=acme content="https://y.com/">')],
      ['7:27 error unproven-word .x.com'],
    ],
    [
      'found, but with another value',
      '{ meta: [acme, beta], is: x }',
      [html('<meta name=acme content=x><meta name=beta content=y>')],
      ['7:20 error unproven-word beta'],
    ],
    ['fewer than the clause needs', '{ script: [/a.js, /b.js], atLeast: 2 }', [tags('/a.js', '/b.js')], []],
    [
      'alternative of a selector',
      '{ element: \'#a, b[c="d,e"], :is(#f, #g)\' }',
      [html('<p id=a></p><p id=f></p>')],
      ['7:16 error unproven-word b[c='],
    ],
    [
      'inside a group',
      'all: [{ title: Acme }, { script: [/a.js, /b.js] }]',
      [html('<title>Acme</title><script src=/a.js></script>')],
      ['7:46 error unproven-word /b.js'],
    ],
    ['under a not', 'all: [{ script: /a.js }, { not: { title: [acme, beta] } }]', [tags('/a.js')], []],
    [
      'record',
      "{ dns: [txt, 'txt _acme'], has: acme= }",
      ['{ url: https://acme.com/, dns: { txt: [acme=1] } }'],
      ['7:18 error unproven-word txt _acme'],
    ],
    [
      'case',
      '{ inline: [Acme, acme], case: exact }',
      [html('<script>Acme()</script>')],
      ['7:22 error unproven-word acme'],
    ],
  ])('%s', (_, clause, pages, expected) => {
    expect(prove(clause, pages)).toEqual(expected)
  })

  test('is a warning for site types; found is shown by the technologies of the verdict', () => {
    const files = (slugs: string) => ({
      'technologies/analytics/acme.yaml': technology(),
      'technologies/analytics/acme.test.yaml': TEST,
      'builders/beta.yaml': builder().replaceAll('acme.com', 'beta.com').replace('Acme', 'Beta'),
      'builders/beta.test.yaml': TEST.replaceAll('acme', 'beta'),
      'site-types/app.yaml': technology(`{ found: ${slugs} }`).replace(
        'url: acme.com',
        '{ url: acme.com, points: { app: 30 } }',
      ),
      'site-types/app.test.yaml': TEST.replace('confidence: high }', 'words: true, also: acme }'),
    })
    expect(listFindings(files('[acme, beta]'))).toEqual(['5:21 warning unproven-word beta'])
    expect(listFindings(files('acme'))).toEqual([])
    expect(listFindings(files('beta'))).toEqual(['5:5 error unproven-clause'])
  })
})

test('a clause with several words that holds nowhere is one finding, and the other clauses are still checked', () => {
  const clauses = '{ script: [/a.js, /b.js], from: own }\n  - { title: [acme, beta] }'
  expect(prove(clauses, [html('<title>Acme</title>')])).toEqual([
    '7:5 error unproven-clause',
    '8:21 error unproven-word beta',
  ])
})

test('a rule with a hit that cannot be scanned is not judged', () => {
  const tests = addHits(["{ url: 'https://[' }"]).replace(', words: true', '')
  const files = { 'builders/acme.yaml': builder('{ script: /a.js }'), 'builders/acme.test.yaml': tests }
  expect(listFindings(files)).toEqual(['3:13 error bad-fixture-page'])
})
