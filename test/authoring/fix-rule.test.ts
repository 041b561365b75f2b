import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isMap, parseDocument, Scalar, visit } from 'yaml'
import { fixRule } from '../../src/authoring/fix-rule.ts'
import { ownFolder } from '../../src/rules/built.ts'
import { discoverRules } from '../../src/rules/discover.ts'
import { splitDocuments } from '../../src/yaml/documents.ts'

/** Builds a rule file around a clause. */
const rule = (clause: string, more = ''): string => `name: Kiln\n${more}detect:\n  - url: kiln.com\n  - ${clause}\n`

test.each([
  ['keys of a rule', 'verified: x\nname: Kiln\ndetect: []\n', 'name: Kiln\ndetect: []\nverified: x\n'],
  [
    'keys of a rule with their comments',
    '# head\n\n# of detect\n# too\ndetect: # of the line\n  - url: kiln.com # first\n  # last\n# of the name\nname: Kiln\n',
    '# head\n\n# of detect\n# too\n# of the name\nname: Kiln\ndetect: # of the line\n  - url: kiln.com # first\n  # last\n',
  ],
  ['a last line without an end', 'detect: []\nname: Kiln', 'name: Kiln\ndetect: []\n'],
  [
    'keys of a clause',
    rule("{ weight: weak, match: 'a|b', meta: x }"),
    rule("{ meta: x, match: 'a|b', weight: weak }"),
  ],
  [
    'keys of a clause in lines',
    rule('from: own # why\n    asset:\n      - /a/ # a\n      - /b/'),
    rule('from: own # why\n    asset:\n      - /a/ # a\n      - /b/'),
  ],
  [
    'keys of a clause in lines, without comments between them',
    rule('from: own\n    asset:\n      - /a/ # a\n      - /b/'),
    rule('asset:\n      - /a/ # a\n      - /b/\n    from: own'),
  ],
  [
    'keys inside of groups',
    rule('{ weight: weak, all: [{ has: b, meta: x }, { not: { is: c, title: y } }] } # kept'),
    rule('{ all: [{ meta: x, has: b }, { not: { title: y, is: c } }], weight: weak } # kept'),
  ],
  ['a place of a detector that is not built in', rule('{ has: a, tide: high }'), rule('{ tide: high, has: a }')],
  ['slugs of a relation', rule('text: abc', 'implies: [b, a-c, a]\n'), rule('text: abc', 'implies: [a, a-c, b]\n')],
  [
    'slugs of a relation in lines',
    rule('text: abc', 'excludes:\n  - b\n  - a\n'),
    rule('text: abc', 'excludes:\n  - a\n  - b\n'),
  ],
  ['a double quote', rule('text: "abc: d"'), rule("text: 'abc: d'")],
])('sorts or replaces %s', (_, before, after) => {
  expect(fixRule(before, [])).toBe(after)
  expect(fixRule(after, [])).toBe(after)
})

test.each([
  ['words, which may be sorted by importance', rule('text: [def, abc]')],
  ['slugs with comments between them', rule('text: abc', 'implies:\n  - b # the base\n  - a\n')],
  ['double quotes around an apostrophe', rule('text: "liste d\'attente"')],
  ['double quotes around an escape', rule('text: "a\\tb"')],
  ['single quotes that are not needed', rule("meta: 'og:image'")],
  ['invalid YAML', 'verified: x\nname: [\n'],
  ['duplicate keys', 'verified: x\nname: a\nname: b\n'],
  ['unknown keys of a rule', 'verified: x\nnam: Kiln\n'],
  ['a list', '- b\n- a\n'],
  ['nothing', ''],
])('leaves %s', (_, text) => {
  expect(fixRule(text, [])).toBe(text)
})

test.each([
  ['a weight', '{ script: /a.js, weight: strong }', '{ script: /a.js }'],
  ['a weight between other keys', '{ script: /a.js, weight: strong, from: own }', '{ script: /a.js, from: own }'],
  ['a weight in its own line', 'script: /a.js\n    weight: strong # why', 'script: /a.js # why'],
  ['a weight after a comment', 'script: /a.js # why\n    weight: strong', 'script: /a.js # why\n    weight: strong'],
  ['a weight that counts', '{ text: abc, weight: strong }', '{ text: abc, weight: strong }'],
])('removes needless weights: %s', (_, before, after) => {
  const text = rule(before)
  const lines = text.split('\n')
  const line = lines.findIndex((one) => one.includes('weight'))
  const needless = before.includes('text') ? [] : [{ line: line + 1, column: lines[line].indexOf('strong') + 1 }]
  expect(fixRule(text, needless)).toBe(rule(after))
})

/** Names and texts of every twentieth rule file of the project. fix-rule.slow.ts reads all of them. */
const files = discoverRules(ownFolder)
  .rules.filter((_, i) => i % 20 === 0)
  .map(({ file }) => [file, splitDocuments(readFileSync(file, 'utf8')).first] as const)

/** Reverses keys and relations, and writes scalars in double quotes. */
function disturb(text: string): string {
  const document = parseDocument(text, { schema: 'failsafe' })
  visit(document, {
    Map: (_, map) => void map.items.reverse(),
    Scalar: (key, node) => {
      if (key === 'value' && node.type === Scalar.PLAIN) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  const { contents } = document
  if (isMap(contents))
    for (const key of ['implies', 'requires', 'excludes']) {
      const list = contents.get(key)
      if (typeof list === 'object') (list as { items: unknown[] }).items.reverse()
    }
  return document.toString({ lineWidth: 0 })
}

test('rules of the project need no correction', () => {
  expect(files.filter(([, text]) => fixRule(text, []) !== text).map(([file]) => file)).toEqual([])
})

/** The data of a rule as JSON, which shows the order of keys and slugs. */
const dataOf = (text: string): string => JSON.stringify(parseDocument(text, { schema: 'failsafe' }).toJS())

test('disturbed rules of the project get exactly their order back', () => {
  // Keys and slugs with a comment between them stay where they are. The fit orders the points of site types.
  const isOrdered = (file: string, text: string): boolean => !text.includes('#') && !file.includes('/site-types/')
  const sample = files.filter(([file, text]) => isOrdered(file, text))
  const wrong = sample.filter(([, text]) => {
    const disturbed = disturb(text)
    const fixed = fixRule(disturbed, [])
    return dataOf(disturbed) === dataOf(text) || dataOf(fixed) !== dataOf(text) || fixRule(fixed, []) !== fixed
  })
  expect(wrong.map(([file]) => file)).toEqual([])
  expect(sample.length).toBeGreaterThan(100)
})
