import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ownFolder } from '../../src/rules/built.ts'
import { discoverRules } from '../../src/rules/discover.ts'
import { splitDocuments } from '../../src/yaml/documents.ts'
import { MAX_DEPTH, ParsedFile } from '../../src/yaml/parsed-file.ts'
import { readPlainYaml } from '../../src/yaml/plain-yaml.ts'
import { SourceFile } from '../../src/yaml/source-file.ts'
import { countRuns } from '../support/property-runs.ts'

/** What the `yaml` library reads: the data with its keys in order, and the findings. */
function parse(text: string): readonly [data: string, findings: unknown] {
  const { data, findings } = new ParsedFile({ file: 'x.yaml', text, isUtf8: true, schema: 'failsafe' })
  return [JSON.stringify(data), findings]
}

/** Whether a text is plain. Fails if the `yaml` library reads something else, or reports anything. */
function isPlain(text: string): boolean {
  const data = readPlainYaml(text, MAX_DEPTH)
  if (data !== undefined) expect([JSON.stringify(data), []], JSON.stringify(text)).toEqual(parse(text))
  return data !== undefined
}

/** Every hundredth rule and test file, which is 50 files. */
const FILES = discoverRules(ownFolder)
  .rules.flatMap(({ file, testFile, hasTest }) => (hasTest ? [file, testFile] : [file]))
  .filter((_, i) => i % 101 === 0)
  .map((file) => splitDocuments(readFileSync(file, 'utf8')))
  .flatMap(({ first, second }) => (second === null ? [first] : [first, second]))

/** Every kind of YAML in a few lines, for changes that hit the syntax. */
const SMALL = [
  'a:\n  - b\n  - c: d\n    e: f\n',
  '- { a: [b, c], d: "e f" } # g\n- x\n',
  'a: |\n  x\n   y\n\n  z\nb: c\n',
  "a: 'b''c'\nd: \"e\\n\\x41\"\n",
  'a:\n- b\n- - c\n  - d\n',
  'a: { b: c,\n  d: [e,\n  f] }\ng: h\n',
  'a: >-\n  x\n  y\n\n    z\n  w\nb: |+\n  q\n\n\nc: d\n',
  'a: b\n  c\n  d\ne: "f\n  g\n\n  h"\n',
  '? a\n: b\n? - c\n: d\n',
  '\'a b\': c\n"d": ["e":f, g: h, i]\n',
  '# c\na: # d\n  b: c # e\n  # f\n  g: |  # h\n    i\n# j\n',
]

const PIECES = [
  ...':-[]{},"\'#&*!|>%@?\t\r \n\\~ax1',
  ...[': ', ' #', '- ', '\n  ', '|\n', '>-\n', '|+\n', '|2\n', '? ', '<<: ', '---\n', ' ---\n', '...\n', '%YAML 1.2\n'],
  ...[
    '&a ',
    '*a',
    '!!str ',
    '__proto__: x\n',
    '{ a: b }',
    '"a":b',
    '\u2028',
    '\u0085',
    '\u00a0',
    '\ufeff',
    '\ufffd',
    '😀',
  ],
]

