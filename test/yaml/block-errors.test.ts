import { expect, test } from 'vitest'
import { SourceFile } from '../../src/yaml/source-file.ts'

const HEAD = 'hits:\n  - page:\n      '
const DEEPER = 'must be indented more than its key: begin each line with 8 spaces or more'
const MARK = 'a text of several lines needs a | behind its key: write html: | and the text below it, indented'

test.each<[name: string, page: string, place: string, reason: string]>([
  [
    'a line with fewer spaces than the first one',
    'html: |\n        <html>\n      <head></head>\n        </html>\n',
    '5:7',
    'this line has 6 spaces before it, but the text of html began with 8 in line 4, so the text ends here: indent it with 8 or more',
  ],
  [
    'a line with one space',
    'html: |\n        <html>\n\n <body class="x">\n        </html>\n    confidence: high\n',
    '6:2',
    'this line has 1 space before it, but the text of html began with 8 in line 4, so the text ends here: indent it with 8 or more',
  ],
  [
    'a first line with more spaces than the others',
    'html: |\n          <!doctype html>\n        <html>\n        </html>\n',
    '5:9',
    'this line has 8 spaces before it, but the text of html began with 10 in line 4, so the text ends here: indent it with 10 or more',
  ],
  [
    'a tab in the first line',
    'html: |\n\t<html>\n\t</html>\n',
    '4:1',
    'a tab indents this line of html: indent it with spaces, at least 8',
  ],
  [
    'a tab in a later line',
    'html: |\n        <html>\n\t<body>\n        </html>\n',
    '5:1',
    'a tab indents this line of html: indent it with spaces, at least 8',
  ],
  [
    'a tab after some spaces',
    'html: |\n        <html>\n    \t<body>\n        </html>\n    confidence: high\n',
    '5:5',
    'a tab indents this line of html: indent it with spaces, at least 8',
  ],
  ['a text at the beginning of the line', 'html: |\n<!doctype html>\n<html>\n', '4:1', `the text of html ${DEEPER}`],
  ['a text below its key', 'html: |\n      <!doctype html>\n      <html>\n', '4:7', `the text of html ${DEEPER}`],
  ['a text without the mark', 'html:\n        <!doctype html>\n        <a href="x: y">\n', '3:7', MARK],
  [
    'a text that begins next to its key',
    'html: <!doctype html>\n        <style>a { color: red }</style>\n',
    '3:7',
    MARK,
  ],
  [
    'a text that begins next to the mark',
    'html: | <!doctype html>\n        <html>\n',
    '3:15',
    'the text of html begins in the line below the |: move what is here there',
  ],
  [
    'a quote inside of quotes',
    "html: '<a title='x'>'\n",
    '3:24',
    "the text in quotes ends before this: in '…' a quote is written '', and a text of several lines after a |",
  ],
  ['a tab before a key', '\n\t\turl: x\n', '4:1', 'indent this line with spaces, not with a tab'],
])('%s', (_, page, place, reason) => {
  const [found, ...others] = new SourceFile('a.yaml', { content: Buffer.from(HEAD + page) }).findings
  expect(others).toEqual([])
  expect(`${found?.line}:${found?.column} ${found?.sentence}`).toBe(`${place} the YAML is not valid: ${reason}`)
})

test.each([
  ['html: |\n        <html>\n          <body>\n        </html>\n    confidence: high\n'],
  ['html: |\n        <style>\n        a:\n          b: c\n        </style>\n    confidence: high\nmisses: []\n'],
])('valid text has no findings: %j', (page) => {
  expect(new SourceFile('a.yaml', { content: Buffer.from(HEAD + page) }).findings).toEqual([])
})

test('an error elsewhere keeps its own sentence', () => {
  const text = `${HEAD}html: |\n        <html>\n    confidence: [high\nmisses: []\n`
  const [found] = new SourceFile('a.yaml', { content: Buffer.from(text) }).findings
  expect(found?.sentence).not.toContain('the text of html')
})
