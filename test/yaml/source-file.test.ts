import { describe, expect, test } from 'vitest'
import { SourceFile } from '../../src/yaml/source-file.ts'
import { builder, CATEGORIES, findingsOf, placeOf, TEST, writeFolder } from '../support/rule-folder.ts'

const RULE = builder()

/** Findings of a rule file as `line:column code`, except for clauses without a hit: the one test file is for all rules. */
function lint(rule: string, tests = TEST): string[] {
  const root = writeFolder({
    'categories.yaml': CATEGORIES,
    'builders/acme.yaml': rule,
    'builders/acme.test.yaml': tests,
  })
  const found = findingsOf(root).filter(({ code }) => code !== 'unproven-clause')
  return found.map((one) => placeOf(one).replace(/^builders\/acme(\.test)?\.yaml:/, ''))
}

/** Nested lists of aliases: expanded, they have ten to the power of eight words. */
const BOMB = Array.from(
  { length: 9 },
  (_, i) =>
    `k${i}: &k${i} [${Array(10)
      .fill(i === 0 ? 'x' : `*k${i - 1}`)
      .join(', ')}]\n`,
).join('')

describe('invalid YAML, and YAML that is not a rule', () => {
  test.each([
    ['empty', '', ['1:1 bad-value']],
    ['only comments', '# nothing yet\n', ['1:1 bad-value']],
    ['a list', '- name: Acme\n', ['1:1 bad-value']],
    ['text', 'Acme\n', ['1:1 bad-value']],
    ['binary', '\u0000\u0001\ufffd', ['1:1 bad-yaml']],
    ['a control character', RULE.replace('cms', 'c\u0007ms'), ['3:12 bad-yaml']],
    ['a NUL in a name', RULE.replace('Acme', '"Ac\\0me"'), ['1:7 bad-value']],
    ['a blank name', RULE.replace('Acme', "' '"), ['1:7 bad-value']],
    ['two documents', `${RULE}---\n${RULE}`, ['1:1 stray-file']],
    ['a duplicate key', `${RULE}name: Beta\n`, ['9:1 bad-yaml']],
    ['two duplicate keys', `${RULE}name: Beta\nsource: https://acme.com\n`, ['9:1 bad-yaml', '10:1 bad-yaml']],
    ['a duplicate key and another problem', `${RULE}name: Beta\nprior: 2\n`, ['9:1 bad-yaml', '10:1 misplaced-key']],
    ['a tab as indentation', RULE.replace('  - url', '\t- url'), ['6:1 bad-yaml']],
    [
      'a colon and a space in an unquoted pattern',
      builder('{ meta: generator, match: ^Acme(?: ([\\d.]+))?, version: 1 }'),
      ['7:31 bad-yaml'],
    ],
    ['curly quotes', RULE.replace('Acme', '“Acme: it”'), ['1:7 bad-yaml']],
    ['a key that is a list', `${RULE}? [a]\n: b\n`, ['9:3 bad-yaml']],
    ['an invalid value of a duplicate key', `${RULE}name:\n`, ['9:1 bad-yaml']],
    ['an unclosed quote', RULE.replace('Acme', "'Acme"), ['9:1 bad-yaml']],
    ['a tag', RULE.replace('Acme', '!!js/function Acme'), ['1:7 bad-yaml']],
    ['an alias without an anchor', RULE.replace('Acme', '*acme'), ['1:7 bad-yaml']],
    ['aliases that multiply', BOMB, ['1:1 bad-yaml']],
    ['an alias of the list that contains it', builder('&a { all: [*a, { script: /a.js }] }'), ['7:16 bad-yaml']],
    ['an alias of the clause that contains it', builder('&a { not: *a }'), ['7:15 bad-yaml']],
    ['300 nested groups', builder(`${'all: [{ '.repeat(300)}script: /a.js${' }]'.repeat(300)}`), ['7:251 bad-yaml']],
    [
      'properties of every object as keys',
      `${RULE}__proto__: { name: x }\nconstructor: x\n`,
      ['9:1 unknown-key', '10:1 unknown-key'],
    ],
  ])('%s', (_, rule, expected) => {
    expect(lint(rule)).toEqual(expected)
  })

  test('20,000 open brackets are one finding', () => {
    const found = lint(`name: ${'['.repeat(20_000)}`)
    expect(found.map((one) => one.replace(/:\d+ /, ' '))).toEqual(['1 bad-yaml'])
  })

  test.each([
    ['empty', '', ['1:1 bad-value']],
    ['a list', '- hits\n', ['1:1 bad-value']],
    ['duplicate misses, the second empty', `${TEST}misses:\n`, ['5:1 bad-yaml']],
    ['a tab in a page', `hits:\n  - page:\n      html: |\n\t<p>\n\t<p>\n\t<p>\n${TEST}`, ['4:1 bad-yaml']],
    [
      'a line that is indented too far',
      TEST.replace('  - { page: { url: https://ex', '      - { page: {}}\n$&'),
      ['5:1 bad-yaml'],
    ],
  ])('a test file: %s', (_, tests, expected) => {
    expect(lint(RULE, tests)).toEqual(expected)
  })

  test.each<[name: string, encoding: BufferEncoding, expected: string]>([
    ['Latin-1', 'latin1', '1:10 bad-yaml'],
    ['UTF-16 with a byte order mark', 'utf16le', '1:1 bad-yaml'],
  ])('a file in %s', (_, encoding, expected) => {
    const text = `${encoding === 'utf16le' ? '\ufeff' : ''}${RULE.replace('Acme', 'Acmé')}`
    const [first, ...others] = new SourceFile('x.yaml', { content: Buffer.from(text, encoding) }).findings
    expect([placeOf(first), others]).toEqual([`x.yaml:${expected}`, []])
  })

  test('long quotes of the parser are shortened', () => {
    const root = writeFolder({ 'builders/acme.yaml': `name: |${'<p>Acme</p>'.repeat(99)}\n` })
    expect(findingsOf(root)[0].sentence).toHaveLength('the YAML is not valid: '.length + 101)
  })
})

