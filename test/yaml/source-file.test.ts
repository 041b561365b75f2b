import { describe, expect, test } from 'vitest'
import { SourceFile } from '../../src/yaml/source-file.ts'
import { builder, CATEGORIES, findingsOf, placeOf, TEST, writeFolder } from '../support/rule-folder.ts'

const RULE = builder()

/** What is said of a rule file; `line:column code`. */
function lint(rule: string, tests = TEST): string[] {
  const root = writeFolder({
    'categories.yaml': CATEGORIES,
    'builders/acme.yaml': rule,
    'builders/acme.test.yaml': tests,
  })
  return findingsOf(root).map((one) => placeOf(one).replace(/^builders\/acme(\.test)?\.yaml:/, ''))
}

/** Lists of lists: ten to the power of eight words, if someone wrote them out. */
const BOMB = Array.from(
  { length: 9 },
  (_, i) =>
    `k${i}: &k${i} [${Array(10)
      .fill(i === 0 ? 'x' : `*k${i - 1}`)
      .join(', ')}]\n`,
).join('')

describe('YAML that is none, or no rule', () => {
  test.each([
    ['empty', '', ['1:1 bad-value']],
    ['comments alone', '# nothing yet\n', ['1:1 bad-value']],
    ['a list', '- name: Acme\n', ['1:1 bad-value']],
    ['a text', 'Acme\n', ['1:1 bad-value']],
    ['bytes', '\u0000\u0001\ufffd', ['1:1 bad-yaml']],
    ['a control character', RULE.replace('cms', 'c\u0007ms'), ['3:12 bad-yaml']],
    ['a NUL in a name', RULE.replace('Acme', '"Ac\\0me"'), ['1:7 bad-value']],
    ['spaces for a name', RULE.replace('Acme', "' '"), ['1:7 bad-value']],
    ['two documents', `${RULE}---\n${RULE}`, ['9:1 bad-yaml']],
    ['a key twice', `${RULE}name: Beta\n`, ['9:1 bad-yaml']],
    ['two keys twice', `${RULE}name: Beta\nsource: https://acme.com\n`, ['9:1 bad-yaml', '10:1 bad-yaml']],
    ['a key twice, and another fault', `${RULE}name: Beta\nrank: 2\n`, ['9:1 bad-yaml', '10:1 misplaced-key']],
    ['a tab for an indent', RULE.replace('  - url', '\t- url'), ['6:1 bad-yaml']],
    [
      'a colon and a space in a bare pattern',
      builder('{ meta: generator, match: ^Acme(?: ([\\d.]+))?, version: 1 }'),
      ['7:31 bad-yaml'],
    ],
    ['curly quotes', RULE.replace('Acme', '“Acme: it”'), ['1:7 bad-yaml']],
    ['a key that is a list', `${RULE}? [a]\n: b\n`, ['9:3 bad-yaml']],
    ['a fault in what stands twice', `${RULE}name:\n`, ['9:1 bad-yaml']],
    ['an open quote', RULE.replace('Acme', "'Acme"), ['9:1 bad-yaml']],
    ['a tag', RULE.replace('Acme', '!!js/function Acme'), ['1:7 bad-yaml']],
    ['an alias of nothing', RULE.replace('Acme', '*acme'), ['1:7 bad-yaml']],
    ['aliases that multiply', BOMB, ['1:1 bad-yaml']],
    ['an alias of the list around it', builder('&a { all: [*a, { script: /a.js }] }'), ['7:16 bad-yaml']],
    ['an alias of the clause around it', builder('&a { not: *a }'), ['7:15 bad-yaml']],
    ['groups without end', builder(`${'all: [{ '.repeat(300)}script: /a.js${' }]'.repeat(300)}`), ['7:251 bad-yaml']],
    [
      'keys of every object',
      `${RULE}__proto__: { name: x }\nconstructor: x\n`,
      ['9:1 unknown-key', '10:1 unknown-key'],
    ],
  ])('%s', (_, rule, expected) => {
    expect(lint(rule)).toEqual(expected)
  })

  test('aliases that multiply cost nothing', () => {
    const started = performance.now()
    lint(BOMB)
    expect(performance.now() - started).toBeLessThan(1000)
  })

  test('brackets without end are one fault', () => {
    const told = lint(`name: ${'['.repeat(20_000)}`)
    expect(told.map((one) => one.replace(/:\d+ /, ' '))).toEqual(['1 bad-yaml'])
  })

  test.each([
    ['empty', '', ['1:1 bad-value']],
    ['a list', '- hits\n', ['1:1 bad-value']],
    ['misses twice, the second empty', `${TEST}misses:\n`, ['5:1 bad-yaml']],
    ['a tab in a page', `hits:\n  - page:\n      html: |\n\t<p>\n\t<p>\n\t<p>\n${TEST}`, ['4:1 bad-yaml']],
    ['a line too far in', TEST.replace('  - { page: { url: https://ex', '      - { page: {}}\n$&'), ['5:1 bad-yaml']],
  ])('a test file: %s', (_, tests, expected) => {
    expect(lint(RULE, tests)).toEqual(expected)
  })

  test.each<[name: string, encoding: BufferEncoding, expected: string]>([
    ['Latin-1', 'latin1', '1:10 bad-yaml'],
    ['UTF-16 with its mark', 'utf16le', '1:1 bad-yaml'],
  ])('a file in %s', (_, encoding, expected) => {
    const text = `${encoding === 'utf16le' ? '\ufeff' : ''}${RULE.replace('Acme', 'Acmé')}`
    const [told, ...others] = new SourceFile('x.yaml', { content: Buffer.from(text, encoding) }).findings
    expect([placeOf(told), others]).toEqual([`x.yaml:${expected}`, []])
  })

  test('what the parser quotes is cut', () => {
    const root = writeFolder({ 'builders/acme.yaml': `name: |${'<p>Acme</p>'.repeat(99)}\n` })
    expect(findingsOf(root)[0].sentence).toHaveLength('this is no YAML: '.length + 101)
  })
})

describe('how a file is written', () => {
  const faulty = RULE.replace('cms', 'cmss')
  test.each([
    ['with a byte order mark', `\ufeff${RULE}`, []],
    ['with a byte order mark, a fault in the first line', `\ufeff${RULE.replace('name', 'nam')}`, ['1:1 unknown-key']],
    ['with CRLF', RULE.replaceAll('\n', '\r\n'), []],
    ['with CRLF, a fault', faulty.replaceAll('\n', '\r\n'), ['3:11 bad-category']],
    ['with tabs between key and value', RULE.replaceAll(': ', ':\t'), []],
    [
      'with letters of two code units before a fault',
      faulty.replace('category', '# 😀\ncategory'),
      ['4:11 bad-category'],
    ],
    ['with an alias', builder('{ script: &a [/a.js] }\n  - { style: *a }'), []],
  ])('%s', (_, rule, expected) => {
    expect(lint(rule)).toEqual(expected)
  })
})

describe('failsafe: text stays as it is written until the schema says a type', () => {
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
    ['a number for a value', '{ status: 404, atLeast: 1 }', []],
    ['a version that ends in nought', '{ meta: generator, is: 8.10 }', []],
    ['a whole number', '{ script: /a.js, atLeast: 2 }', []],
    ['half a number', '{ script: /a.js, atLeast: 2.5 }', ['7:31 bad-value']],
    ['no number', '{ script: /a.js, atLeast: two }', ['7:31 bad-value']],
    ['nothing', 'title:', ['7:11 bad-value']],
  ])('%s', (_, clause, expected) => {
    expect(lint(builder(clause))).toEqual(expected)
  })
})