const change = fc.record({
  kind: fc.constantFrom('insert', 'delete', 'replace', 'repeat', 'repeat line', 'delete line', 'indent', 'outdent'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  piece: fc.constantFrom(...PIECES),
  length: fc.integer({ min: 1, max: 12 }),
})

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function apply(text: string, { kind, at, piece, length }: Change): string {
  const lines = text.split('\n')
  const line = Math.floor(at * (lines.length - 1))
  const start = Math.floor(at * text.length)
  const [before, after] = [text.slice(0, start), text.slice(start)]
  if (kind === 'insert') return before + piece + after
  if (kind === 'delete') return before + after.slice(length)
  if (kind === 'replace') return before + piece + after.slice(1)
  if (kind === 'repeat') return before + after.slice(0, length) + after
  const changed = { 'repeat line': [lines[line], lines[line]], 'delete line': [], indent: [` ${lines[line]}`] }[
    kind as string
  ]
  return lines.toSpliced(line, 1, ...(changed ?? [lines[line].replace(/^ /, '')])).join('\n')
}

describe('plain YAML is read as the yaml library reads it', () => {
  test('files of rules are plain', () => {
    expect(FILES.length).toBeGreaterThan(40)
    expect(FILES.filter((text) => !isPlain(text))).toEqual([])
  })

  test.each([
    ['small texts', SMALL, 3000],
    ['files of rules', FILES, 300],
  ])('%s after one to three changes', { tags: ['property'] }, (_, texts, runs) => {
    const numRuns = countRuns(runs)
    let plain = 0
    const changed = fc
      .tuple(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 3 }))
      .map(([text, changes]) => changes.reduce(apply, text))
    fc.assert(
      fc.property(changed, (text) => {
        if (isPlain(text)) plain++
      }),
      { numRuns },
    )
    expect(plain).toBeGreaterThan(numRuns / 10)
  })

  test.each([
    ['the deepest nesting', `${'- '.repeat(MAX_DEPTH)}a\n`],
    ['pairs in lists', '[a: b, c: d]\n'],
    ['keys of objects', 'constructor: a\ntoString: b\n2: c\n1: d\n'],
    ['an empty text, list and mapping', "a: ''\nb: []\nc: {}\n"],
    ['a block of blank lines', 'a: |\n\n  \n\nb: c\n'],
    ['a block at the end without a line break', 'a: |\n  b'],
    ['a long text', `a: ${'b '.repeat(2000)}\n`],
  ])('plain: %s', (_, text) => {
    expect(isPlain(text)).toBe(true)
  })

  test.each([
    ['nothing', ''],
    ['a comment', '# a\n'],
    ['a text alone', 'a\n'],
    ['invalid', 'a: [b\n'],
    ['too deep', `${'- '.repeat(MAX_DEPTH + 1)}a\n`],
    ['too deep, by pairs in lists', `${'[a: '.repeat(MAX_DEPTH / 2 + 1)}b${']'.repeat(MAX_DEPTH / 2 + 1)}\n`],
    ['a tab', 'a:\tb\n'],
    ['a carriage return', 'a: b\r\n'],
    ['a control character', "a: '\u0007'\n"],
    ['a byte order mark', '\ufeffa: b\n'],
    ['a replacement character', 'a: \ufffd\n'],
    ['a document marker', '---\na: b\n'],
    ['an indented document marker', ' ---\na: b\n'],
    ['two documents', 'a: b\n---\na: b\n'],
    ['the end of a document', 'a: b\n...\n'],
    ['a directive', '%YAML 1.2\n---\na: b\n'],
    ['a tag', 'a: !!str b\n'],
    ['an anchor', 'a: &b c\n'],
    ['an anchor of a list', 'a: &b [c]\n'],
    ['an alias', 'a: &b c\nd: *b\n'],
    ['a duplicate key', 'a: b\na: c\n'],
    ['the key __proto__', '__proto__: a\n'],
    ['a key that is a list', '? [a]\n: b\n'],
    ['a key that is too long', `${'a'.repeat(1025)}: b\n`],
    ['a key far from its colon', `a${' '.repeat(1025)}: b\n`],
    ['no value', 'a:\nb: c\n'],
    ['no item', '- a\n-\n'],
    ['a folded block', 'a: >\n  b\n'],
    ['a block with an indicator', 'a: |-\n  b\n'],
    ['a block with a comment', 'a: | # b\n  c\n'],
    ['a text of two lines', 'a: b\n  c\n'],
    ['a quoted text of two lines', "a: 'b\n  c'\n"],
    ['an escape', 'a: "\\UFFFFFFFF"\n'],
  ])('not plain: %s', (_, text) => {
    expect(isPlain(text)).toBe(false)
  })
})

test('positions and texts of a plain file, also of values that a validator has converted', () => {
  const content = Buffer.from('a: b\nc:\n  - d: 8.10\n    e: f\n')
  const file = new SourceFile('x.yaml', { content })
  const { c } = file.data as { c: { d: unknown }[] }
  c[0].d = 8.1
  const { line, column } = file.valueAt(['c', 0, 'e'])
  expect([line, column, file.keyAt(['c', 0, 'e']).column]).toEqual([4, 8, 5])
  expect([['a'], ['c', 0, 'd'], ['c'], ['a', 0], ['x'], ['constructor']].map((path) => file.textAt(path))).toEqual([
    'b',
    '8.10',
    '',
    '',
    '',
    '',
  ])
})