describe('encodings and spellings', () => {
  const faulty = RULE.replace('cms', 'cmss')
  test.each([
    ['with a byte order mark', `\ufeff${RULE}`, []],
    [
      'with a byte order mark and a problem in the first line',
      `\ufeff${RULE.replace('name', 'nam')}`,
      ['1:1 unknown-key'],
    ],
    ['with CRLF', RULE.replaceAll('\n', '\r\n'), []],
    ['with CRLF and a problem', faulty.replaceAll('\n', '\r\n'), ['3:11 bad-category']],
    ['with tabs between key and value', RULE.replaceAll(': ', ':\t'), []],
    [
      'with characters of two code units before a problem',
      faulty.replace('category', '# 😀\ncategory'),
      ['4:11 bad-category'],
    ],
    ['with an alias', builder('{ script: &a [/a.js] }\n  - { style: *a }'), []],
  ])('%s', (_, rule, expected) => {
    expect(lint(rule)).toEqual(expected)
  })
})

describe('failsafe: a value is text until the schema asks for another type', () => {
  test.each([
    ['2026-11-20', '2026-11-20'],
    ['8.10', '8.10'],
    ['no', 'no'],
    ['0x1f', '0x1f'],
    ['1e3', '1e3'],
    ['~', '~'],
    ['null', 'null'],
  ])('%s', (written, read) => {
    expect(new SourceFile('x.yaml', { content: Buffer.from(`is: ${written}`) }).data).toEqual({ is: read })
  })

  test.each([
    ['a number as a value', '{ status: 404, atLeast: 1 }', []],
    ['a version that ends in zero', '{ meta: generator, is: 8.10 }', []],
    ['a whole number', '{ script: /a.js, atLeast: 2 }', []],
    ['a fraction', '{ script: /a.js, atLeast: 2.5 }', ['7:31 bad-value']],
    ['not a number', '{ script: /a.js, atLeast: two }', ['7:31 bad-value']],
    ['an empty value', 'title:', ['7:11 bad-value']],
  ])('%s', (_, clause, expected) => {
    expect(lint(builder(clause))).toEqual(expected)
  })
})
