import { expect, test } from 'vitest'
import { splitDocuments } from '../../src/yaml/documents.ts'

test.each([
  ['one document', 'a: b\n', 'a: b\n', null],
  ['two documents', 'a: b\n---\nc: d\n', 'a: b\n', '\n\nc: d\n'],
  ['two documents with Windows line ends', 'a: b\r\n---\r\nc: d\r\n', 'a: b\r\n', '\n\r\nc: d\r\n'],
  ['spaces behind the line', 'a: b\n--- \nc: d\n', 'a: b\n', '\n\nc: d\n'],
  ['a line that begins the first document', '# a\n\n---\na: b\n', '# a\n\n---\na: b\n', null],
  ['a line that begins each document', '---\na: b\n---\nc: d\n', '---\na: b\n', '\n\n\nc: d\n'],
  ['a directive', '%YAML 1.2\n---\na: b\n', '%YAML 1.2\n---\na: b\n', null],
  ['an indented line in a text', 'a: |\n  ---\n', 'a: |\n  ---\n', null],
  ['a longer line', 'a: b\n----\n', 'a: b\n----\n', null],
  ['text behind the line', 'a: b\n--- c\n', 'a: b\n--- c\n', null],
  ['an empty second document', 'a: b\n---\n', 'a: b\n', '\n\n'],
  ['three documents', 'a: b\n---\nc: d\n---\ne: f\n', 'a: b\n', '\n\nc: d\n---\ne: f\n'],
])('%s', (_, text, first, second) => {
  expect(splitDocuments(text)).toEqual({ first, second })
})
